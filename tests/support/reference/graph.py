"""Reference implementation of the graph, computed from the list of events.

It is not incremental: all events are sorted by time, and each function reads all of them.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from support.reference.declared import columns_of, declared, names
from support.reference.lineage_facet import derivations, with_explicit
from support.reference.lineage_facet import key as _key
from support.reference.repeated_entries import with_all_versions

if TYPE_CHECKING:
    import psycopg

Graph = dict[tuple[Any, ...], dict[str, Any]]

RANK = [None, "OTHER", "START", "RUNNING", "COMPLETE", "ABORT", "FAIL"]
ENDS = ("COMPLETE", "ABORT", "FAIL")
NO_ROWS = ("alter", "truncate", "drop")


def expected(texts: list[str]) -> Graph:
    """Return the graph of the events: vertices by (label, key), edges by (label, from, to)."""
    said = in_order(texts)
    canonical = _canonical(said)
    graph: Graph = {}

    mentions = [(canonical[_key(d)], time, _key(d), d) for time, e in said for d in _datasets_of(e)]
    for key in {key for key, *_ in mentions}:
        mine = [(time, d) for k, time, _, d in mentions if k == key]
        facets = _newest(d.get("facets", {}) for _, d in mine)
        graph["Dataset", key] = {
            "namespace": key[0], "name": key[1],
            "first_seen": mine[0][0], "last_seen": mine[-1][0],
            "tags": sorted(t["key"] for t in facets.get("tags", {}).get("tags", [])) or None,
            "attributes": {"type": t["datasetType"]} if (t := facets.get("datasetType")) else None,
            "aliases": sorted(_full(k) for k, to in canonical.items() if to == key and k != key)
            or None,
        }  # fmt: skip
        columns = dict(_columns(facets.get("schema", {})))
        # A column that is not in the newest schema exists if a columnLineage facet names it.
        for name in {*columns, *(c for k, c in _named(said) if canonical[k] == key)}:
            graph["Field", (*key, name)] = {
                "namespace": key[0], "dataset": key[1], "name": name, "type": columns.get(name),
            }  # fmt: skip
            graph["HAS_FIELD", key, (*key, name)] = {}

    # A name that only a withdrawn claim mentions has no times.
    for key in {to for to in canonical.values() if ("Dataset", to) not in graph}:
        graph["Dataset", key] = {"namespace": key[0], "name": key[1]}

    runs = [(time, e) for time, e in said if "run" in e]
    parents = [(time, e, e["run"]["facets"]["parent"]) for time, e in runs
               if "parent" in e["run"]["facets"]]  # fmt: skip
    for key in (
        {_key(e["job"]) for _, e in said if "job" in e}
        | {_key(p["job"]) for *_, p in parents}
        | {job for _, e in said for job in e.get("related jobs", ())}
    ):
        times = [t for t, e in said if "job" in e and _key(e["job"]) == key]
        times += [t for t, _, p in parents if _key(p["job"]) == key]
        times += [t for t, e in said if key in e.get("related jobs", ())]
        graph["Job", key] = {"namespace": key[0], "name": key[1],
                             "first_seen": min(times), "last_seen": max(times)}  # fmt: skip

    states: dict[str, Any] = {}
    fed_nothing: set[str] = set()
    for run in {e["run"]["runId"] for _, e in runs} | {p["run"]["runId"] for *_, p in parents}:
        mine = [(time, e.get("eventType")) for time, e in runs if e["run"]["runId"] == run]
        ends = [(time, RANK.index(state)) for time, state in mine if state in ENDS]
        rank = max(ends)[1] if ends else max((RANK.index(state) for _, state in mine), default=0)
        states[run] = RANK[rank]
        told = _newest(e["run"]["facets"] for _, e in runs if e["run"]["runId"] == run)
        batches = told.get("lineage_streaming_query", {}).get("facts", {}).get("batches", 0)
        if states[run] in ("FAIL", "ABORT") and not batches and not is_stream_that_ran(said, run):
            fed_nothing.add(run)
        graph["Run", run] = {
            "run_id": run, "state": states[run],
            "event_time": max((time for time, _ in mine), default=None),
            "started_at": min((time for time, state in mine if state == "START"), default=None),
            "ended_at": max(ends)[0] if ends else None,
            "contributing": (states[run] in ("FAIL", "ABORT") and run not in fed_nothing) or None,
        }  # fmt: skip

    for _, e, p in parents:
        child, parent = e["run"]["runId"], p["run"]["runId"]
        if child != parent:
            graph["PARENT", child, parent] = {}
        graph["EXECUTES", _key(p["job"]), parent] = {}

    fed: dict[tuple[Any, ...], dict[str, list[str]]] = {}
    for run, job in {(e["run"]["runId"], _key(e["job"])) for _, e in runs}:
        graph["EXECUTES", job, run] = {}
        mine = [(t, e) for t, e in runs if (e["run"]["runId"], _key(e["job"])) == (run, job)]
        for source, target in pairs_fed(mine, canonical) if run not in fed_nothing else ():
            fed.setdefault((source, target, job), {})[run] = [t for t, _ in mine]
    for (source, target, job), times in fed.items():
        graph["FEEDS", source, target, job] = {
            "job_namespace": job[0], "job": job[1], "runs": len(times),
            "first_seen": min(min(t) for t in times.values()),
            "last_seen": max(max(t) for t in times.values()),
        }  # fmt: skip

    derived: dict[tuple[Any, ...], dict[str, list[str]]] = {}
    for run, job in {(e["run"]["runId"], _key(e["job"])) for _, e in runs}:
        mine = [(t, e) for t, e in runs if (e["run"]["runId"], _key(e["job"])) == (run, job)]
        newest = {_key(d): d["facets"]["columnLineage"] for _, e in mine for d in e["outputs"]
                  if "columnLineage" in d["facets"]}  # fmt: skip
        for key, facet in newest.items():
            for (of, source), column, how in derivations(facet):
                target = (*canonical[key], column) if column else canonical[key]
                if run not in fed_nothing:
                    edge = ((*canonical[of], source), target, job, *how)
                    derived.setdefault(edge, {})[run] = [t for t, _ in mine]
    for (source, target, job, type, subtype, masking), times in derived.items():
        graph["DERIVES", source, target, job, type, subtype, masking] = {
            "type": type, "subtype": subtype, "masking": masking,
            "job_namespace": job[0], "job": job[1], "runs": len(times),
            "first_seen": min(min(t) for t in times.values()),
            "last_seen": max(max(t) for t in times.values()),
        }  # fmt: skip

    for label, source, target, job, *how, first, last in declared(said, canonical):
        if label == "pair" and any(
            key[:3] == ("FEEDS", source, target) and job in (None, key[3]) for key in graph
        ):
            for key in graph:
                if key[:3] == ("FEEDS", source, target) and job in (None, key[3]):
                    graph[key]["declared"] = True
            continue
        key = ("DECLARED", source, target, job, *how)
        namespace, name = job or (None, None)
        properties = dict(zip(("type", "subtype", "masking"), how, strict=bool(how)))
        old = graph.get(key, {"first_seen": first, "last_seen": last})
        graph[key] = {
            **properties, "job_namespace": namespace, "job": name,
            "first_seen": min(first, old["first_seen"]), "last_seen": max(last, old["last_seen"]),
        }  # fmt: skip

    for side, label in (("inputs", "INPUT_TO"), ("outputs", "OUTPUTS")):
        accesses: dict[tuple[Any, Any], list[tuple[str, Any]]] = {}
        for time, e in runs:
            for d in e[side]:
                accesses.setdefault((canonical[_key(d)], e["run"]["runId"]), []).append((time, d))
        for (key, run), mine in accesses.items():
            facets = _newest(d.get("facets", {}) for _, d in mine)
            change = facets.get("lifecycleStateChange", {}) if side == "outputs" else {}
            mode = change.get("lifecycleStateChange")
            statistics = _newest(d.get("outputFacets", {}) for _, d in mine)
            ends_of = (key, run) if side == "inputs" else (run, key)
            graph[(label, *ends_of)] = {
                "time": mine[0][0] if side == "inputs" else mine[-1][0],
                "version": facets.get("version", {}).get("datasetVersion"),
                "mode": mode and mode.lower(),
                "rows": statistics.get("outputStatistics", {}).get("rowCount")
                if side == "outputs" else None,
            }  # fmt: skip
    return {key: {k: v for k, v in properties.items() if v is not None}
            for key, properties in graph.items()}  # fmt: skip


def pairs_fed(mine: list[tuple[str, Any]], canonical: dict[Any, Any]) -> set[tuple[Any, Any]]:
    """Return the pairs of datasets that the events of a run, as a run of one job, connect.

    The sources of an output are those of all its lineage facets, else all inputs and those of its
    columns. Without such a facet, a change that writes no rows has none.
    """
    inputs = {canonical[_key(d)] for _, e in mine for d in e["inputs"]}
    said_of: dict[Any, set[Any] | None] = {_key(d): None for _, e in mine for d in e["outputs"]}
    for stated in (d for _, e in mine for d in e["outputs"] if "fed by" in d):
        said_of[_key(stated)] = (said_of[_key(stated)] or set()) | stated["fed by"]
    pairs = set()
    for name, by in said_of.items():
        stated = [d for _, e in mine for d in e["outputs"] if _key(d) == name]
        if not by and write_mode(stated) in NO_ROWS:
            continue
        sources = {canonical[each] for each in by if each is not ...} if by else set()
        if by is None or ... in by:
            sources |= inputs
        if by is None:
            also = {canonical[each] for d in stated for each in d.get("also fed by", ())}
            sources |= also - {canonical[name]}
        pairs |= {(source, canonical[name]) for source in sources}
    return pairs


def write_mode(items: list[Any]) -> str | None:
    """Return the mode of a write in lower case, from the facets of the output."""
    facets = _newest(d.get("facets", {}) for d in items)
    mode = facets.get("lifecycleStateChange", {}).get("lifecycleStateChange")
    of_write = _newest(d.get("outputFacets", {}) for d in items)
    mode = of_write.get("lineage_write", {}).get("mode", mode)
    return mode.lower() if mode else None


def is_stream_that_ran(said: list[tuple[str, Any]], run: str) -> bool:
    """Return whether events report the run as streaming and as RUNNING."""
    mine = [e for _, e in said if e.get("run", {}).get("runId") == run]
    return any(map(is_of_stream, mine)) and any(e.get("eventType") == "RUNNING" for e in mine)


def is_of_stream(event: Any) -> bool:
    """Return whether an event reports that its job runs until it is stopped."""
    job_type = event.get("job", {}).get("facets", {}).get("jobType", {})
    return job_type.get("processingType", "").upper() in ("STREAMING", "SERVICE")


def in_order(texts: list[str]) -> list[tuple[str, Any]]:
    """Return each distinct event with its time, sorted by time, then by digest."""
    events = sorted((_iso(e["eventTime"]), hashlib.sha256(t.encode()).hexdigest()[:16], t, e)
                    for t, e in ((t, json.loads(t)) for t in set(texts)))  # fmt: skip
    return [(time, with_explicit(with_all_versions(event))) for time, _, _, event in events]


def _canonical(said: list[tuple[str, Any]]) -> dict[Any, Any]:
    """Return the canonical name of each name."""
    owner: dict[Any, Any] = {}
    withdrawn = {_key(d): time for time, e in said for d in _datasets_of(e)
                 if d["facets"].get("symlinks", {}).get("_deleted")}  # fmt: skip
    claims = [(time, _key(link), _key(d)) for time, e in said for d in _datasets_of(e)
              for link in d["facets"].get("symlinks", {}).get("identifiers", [])
              if time > withdrawn.get(_key(d), "")]  # fmt: skip
    for _, alias, of in sorted(
        (c for c in claims if c[1] != c[2]), key=lambda c: c[2], reverse=True
    ):
        owner.setdefault(alias, of)
    for alias in owner:
        newest = max(time for time, a, of in claims if a == alias and of != alias)
        owner[alias] = min(of for t, a, of in claims if (t, a) == (newest, alias) and of != alias)
    names = {_key(d) for _, e in said for d in _datasets_of(e)} | set(owner)
    names |= {_key(link) for _, e in said for d in _datasets_of(e)
              for link in d["facets"].get("symlinks", {}).get("identifiers", [])}  # fmt: skip
    result = {}
    for name in names:
        path = [name]
        while path[-1] in owner and owner[path[-1]] not in path:
            path.append(owner[path[-1]])
        end = owner.get(path[-1])
        result[name] = min(path[path.index(end):]) if end else path[-1]  # fmt: skip
    return result


def _datasets_of(event: Any) -> list[Any]:
    if "dataset" in event:
        named = [{"namespace": key[0], "name": key[1], "facets": {}} for key in names(event)]
        return [event["dataset"], *named]
    sources = [{"namespace": key[0], "name": key[1], "facets": {}}
               for facet in _mappings(event) for (key, _), *_ in derivations(facet)]  # fmt: skip
    sources += [{"namespace": key[0], "name": key[1], "facets": {}}
                for d in event["outputs"] for key in d.get("fed by", set()) - {...}]  # fmt: skip
    sources += [{"namespace": key[0], "name": key[1], "facets": {}} for key in names(event)]
    return sources + event["inputs"] + event["outputs"]


def _mappings(event: Any) -> list[Any]:
    """Return the columnLineage facets that apply: those of the outputs of runs."""
    outputs = event["outputs"] if "run" in event else []
    return [d["facets"]["columnLineage"] for d in outputs if "columnLineage" in d["facets"]]


def _named(said: list[tuple[str, Any]]) -> set[tuple[Any, str]]:
    """Return each (dataset, column) in the columnLineage facets and designs that apply."""
    found = set()
    for _, event in said:
        for d in event["outputs"] if "run" in event else []:
            for source, column, _ in derivations(d["facets"].get("columnLineage", {"fields": {}})):
                found.add(source)
                if column:
                    found.add((_key(d), column))
        for target, source, column, _ in columns_of(event):
            found.add(source)
            if column:
                found.add((target, column))
    return found


def _columns(facet: Any, within: str = "") -> list[tuple[str, str]]:
    found = []
    for field in facet.get("fields", []):
        found.append((within + field["name"], field["type"]))
        found += _columns(field, f"{within}{field['name']}.")
    return found


def _newest(stated: Any) -> dict[str, Any]:
    return {name: body for facets in stated for name, body in facets.items()}


def _full(key: tuple[str, str]) -> str:
    return f"{key[0]}/{key[1]}"


def _iso(text: str) -> str:
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def clear(conn: psycopg.Connection[Any]) -> None:
    """Empty log, facts and graph.

    For a few rows this is faster than TRUNCATE or another database.
    """
    tables = conn.execute(
        "SELECT format('DELETE FROM %s;', oid::regclass) FROM pg_class WHERE relkind = 'r'"
        " AND relnamespace IN ('lineage'::regnamespace, 'provenance'::regnamespace)"
        " AND relname NOT IN ('migration', 'function_set')"
    )
    conn.execute("".join(statement for (statement,) in tables).encode())


def assert_jobs_of_datasets(conn: psycopg.Connection[Any]) -> None:
    """Check that the jobs of each dataset are those of its accesses, archived ones included."""
    differing = conn.execute(
        "(SELECT dataset, output, job FROM lineage.access"
        "  EXCEPT SELECT dataset, output, job FROM lineage.dataset_job)"
        " UNION ALL"
        " (SELECT dataset, output, job FROM lineage.dataset_job"
        "  WHERE NOT EXISTS (SELECT FROM lineage.run_archive)"
        "  EXCEPT SELECT dataset, output, job FROM lineage.access)"
    ).fetchall()
    assert differing == []


def stored(conn: psycopg.Connection[Any]) -> Graph:
    """Return the graph of the database in the form of ``expected``."""
    assert_jobs_of_datasets(conn)
    key: dict[int, Any] = {}
    graph: Graph = {}
    for id, label, text in conn.execute(
        "SELECT v.id::text, l.name, v.properties::text FROM provenance._ag_label_vertex v"
        " JOIN ag_catalog.ag_label l ON l.relation = v.tableoid"
    ):
        properties = json.loads(text)
        key[id] = (
            properties["run_id"] if label == "Run"
            else (properties["namespace"], properties["dataset"], properties["name"])
            if label == "Field" else _key(properties)
        )  # fmt: skip
        assert (label, key[id]) not in graph, f"{label} {key[id]} is there twice"
        graph[label, key[id]] = properties
    for start, end, label, text in conn.execute(
        "SELECT e.start_id::text, e.end_id::text, l.name, e.properties::text"
        " FROM provenance._ag_label_edge e JOIN ag_catalog.ag_label l ON l.relation = e.tableoid"
    ):
        properties = json.loads(text)
        name: tuple[Any, ...] = (label, key[start], key[end])
        if label in ("FEEDS", "DERIVES"):
            name += ((properties["job_namespace"], properties["job"]),)
        if label == "DECLARED":
            job = properties.get("job_namespace"), properties.get("job")
            name += (None if job == (None, None) else job,)
        if label == "DERIVES" or "type" in properties:
            name += tuple(properties.get(each) for each in ("type", "subtype", "masking"))
        assert name not in graph, f"{name} is there twice"
        graph[name] = properties
    return graph
