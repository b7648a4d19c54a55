"""Call the library for each read operation, and give what it answers as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage.http.encoding import plain
from lineage.query.filters import Filters

if TYPE_CHECKING:
    from lineage.eventlog.listing import Logged
    from lineage.query import Graph


def dataset_lineage(graph: Graph, given: dict[str, Any]) -> Any:
    filters = _filters(given)
    return plain(
        graph.dataset_lineage(given["dataset"], given["direction"], given["depth"], filters)
    )


def job_lineage(graph: Graph, given: dict[str, Any]) -> Any:
    filters = _filters(given)
    return plain(graph.job_lineage(given["name"], given["direction"], given["depth"], filters))


def _filters(given: dict[str, Any]) -> Filters:
    return Filters(
        given["namespace"], given["tag"], given.get("job", ()), given["type"],
        given["since"], given["stale"], given["limit"], given.get("observed", False),
    )  # fmt: skip


def run_lineage(graph: Graph, given: dict[str, Any]) -> Any:
    said = {"limit": given["limit"], "perhaps": given["perhaps"]}
    if not given["runs"]:
        return plain(graph.run_steps(given["run"], given["direction"], given["depth"], **said))
    return plain(graph.run_lineage(given["run"], given["direction"], given["depth"], **said))


def dataset_lineage_at(graph: Graph, given: dict[str, Any]) -> Any:
    said = {"limit": given["limit"], "perhaps": given["perhaps"]}
    ask = graph.dataset_lineage_at if given["runs"] else graph.dataset_steps_at
    return plain(ask(given["dataset"], given["at"], given["depth"], **said))


def column_lineage(graph: Graph, given: dict[str, Any]) -> Any:
    found = graph.column_lineage(
        given["dataset"], given["column"], given["direction"], given["depth"],
        indirect=given["indirect"], observed=given["observed"], limit=given["limit"],
    )  # fmt: skip
    return plain(found)


def paths(graph: Graph, given: dict[str, Any]) -> Any:
    found = graph.paths(
        given["source"], given["target"], all_paths=given["all"], observed=given["observed"],
        limit=given["limit"],
    )  # fmt: skip
    return plain(found)


def impact(graph: Graph, given: dict[str, Any]) -> Any:
    found = graph.impact(
        given["dataset"], given["column"], given["depth"], days=given["days"], limit=given["limit"],
        observed=given["observed"],
    )  # fmt: skip
    return plain(found)


def stats(graph: Graph, given: dict[str, Any]) -> Any:
    return plain(graph.stats(given["days"], given["limit"]))


def dataset_diff(graph: Graph, given: dict[str, Any]) -> Any:
    times = given["from"], given["to"]
    return plain(graph.dataset_diff(given["dataset"], *times, given["depth"], limit=given["limit"]))


def run_diff(graph: Graph, given: dict[str, Any]) -> Any:
    return plain(graph.run_diff(given["before"], given["after"], limit=given["limit"]))


def root_cause(graph: Graph, given: dict[str, Any]) -> Any:
    found = graph.root_cause(
        given["run"], given["depth"], last_failed=given["last_failed"], limit=given["limit"]
    )
    causes = [{**plain(cause), "reason": cause.reason} for cause in found.causes]
    return {**plain(found), "causes": causes}


def search(graph: Graph, given: dict[str, Any]) -> Any:
    kinds = None if given["kind"] is None else [given["kind"]]
    return {"hits": plain(graph.search(given["words"], kinds, given["limit"]))}


def quality(graph: Graph, given: dict[str, Any]) -> Any:
    found = graph.quality(
        given["dataset"], upstream=given["upstream"], failed=given["failed"],
        depth=given["depth"], limit=given["limit"],
    )  # fmt: skip
    return plain(found)


def run_quality(graph: Graph, given: dict[str, Any]) -> Any:
    return plain(graph.run_quality(given["run"], failed=given["failed"], limit=given["limit"]))


def job_runs(graph: Graph, given: dict[str, Any]) -> Any:
    return {"runs": plain(graph.job_runs(given["job"], given["limit"]))}


def dataset_runs(graph: Graph, given: dict[str, Any]) -> Any:
    return {"accesses": plain(graph.dataset_runs(given["dataset"], given["limit"]))}


def events(graph: Graph, given: dict[str, Any]) -> Any:
    found = graph.events(
        given["limit"], run=given["run"], since=given["since"], failed=given["failed"]
    )
    return {"events": [_event(event) for event in found]}


def _event(event: Logged) -> dict[str, Any]:
    return {**plain(event), "body": msgspec.Raw(event.body.encode())}
