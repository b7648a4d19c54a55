"""Call the library for each read operation, and give what it answers as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage.http.encoding import plain
from lineage.query.filters import Filters

if TYPE_CHECKING:
    from lineage.eventlog.listing import Logged
    from lineage.query import Provenance


def dataset_lineage(graph: Provenance, given: dict[str, Any]) -> Any:
    filters = _filters(given)
    return plain(graph.trace(given["dataset"], given["direction"], given["depth"], filters))


def job_lineage(graph: Provenance, given: dict[str, Any]) -> Any:
    filters = _filters(given)
    return plain(graph.trace_jobs(given["name"], given["direction"], given["depth"], filters))


def _filters(given: dict[str, Any]) -> Filters:
    return Filters(
        given["namespace"], given["tag"], given.get("job", ()), given["type"],
        given["since"], given["stale"], given["limit"], given.get("observed", False),
    )  # fmt: skip


def run_lineage(graph: Provenance, given: dict[str, Any]) -> Any:
    said = {"limit": given["limit"], "perhaps": given["perhaps"]}
    if not given["runs"]:
        return plain(graph.run_steps(given["run"], given["direction"], given["depth"], **said))
    ask = graph.read_by if given["direction"] == "upstream" else graph.read_from
    return plain(ask(given["run"], given["depth"], **said))


def dataset_lineage_at(graph: Provenance, given: dict[str, Any]) -> Any:
    said = {"limit": given["limit"], "perhaps": given["perhaps"]}
    ask = graph.at if given["runs"] else graph.steps_at
    return plain(ask(given["dataset"], given["at"], given["depth"], **said))


def column_lineage(graph: Provenance, given: dict[str, Any]) -> Any:
    ask = graph.upstream_columns if given["direction"] == "upstream" else graph.downstream_columns
    found = ask(
        given["dataset"], given["column"], given["depth"], indirect=given["indirect"],
        observed=given["observed"], limit=given["limit"],
    )  # fmt: skip
    return plain(found)


def paths(graph: Provenance, given: dict[str, Any]) -> Any:
    found = graph.path(
        given["source"], given["target"], every=given["all"], observed=given["observed"],
        limit=given["limit"],
    )  # fmt: skip
    return plain(found)


def impact(graph: Provenance, given: dict[str, Any]) -> Any:
    found = graph.impact(
        given["dataset"], given["column"], given["depth"], days=given["days"], limit=given["limit"],
        observed=given["observed"],
    )  # fmt: skip
    return plain(found)


def stats(graph: Provenance, given: dict[str, Any]) -> Any:
    return plain(graph.stats(given["days"], given["limit"]))


def dataset_diff(graph: Provenance, given: dict[str, Any]) -> Any:
    times = given["from"], given["to"]
    return plain(graph.diff(given["dataset"], *times, given["depth"], limit=given["limit"]))


def run_diff(graph: Provenance, given: dict[str, Any]) -> Any:
    return plain(graph.diff_runs(given["before"], given["after"], limit=given["limit"]))


def root_cause(graph: Provenance, given: dict[str, Any]) -> Any:
    found = graph.root_cause(
        given["run"], given["depth"], last_failed=given["last_failed"], limit=given["limit"]
    )
    causes = [{**plain(cause), "reason": cause.reason} for cause in found.causes]
    return {**plain(found), "causes": causes}


def search(graph: Provenance, given: dict[str, Any]) -> Any:
    kinds = None if given["kind"] is None else [given["kind"]]
    return {"hits": plain(graph.search(given["words"], kinds, given["limit"]))}


def quality(graph: Provenance, given: dict[str, Any]) -> Any:
    found = graph.quality(
        given["dataset"], upstream=given["upstream"], failed=given["failed"],
        depth=given["depth"], limit=given["limit"],
    )  # fmt: skip
    return plain(found)


def run_quality(graph: Provenance, given: dict[str, Any]) -> Any:
    return plain(graph.run_quality(given["run"], failed=given["failed"], limit=given["limit"]))


def job_runs(graph: Provenance, given: dict[str, Any]) -> Any:
    return {"runs": plain(graph.runs_of_job(given["job"], given["limit"]))}


def dataset_runs(graph: Provenance, given: dict[str, Any]) -> Any:
    return {"accesses": plain(graph.runs(given["dataset"], given["limit"]))}


def events(graph: Provenance, given: dict[str, Any]) -> Any:
    found = graph.events(
        given["limit"], run=given["run"], since=given["since"], failed=given["failed"]
    )
    return {"events": [_event(event) for event in found]}


def _event(event: Logged) -> dict[str, Any]:
    return {**plain(event), "body": msgspec.Raw(event.body.encode())}
