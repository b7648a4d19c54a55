"""Read the datasets up and downstream of the relations of a dbt project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.errors import NotFound
from lineage.query.datasets import trace_datasets
from lineage.query.details import describe_dataset
from lineage.query.names import resolve_dataset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.query.details import DatasetDetails
    from lineage.query.records import Dataset
    from lineage.query.session import Session
    from lineage.readers.dbt.nodes import Project


@dataclass
class Surroundings:
    """Datasets around a project.

    ``node_ids``: unique ids of dbt by dataset. ``parents``: datasets that feed each dataset, also
    those of dbt. ``details``: of the datasets that are no node of dbt, and of the sources that
    a job writes.
    """

    node_ids: dict[Dataset, str] = field(default_factory=dict)
    parents: dict[Dataset, set[Dataset]] = field(default_factory=dict)
    details: dict[Dataset, DatasetDetails] = field(default_factory=dict)


def read_surroundings(session: Session, project: Project, names: Sequence[str]) -> Surroundings:
    """Read the lineage up and downstream of ``names``, by default of all relations of the project.

    A relation that the graph does not have is passed over. Raises NotFound and Ambiguous for
    ``names``.
    """
    result = Surroundings()
    for unique_id, relation in project.relations.items():
        try:
            dataset = resolve_dataset(session, relation.full_name)
        except NotFound:
            continue
        # A source may be the relation of a model; the model describes it.
        if dataset not in result.node_ids or not unique_id.startswith("source."):
            result.node_ids[dataset] = unique_id
    roots = [resolve_dataset(session, name) for name in names] or list(result.node_ids)
    _trace_parents(session, roots, result)
    for dataset, parents in result.parents.items():
        for each in (dataset, *parents):
            unique_id = result.node_ids.get(each, "")
            has_writer = unique_id.startswith("source.") and result.parents.get(each)
            if each not in result.details and (has_writer or not unique_id):
                result.details[each] = describe_dataset(session, each.full_name)
    return result


def _trace_parents(session: Session, roots: Iterable[Dataset], result: Surroundings) -> None:
    """Trace both directions from all roots, once where the trace of one contains another."""
    for direction in ("upstream", "downstream"):
        traced: set[Dataset] = set()
        for root in roots:
            if root in traced:
                continue
            trace = trace_datasets(session, root.full_name, direction)
            traced |= {root, *(node.dataset for node in trace.nodes)}
            for edge in trace.edges:
                if edge.source != edge.target:
                    result.parents.setdefault(edge.target, set()).add(edge.source)
