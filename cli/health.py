"""``lineage orphans``, ``cycles`` and ``stats``: properties of the whole graph."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from lineage.query.health import find_cycles, find_orphans
from lineage.query.session import Session
from lineage.query.stats import collect_stats

from . import options
from .archived_runs import report_archive
from .output import job_names, render, terminal, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.query.health import Cycles, Orphans
    from lineage.query.source_usage import Source
    from lineage.query.stats import Stats

TITLES = {
    "unused": "UNUSED: written, but without readers",
    "external source": "EXTERNAL SOURCES: read, and no run wrote them, except failed runs",
    "unreferenced": "UNREFERENCED: only named, or only to be written by failed runs",
    "job": "JOBS that never wrote, neither did runs that they started",
}
ORPHAN_COLUMNS = ["kind", "name", "last_seen"]
CYCLE_COLUMNS = ["cycle", "datasets", "source", "target", "job", "runs", "last_seen"]
STATS_COLUMNS = ["section", "name", "number"]

limit = options.limit_option(50, "Maximum number of entries; the others are counted")


@click.command()
@limit
@options.format_option("text", *render.ROWS)
@options.dsn
def orphans(limit: int, form: str, dsn: str | None) -> None:
    """List datasets without a reader or a writer, and jobs that never wrote.

    \b
    unused           datasets written by a run that did not fail, without a reader: no
                     other dataset is made from it, and only jobs that write it read
                     it, as MERGE does; a use by a design counts
    external source  datasets that a run read, and that no run wrote, except runs that
                     failed
    unreferenced     datasets that are only named, or were to be written by failed runs
    job              jobs that never wrote in a run that did not fail, nor in a run that
                     one of these started

    The limit is for each kind; entries named last come first. A reader that reports no
    events is not in the log.

    \b
    Examples:
      lineage orphans
      lineage orphans --format jsonl --limit 0 | jq -r 'select(.kind == "unused").name'
    """
    with Session(dsn) as session:
        result = find_orphans(session, limit)
        options.note_if_empty(session, result.orphans)
    if form == "text":
        terminal.write_fitting_lines(list(_orphan_lines(result)) or ["There are none."])
    else:
        rows = [
            {"kind": each.kind, "name": each.entity.full_name, "last_seen": each.last_seen}
            for each in result.orphans
        ]
        render.emit_rows(rows, form, ORPHAN_COLUMNS)
        _report_omitted(sum(result.counts.values()) - len(result.orphans))


def _orphan_lines(orphans: Orphans) -> Iterator[str]:
    first = True
    for kind, count in orphans.counts.items():
        of_kind = [each for each in orphans.orphans if each.kind == kind]
        lines = [
            f"{render.format_time(each.last_seen):<20}  {each.entity.full_name}" for each in of_kind
        ]
        if count > len(of_kind):
            lines.append(f"and {count - len(of_kind):,} more; --limit 0 shows all")
        if of_kind:
            yield from () if first else ("",)
            yield from (f"{TITLES[kind]} ({count:,})", *lines)
            first = False


@click.command()
@limit
@options.observed
@options.format_option("text", *render.ROWS)
@options.dsn
def cycles(limit: int, observed: bool, form: str, dsn: str | None) -> None:
    """List datasets that feed each other, and datasets that feed themselves.

    A cycle is a strongly connected component of FEEDS and DECLARED: a maximal set of datasets each
    of which feeds each other, directly or through others. For each cycle, a shortest path around it
    is shown. A dataset feeds itself if a job that reads it also writes it, as MERGE does. This is
    not an error.

    \b
    Examples:
      lineage cycles
      lineage paths silver/customers silver/customers --all-paths   # one cycle, all edges
      lineage cycles --format jsonl | jq -r 'select(.datasets > 1).job' | sort -u
    """
    with Session(dsn) as session:
        result = find_cycles(session, limit, observed=observed)
    if form == "text":
        terminal.write_fitting_lines(_cycle_lines(result))
    else:
        render.emit_rows(_cycle_rows(result), form, CYCLE_COLUMNS)
        _report_omitted(result.total - len(result.components))


def _cycle_lines(result: Cycles) -> Iterator[str]:
    names = job_names.of_records(edge for cycle in result.components for edge in cycle.edges)
    loops = (
        "1 dataset fed by itself"
        if result.self_loops == 1
        else f"{result.self_loops:,} datasets fed by themselves"
    )
    cycles = f"{result.cycles:,} cycle{'' if result.cycles == 1 else 's'}"
    yield f"{cycles} of more than one dataset; {loops}."
    for cycle in result.components:
        if len(cycle.datasets) > 1:
            much = f"{len(cycle.datasets):,} datasets, {len(cycle.edges):,} edges"
            yield from ("", f"{much}; a shortest path around it:")
            yield cycle.path[0].full_name
            for source, target in pairwise(cycle.path):
                edges = [e for e in cycle.edges if (e.source, e.target) == (source, target)]
                yield f"  ─▶ {target.full_name}  {tree.describe_jobs(edges, names)}"
    if alone := [cycle for cycle in result.components if len(cycle.datasets) == 1]:
        yield from ("", "FED BY THEMSELVES, and not on another cycle")
        yield from (
            f"{each.datasets[0].full_name}  {tree.describe_jobs(each.edges, names)}"
            for each in alone
        )
    if left := result.total - len(result.components):
        yield from ("", f"and {left:,} more; --limit 0 shows all")


def _cycle_rows(cycles: Cycles) -> list[dict[str, Any]]:
    """Return a row for each edge, with the number of its cycle and the size of the cycle."""
    from lineage.export.dataset_lineage import edge_row

    return [
        {"cycle": number, "datasets": len(cycle.datasets), **edge_row(edge)}
        for number, cycle in enumerate(cycles.components, start=1)
        for edge in cycle.edges
    ]


def _report_omitted(number: int) -> None:
    if number:
        terminal.write_line(f"Omitted: {number:,}. --limit 0 shows all.", err=True)


@click.command()
@options.window_days("Days before the newest event in which reads are counted.")
@options.limit_option(10, "Maximum number of sources.")
@options.format_option("text", *render.ROWS)
@options.dsn
def stats(window_days: int, limit: int, form: str, dsn: str | None) -> None:
    """Show the numbers of vertices, edges and runs, the size in bytes, and the most used sources.

    Components are weakly connected components of FEEDS with at least two datasets. A source is a
    dataset that a run read and that no run wrote, except runs that failed. All numbers are exact,
    not estimates; on a large graph, counting takes some seconds.

    \b
    Examples:
      lineage stats
      lineage stats --format json | jq .sizes.database
    """
    with Session(dsn) as session:
        result = collect_stats(session, window_days, limit)
        options.note_if_empty(session, result.events)
    if form == "text":
        terminal.write_fitting_lines(_stats_lines(result))
    elif form == "json":
        click.echo(render.json_text(_stats_object(result), indent=2))
    else:
        render.emit_rows(_stats_rows(result), form, STATS_COLUMNS)
    report_archive(result.archive)


def _stats_lines(stats: Stats) -> Iterator[str]:
    yield from _section_lines("VERTICES", stats.vertices)
    yield from _section_lines("EDGES", stats.edges)
    if stats.assets_by_type:
        yield from _section_lines("ASSETS by type", stats.assets_by_type)
        yield from _section_lines("ASSETS by system", stats.assets_by_system)
    yield from _section_lines("RUNS", stats.runs)
    yield from ("", "LOG", f"events  {stats.events:,}")
    yield f"newest  {render.format_time(stats.until) or 'none'}"
    yield from ("", "BYTES")
    width = max(map(len, stats.sizes))
    yield from (f"{part:<{width}}  {_format_bytes(size)}" for part, size in stats.sizes.items())
    components = {
        "components": stats.components,
        "datasets of the largest": stats.largest_component,
        "isolated datasets": stats.isolated,
    }
    yield from _section_lines("SHAPE", components)
    if stats.most_downstream:
        yield from ("", f"SOURCES with the most datasets downstream, of {stats.sources:,}")
        yield from _source_lines(stats.most_downstream)
    if stats.most_read:
        days = f"the {stats.window_days:,} days before the newest event"
        yield from ("", f"SOURCES read by the most runs in {days}")
        yield from _source_lines(stats.most_read)


def _section_lines(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    names = max(map(len, counts), default=0)
    numbers = max((len(f"{number:,}") for number in counts.values()), default=0)
    yield from (title,) if title == "VERTICES" else ("", title)
    yield from (f"{name:<{names}}  {f'{number:,}':>{numbers}}" for name, number in counts.items())


def _source_lines(sources: tuple[Source, ...]) -> Iterator[str]:
    rows = [
        {
            "dataset": str(s.dataset),
            "downstream": f"{s.downstream:,}",
            "read by runs": f"{s.reads:,}",
        }
        for s in sources
    ]
    yield from render.table_lines(
        rows, ["dataset", "downstream", "read by runs"], terminal.line_width()
    )


def _format_bytes(size: int) -> str:
    """Return a size with a binary unit."""
    number, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while number >= 1024 and len(units) > 1:
        number /= 1024
        units.pop(0)
    return f"{size:,} bytes" if units[0] == "bytes" else f"{number:,.1f} {units[0]}"


def _stats_object(stats: Stats) -> dict[str, Any]:
    def source(each: Source) -> dict[str, Any]:
        return {"name": str(each.dataset), "downstream": each.downstream, "reads": each.reads}

    return {
        "vertices": stats.vertices,
        "edges": stats.edges,
        "assets_by_type": stats.assets_by_type,
        "assets_by_system": stats.assets_by_system,
        "runs": stats.runs,
        "events": stats.events,
        "sizes": stats.sizes,
        "components": stats.components,
        "largest_component": stats.largest_component,
        "isolated": stats.isolated,
        "window_days": stats.window_days,
        "since": stats.since,
        "until": stats.until,
        "sources": stats.sources,
        "most_downstream": [source(each) for each in stats.most_downstream],
        "most_read": [source(each) for each in stats.most_read],
    }


def _stats_rows(stats: Stats) -> list[dict[str, Any]]:
    """Return a row for each number."""
    groups: dict[str, Mapping[str, int]] = {
        "vertices": stats.vertices,
        "edges": stats.edges,
        "assets by type": stats.assets_by_type,
        "assets by system": stats.assets_by_system,
        "runs": stats.runs,
        "log": {"events": stats.events},
        "bytes": stats.sizes,
        "shape": {
            "components": stats.components,
            "largest_component": stats.largest_component,
            "isolated": stats.isolated,
            "sources": stats.sources,
        },
        "downstream": {str(each.dataset): each.downstream for each in stats.most_downstream},
        "reads": {str(each.dataset): each.reads for each in stats.most_read},
    }
    return [
        {"section": section, "name": name, "number": number}
        for section, numbers in groups.items()
        for name, number in numbers.items()
    ]
