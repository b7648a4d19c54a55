"""The operations of the read API: a call of ``Graph`` with the values of a request.

Results are values of JSON, or files in the formats of other tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage.http.api.compact import compact_graph
from lineage.http.api.formats import render_result
from lineage.http.encoding import to_json
from lineage.query.archive import read_archive
from lineage.query.filters import Filters
from lineage.query.run_history import RunFilter
from lineage.query.timeline import Bin, EdgeChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.eventlog.listing import LoggedEvent
    from lineage.query import Graph
    from lineage.query.subgraph import Subgraph


def get_dataset_lineage(graph: Graph, values: dict[str, Any]) -> Any:
    filters = _read_filters(values, values["job"])
    trace = graph.dataset_lineage(values["dataset"], values["direction"], values["depth"], filters)
    return render_result(graph, trace, values["format"])


def get_neighbours(graph: Graph, values: dict[str, Any]) -> Any:
    neighbours = graph.neighbours(
        values["dataset"], values["direction"], _read_filters(values, values["job"]),
        text=values["text"], offset=values["offset"], time=values["time"],
    )  # fmt: skip
    parts = compact_graph([neighbours.root, *neighbours.nodes], neighbours.edges)
    return {**parts, "direction": neighbours.direction, "omitted": neighbours.omitted}


def get_subgraph(graph: Graph, values: dict[str, Any]) -> Any:
    filters = _read_filters(values, values["job"])
    subgraph = graph.subgraph(
        values["datasets"], values["columns_of"], filters, time=values["time"]
    )
    return render_result(graph, subgraph, values["format"], _compact_subgraph)


def _compact_subgraph(subgraph: Subgraph) -> dict[str, Any]:
    parts = compact_graph(subgraph.nodes, subgraph.edges, subgraph.column_edges)
    return {
        **parts, "missing": subgraph.missing, "full_names": subgraph.full_names,
        "omitted": subgraph.omitted,
    }  # fmt: skip


def get_timeline(graph: Graph, values: dict[str, Any]) -> Any:
    timeline = graph.timeline(
        values["datasets"], values["start"], values["end"],
        bins=values["bins"], observed=values["observed"], limit=values["limit"],
    )  # fmt: skip
    return {
        "start": timeline.start,
        "end": timeline.end,
        "fields": {"bins": Bin._fields, "changes": EdgeChange._fields},
        "bins": timeline.bins,
        "changes": timeline.changes,
        "omitted": timeline.omitted,
        "missing": timeline.missing,
        "archive": to_json(timeline.archive),
    }


def get_model(graph: Graph, values: dict[str, Any]) -> Any:
    model = graph.model(
        system=values["system"], node_type=values["node_type"], environment=values["environment"],
        around=values["around"], depth=values["depth"],
    )  # fmt: skip
    ids = sorted(node.node_id for node in model.nodes)
    omitted = len(ids) - values["limit"]
    if omitted <= 0:
        return {**model.to_dict(), "omitted": {}}
    first = model.select_nodes(frozenset(ids[: values["limit"]]))
    return {**first.to_dict(), "omitted": {"nodes": omitted}}


def get_job_lineage(graph: Graph, values: dict[str, Any]) -> Any:
    trace = graph.job_lineage(
        values["job"], values["direction"], values["depth"], _read_filters(values)
    )
    return render_result(graph, trace, values["format"])


def _read_filters(values: dict[str, Any], jobs: tuple[str, ...] = ()) -> Filters:
    return Filters(
        tuple(values["namespace"]), tuple(values["tag"]), tuple(jobs), tuple(values["job_type"]),
        values["since"], values["include_stale"], values["limit"], values["observed"],
        values["min_confidence"],
    )  # fmt: skip


def get_run_lineage(graph: Graph, values: dict[str, Any]) -> Any:
    options = {"limit": values["limit"], "perhaps": values["perhaps"]}
    if not values["runs"]:
        steps = graph.run_steps(values["run"], values["direction"], values["depth"], **options)
        return render_result(graph, steps, values["format"])
    lineage = graph.run_lineage(values["run"], values["direction"], values["depth"], **options)
    return render_result(graph, lineage, values["format"])


def get_dataset_lineage_at(graph: Graph, values: dict[str, Any]) -> Any:
    options = {"limit": values["limit"], "perhaps": values["perhaps"]}
    ask = graph.dataset_lineage_at if values["runs"] else graph.dataset_steps_at
    lineage = ask(values["dataset"], values["time"], values["depth"], **options)
    return render_result(graph, lineage, values["format"])


def get_column_lineage(graph: Graph, values: dict[str, Any]) -> Any:
    trace = graph.column_lineage(
        values["dataset"], values["column"], values["direction"], values["depth"],
        direct_only=values["direct_only"], observed=values["observed"], limit=values["limit"],
    )  # fmt: skip
    return render_result(graph, trace, values["format"])


def get_paths(graph: Graph, values: dict[str, Any]) -> Any:
    paths = graph.paths(
        values["source"], values["target"],
        all_paths=values["all_paths"], observed=values["observed"],
        min_confidence=values["min_confidence"], limit=values["limit"],
    )  # fmt: skip
    return render_result(graph, paths, values["format"])


def get_impact(graph: Graph, values: dict[str, Any]) -> Any:
    impact = graph.impact(
        values["dataset"], values["column"], values["depth"],
        window_days=values["window_days"], limit=values["limit"], observed=values["observed"],
        min_confidence=values["min_confidence"],
    )  # fmt: skip
    return render_result(graph, impact, values["format"])


def get_stats(graph: Graph, values: dict[str, Any]) -> Any:
    return to_json(graph.stats(values["window_days"], values["limit"]))


def get_dataset_diff(graph: Graph, values: dict[str, Any]) -> Any:
    times = values["start"], values["end"]
    return to_json(
        graph.dataset_diff(values["dataset"], *times, values["depth"], limit=values["limit"])
    )


def get_run_diff(graph: Graph, values: dict[str, Any]) -> Any:
    return to_json(graph.run_diff(values["before"], values["after"], limit=values["limit"]))


def get_root_cause(graph: Graph, values: dict[str, Any]) -> Any:
    root_cause = graph.root_cause(
        values["run"], values["depth"], last_failed=values["last_failed"], limit=values["limit"]
    )
    causes = [{**to_json(cause), "reason": cause.reason} for cause in root_cause.causes]
    return {**to_json(root_cause), "causes": causes}


def get_search(graph: Graph, values: dict[str, Any]) -> Any:
    kinds = None if values["kind"] is None else [values["kind"]]
    return _cut_list("hits", graph.search(values["text"], kinds, values["limit"] + 1), values)


def get_quality(graph: Graph, values: dict[str, Any]) -> Any:
    quality = graph.quality(
        values["dataset"], upstream=values["upstream"], failed=values["failed"],
        depth=values["depth"], limit=values["limit"],
    )  # fmt: skip
    return to_json(quality)


def get_run_quality(graph: Graph, values: dict[str, Any]) -> Any:
    return to_json(graph.run_quality(values["run"], failed=values["failed"], limit=values["limit"]))


def get_runs(graph: Graph, values: dict[str, Any]) -> Any:
    runs = graph.runs(values["limit"] + 1, _run_filter(values), offset=values["offset"])
    return _list_of_runs(graph, "runs", runs, values)


def get_job_runs(graph: Graph, values: dict[str, Any]) -> Any:
    runs = graph.job_runs(
        values["job"], values["limit"] + 1, _run_filter(values), offset=values["offset"]
    )
    return _list_of_runs(graph, "runs", runs, values)


def get_job_history(graph: Graph, values: dict[str, Any]) -> Any:
    history = graph.job_history(values["job"], values["limit"] + 1)
    return {**to_json(history), **_cut_list("runs", history.runs, values)}


def get_dataset_runs(graph: Graph, values: dict[str, Any]) -> Any:
    accesses = graph.dataset_runs(
        values["dataset"], values["limit"] + 1, _run_filter(values), offset=values["offset"]
    )
    return _list_of_runs(graph, "accesses", accesses, values)


def _list_of_runs(
    graph: Graph, name: str, records: Sequence[Any], values: dict[str, Any]
) -> dict[str, Any]:
    archive = to_json(read_archive(graph.session))
    return {**_cut_list(name, records, values), "archive": archive}


def _cut_list(name: str, records: Sequence[Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the records within the limit; one more was asked for, to know whether there is any."""
    limit = values["limit"]
    return {name: to_json(records[:limit]), "has_more": len(records) > limit}


def _run_filter(values: dict[str, Any]) -> RunFilter:
    return RunFilter(tuple(values["state"] or ()), values["since"], values["until"])


def get_dataset_columns(graph: Graph, values: dict[str, Any]) -> Any:
    columns = graph.dataset_columns(
        values["dataset"], values["text"],
        observed=values["observed"], limit=values["limit"], offset=values["offset"],
    )  # fmt: skip
    return to_json(columns)


def get_datasets(graph: Graph, values: dict[str, Any]) -> Any:
    datasets = graph.datasets(
        values["text"], values["limit"] + 1,
        namespaces=values["namespace"], tags=values["tag"], offset=values["offset"],
    )  # fmt: skip
    return _cut_list("datasets", datasets, values)


def get_jobs(graph: Graph, values: dict[str, Any]) -> Any:
    jobs = graph.jobs(
        values["text"], values["limit"] + 1, namespaces=values["namespace"], tags=values["tag"],
        types=values["job_type"], offset=values["offset"],
    )  # fmt: skip
    return _cut_list("jobs", jobs, values)


def get_events(graph: Graph, values: dict[str, Any]) -> Any:
    events = graph.events(
        values["limit"] + 1, run=values["run"], since=values["since"],
        rejected=values["rejected"], offset=values["offset"],
    )  # fmt: skip
    return _cut_list("events", [_event_body(event) for event in events], values)


def _event_body(event: LoggedEvent) -> dict[str, Any]:
    return {**to_json(event), "body": msgspec.Raw(event.body.encode())}
