"""Lineage facets of a run: the inputs that fed each output.

The inputs of an output are stored as a facet of the access. Those of several events of the run are
merged: each event adds to the lineage of the run. FEEDS uses these inputs; only outputs without the
facet are fed by all inputs of the run.

An output without a lineage facet may have column lineage from datasets that are no inputs. These
are stored in the same form, beside the job, which stands for its inputs. A lineage facet of any
event of the run replaces them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Raw, json

from lineage.openlineage import ExplicitLineage, TargetLineage, explicit_lineage, previous_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.events.states import EntityState
    from lineage.openlineage import ColumnLineage, Facets, RunEvent
    from lineage.openlineage.events import Name

    Access: TypeAlias = tuple[tuple[Name, bool], Facets, ColumnLineage | None]

FACET = "lineage"
_LIFECYCLE = "lifecycleStateChange"
# The facets of an output that report how it was changed, and the changes that write no rows, as in
# lineage.writes_rows().
_MODES = {"lineage_write": "mode", _LIFECYCLE: "lifecycleStateChange"}
_NO_ROWS = frozenset({"alter", "truncate", "drop"})
_NULL = Raw(b"null")
_OWN_JOB = {"type": "JOB"}
# The job, beside sources that only column lineage names; see lineage.has_column_sources().
_JOB_OF_COLUMNS = {**_OWN_JOB, "from": "columnLineage"}


def of_run(event: RunEvent) -> ExplicitLineage | None:
    """Read the explicit lineage of a run event; None if it has none.

    A renamed dataset has its rows from its previous name, which openlineage-spark does not report
    as an input.
    """
    explicit = _read_facets(event)
    renamed = {name: previous for name, previous in _renamed_outputs(event) if name != previous}
    if not renamed:
        return explicit
    explicit = explicit or ExplicitLineage({}, ())
    targets = dict(explicit.targets)
    for name, previous in renamed.items():
        known = targets.get(name) or TargetLineage((), not explicit.is_complete, None)
        sources = tuple(sorted({*known.sources, previous}))
        targets[name] = replace(known, sources=sources)
    # Other outputs are not fed by the previous name.
    reads = set(renamed.values()) if len(event.outputs) == 1 else set()
    return replace(explicit, targets=targets, reads=tuple(sorted(reads.union(explicit.reads))))


def _renamed_outputs(event: RunEvent) -> Iterator[tuple[Name, Name]]:
    inputs = {dataset.key for dataset in event.inputs}
    for dataset in event.outputs:
        facet = dataset.facets.get(_LIFECYCLE, _NULL)
        if facet == _NULL or (previous := previous_name(bytes(facet))) is None:
            continue
        if previous not in inputs:
            yield dataset.key, previous


def _read_facets(event: RunEvent) -> ExplicitLineage | None:
    """Read the lineage facets of a run event; None if it has none."""
    of_job = event.job.facets.get(FACET, _NULL)
    of_outputs = tuple(
        (dataset.key, bytes(body))
        for dataset in event.outputs
        if (body := dataset.facets.get(FACET, _NULL)) != _NULL
    )
    if of_job == _NULL and not of_outputs:
        return None
    return explicit_lineage(event.job.key, bytes(of_job) if of_job != _NULL else None, of_outputs)


def accesses_of_run(
    reported: Sequence[Access], explicit: ExplicitLineage
) -> tuple[list[Access], tuple[Name, ...]]:
    """Return the accesses of a run with their explicit sources, and the datasets that these name.

    A target that is not reported as an output becomes one. A source that is not reported as an
    input does not become one: the other outputs of the run were not made from it.
    """
    result: list[Access] = []
    missing = dict(explicit.targets)
    for (name, is_output), facets, columns in reported:
        target = explicit.targets.get(name) if is_output else None
        if target is not None:
            missing.pop(name, None)
            facets = {**facets, FACET: _encode_sources(target.sources, target.from_job)}
            columns = target.columns or columns
        elif is_output and explicit.is_complete:
            facets, columns = {**facets, FACET: _encode_sources((), False)}, None
        result.append(((name, is_output), facets, columns))
    for name, target in missing.items():
        body = _encode_sources(target.sources, target.from_job)
        result.append(((name, True), {FACET: body}, target.columns))
    inputs = {name for (name, is_output), *_ in reported if not is_output}
    result += [((name, False), {}, None) for name in explicit.reads if name not in inputs]
    named = {*explicit.targets, *explicit.reads}
    named.update(*(target.sources for target in explicit.targets.values()))
    return result, tuple(sorted(named))


def add_column_sources(accesses: Sequence[Access]) -> tuple[list[Access], set[Name]]:
    """Add the sources that only column lineage names; return also them and their outputs.

    An output that names itself, as one of MERGE does, is not fed by another dataset.
    """
    result, added = list(accesses), set()
    inputs = {name for (name, is_output), *_ in accesses if not is_output}
    for place, ((name, is_output), facets, columns) in enumerate(accesses):
        if not is_output or columns is None or FACET in facets:
            continue
        if sources := set(columns.sources) - inputs - {name}:
            body = _encode_inputs(sorted(sources), _JOB_OF_COLUMNS)
            result[place] = (name, is_output), {**facets, FACET: body}, columns
            added |= {name, *sources}
    return result, added


def add_facets(access: EntityState, revision: str, facets: Facets) -> None:
    """Merge facets of an access: sources are united, of other facets the greater revision wins.

    Equal to lineage.merge_access_facets().
    """
    known = access.facets.get(FACET)
    access.add_facets(revision, facets)
    if known is not None and FACET in facets:
        access.facets[FACET] = _unite_inputs(known, (revision, facets[FACET]))


def _unite_inputs(known: tuple[str, Raw], new: tuple[str, Raw]) -> tuple[str, Raw]:
    both = [json.decode(body)["inputs"] for _, body in (known, new)]
    of_columns = [_JOB_OF_COLUMNS in inputs for inputs in both]
    if of_columns[0] != of_columns[1]:
        return new if of_columns[0] else known
    inputs = [each for inputs in both for each in inputs]
    sources = {(each["namespace"], each["name"]) for each in inputs if each["type"] != "JOB"}
    jobs = [each for each in inputs if each["type"] == "JOB"]
    return max(known[0], new[0]), _encode_inputs(sorted(sources), *jobs[:1])


def may_write_no_rows(facets: Facets) -> bool:
    """Return whether a facet of an output reports a change without rows.

    Where the mode is reported twice, lineage.write_mode() decides.
    """
    return any(
        str(body.get(key)).lower() in _NO_ROWS
        for facet, key in _MODES.items()
        if facet in facets and isinstance(body := json.decode(facets[facet]), dict)
    )


def _encode_sources(sources: Iterable[Name], from_job: bool) -> Raw:
    """Return sources as a lineage facet in its shortest form."""
    return _encode_inputs(sources, *([_OWN_JOB] if from_job else []))


def _encode_inputs(sources: Iterable[Name], *jobs: dict[str, str]) -> Raw:
    inputs = [{"namespace": ns, "name": name, "type": "DATASET"} for ns, name in sources]
    return Raw(json.encode({"inputs": [*inputs, *jobs]}))
