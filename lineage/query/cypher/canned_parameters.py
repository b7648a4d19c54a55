"""Parameters of canned queries: names of entities, run ids and times, resolved as elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.naming import DatasetName
from lineage.query.names import resolve_dataset, resolve_job, resolve_run
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.cypher.canned import CannedQuery
    from lineage.query.records import Dataset, Job
    from lineage.query.session import Session

# The parameter of a name, and the parameter of its namespace.
_DATASETS = {"name": "namespace", "one": "one_namespace", "other": "other_namespace"}
_JOBS = {"job": "namespace"}
_TIMES = ("since", "until")


def bind_parameters(
    session: Session, query: CannedQuery, params: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of a query's parameters, with names replaced by canonical names.

    A namespace may be omitted if the name alone matches one dataset or job. Raises UsageError for
    a missing or unknown parameter and for an invalid time, NotFound or Ambiguous for a name.
    """
    bound = dict(params)
    for name, namespace in (_DATASETS | _JOBS).items():
        if name in query.params and namespace in query.params:
            bound.setdefault(namespace, None)
    query.check_parameters(bound)
    for time in _TIMES:
        if time in query.params:  # times of the graph are text in UTC, compared as text
            bound[time] = time_of(str(bound[time]))
    if "run_id" in query.params:
        bound["run_id"] = resolve_run(session, str(bound["run_id"]))
    for name, namespace in (_DATASETS | _JOBS).items():
        if name in query.params and namespace in query.params:
            entity = _resolve_entity(session, name, bound[namespace], str(bound[name]))
            bound[namespace], bound[name] = entity.namespace, entity.name
    return bound


def _resolve_entity(session: Session, param: str, namespace: object, name: str) -> Dataset | Job:
    if param in _JOBS:
        return resolve_job(session, name if namespace is None else f"{namespace}/{name}")
    return resolve_dataset(
        session, name if namespace is None else DatasetName(str(namespace), name).full_name
    )
