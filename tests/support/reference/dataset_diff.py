"""Reference implementation of diffs of datasets and runs, computed from the list of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.reference.graph import _canonical, _columns, _datasets_of, _key, _newest, in_order

if TYPE_CHECKING:
    from support.reference.run_lineage import Log

Made = dict[tuple[Any, str | None, Any], int]


def made_of(log: Log, dataset: tuple[str, str], at: str) -> Made:
    """Return (dataset, run, job) of each visible write of ``dataset``, with its distance.

    The writes visible to their runs are included, transitively.
    """
    made: Made = {}
    done: set[Any] = set()
    distance = 1
    reads = [(None, log.with_views(None, {(dataset, None): (at, at)}))]
    while reads:
        following = []
        for run, of_run in reads:
            for (name, version), (first, last) in of_run.items():
                seen = list(log.seen(name, first, last, version, run))
                for writer, of in seen or [(None, None)]:
                    made.setdefault((name, writer, of), distance)
                following += [who for who in seen if not log.is_definition(*who, name)]
        level = [who for who in dict.fromkeys(following) if who not in done]
        done |= set(level)
        reads = [(run, log.reads(run, job)) for run, job in level]
        distance += 1
    return {key: at for key, at in made.items() if key != (dataset, None, None) or at > 1}


def changes(before: dict[Any, int], after: dict[Any, int]) -> set[tuple[str, Any, int]]:
    """Return (change, key, distance) of each key that only one of the two contains."""
    return {("added", thing, after[thing]) for thing in after.keys() - before.keys()} | {
        ("removed", thing, before[thing]) for thing in before.keys() - after.keys()
    }


def least(made: Made, part: int) -> dict[Any, int]:
    """Return the least distance of each dataset (part 0), run (1) or job (2)."""
    found: dict[Any, int] = {}
    for key, distance in made.items():
        if key[part] is not None:
            found[key[part]] = min(distance, found.get(key[part], distance))
    return found


def schema(texts: list[str], dataset: tuple[str, str], at: str) -> dict[str, str] | None:
    """Return the columns of a dataset in its newest schema facet up to ``at``."""
    said = in_order(texts)
    canonical = _canonical(said)
    newest = None
    for time, event in said:
        for stated in _datasets_of(event):
            if time <= at and canonical[_key(stated)] == dataset:
                newest = stated["facets"].get("schema", newest)
    return None if newest is None else dict(_columns(newest))


def run_told(log: Log, texts: list[str], run: str) -> dict[Any, Any]:
    """Return the compared properties of a run by (part, dataset, key)."""
    mine = [(time, e) for time, e in in_order(texts) if e.get("run", {}).get("runId") == run]
    told: dict[Any, Any] = {("run", None, "state"): log.graph["Run", run].get("state")}
    for name, facet in _newest(e["run"]["facets"] for _, e in mine).items():
        if name == "processing_engine":
            told["run", None, "run.processing_engine.version"] = facet["version"]
    for part, side in (("input", "inputs"), ("output", "outputs")):
        items = [(log.canonical[_key(d)], d) for _, e in mine for d in e[side]]
        for name in {name for name, _ in items}:
            told[part, name, "dataset"] = name
            stated = _newest(d.get("outputFacets", {}) for n, d in items if n == name)
            if part == "output":
                told[part, name, "rows"] = stated.get("outputStatistics", {}).get("rowCount")
            if part == "input":
                jobs = {_key(e["job"]) for _, e in mine}
                reads = [
                    (read, seen)
                    for job in jobs
                    for read, (first, last) in log.reads(run, job).items()
                    if read[0] == name
                    for seen in [log.seen(name, first, last, read[1], run)]
                ]
                told[part, name, "version"] = {v for (_, v), _ in reads if v}
                told[part, name, "written by"] = {
                    f"{who} {'by version' if exact else 'by time'}"
                    for _, seen in reads
                    for (who, _), exact in seen.items()
                }
    return {key: value for key, value in told.items() if value not in (None, set())}
