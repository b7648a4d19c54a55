"""``lineage paths``: paths from one dataset to another."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import click

from lineage.query.paths import find_paths
from lineage.query.session import Session

from . import options
from .output import graph_formats, job_names, render, terminal, tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.paths import Paths
    from lineage.query.records import Dataset, Edge, Job

TABLE_COLUMNS = ["direction", "distance", "source", "target", "job", "runs", "last_seen", "state",
         "stale", "declared", "confidence"]  # fmt: skip


@click.command()
@click.argument("source", shell_complete=options.complete_dataset)
@click.argument("target", shell_complete=options.complete_dataset)
@click.option("--all-paths", is_flag=True, help="Show edges of all paths, not only the shortest.")
@options.observed
@options.confidence
@options.limit_option(options.MOST, "Maximum number of edges, nearest first.")
@options.format_option(*graph_formats.FORMS)
@options.dsn
@click.pass_context
def paths(
    context: click.Context,
    source: str,
    target: str,
    all_paths: bool,
    observed: bool,
    min_confidence: float,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """Show the shortest paths from dataset SOURCE to dataset TARGET.

    Each step shows the jobs, the number of runs that did not fail, and the time of the newest run.
    Runs that failed do not count. An edge is stale if a newer successful run of its job wrote the
    target but did not produce the edge. With --all-paths, every dataset and edge on any path is
    shown once. If a path crosses a cycle, the datasets of the cycle are also shown. Paths from a
    dataset to itself are cycles.

    If there is no path from SOURCE to TARGET, paths from TARGET to SOURCE are shown, with a note.
    The exit code is 0 if SOURCE feeds TARGET, else 1.

    \b
    Examples:
      lineage paths raw/orders gold/revenue
      lineage paths raw/orders gold/revenue --all-paths --format jsonl | jq -r .job | sort -u
      lineage paths raw/orders gold/revenue >/dev/null && echo "it depends on it"
    """
    with Session(dsn) as session:
        result = find_paths(
            session,
            source,
            target,
            all_paths=all_paths,
            observed=observed,
            min_confidence=min_confidence,
            limit=limit,
        )
    picture = [_paths_sentence(result), *_picture_lines(result)]
    graph_formats.emit_results([result], form, TABLE_COLUMNS, lambda: picture, dsn)
    listed = {"edges": len(result.edges), "nodes": len(result.nodes)}
    options.write_omitted(result.omitted, listed, err=form != "tree")
    if form != "tree" and (result.reverse or not result.edges):
        terminal.write_fitting_lines([_paths_sentence(result)], err=True)
    if result.reverse or not result.edges:
        context.exit(1)


def _paths_sentence(paths: Paths) -> str:
    """Return a sentence about the existence and length of the paths."""
    source, target = paths.source, paths.target
    no = f"{source} does not feed {target}"
    if source == target:
        return (
            f"{source} feeds itself {_paths_length(paths)}."
            if paths.edges
            else f"{source} does not feed itself: no cycle leads through it."
        )
    if paths.reverse:
        return f"{no}. In the opposite direction, {target} feeds {source} {_paths_length(paths)}."
    if paths.edges:
        return f"{source} feeds {target} {_paths_length(paths)}."
    return f"No path in either direction: {no}, and {target} does not feed {source}."


def _paths_length(paths: Paths) -> str:
    """Return the length of the shortest path, and with all paths the size of their union."""
    length = f"in {render.count_of(paths.length or 0, 'step')}"
    if not paths.all_paths:
        return length
    edges = len(paths.edges) + paths.omitted.get("edges", 0)
    nodes = len({node.dataset for node in paths.nodes}) + paths.omitted.get("nodes", 0)
    datasets = render.count_of(nodes, "dataset")
    return f"{length} at least, over {datasets} and {render.count_of(edges, 'edge')} in all"


def _picture_lines(paths: Paths) -> list[str]:
    """Return the paths as a tree from their first dataset."""
    names = job_names.of_records(paths.edges)
    steps: dict[Dataset, dict[Dataset, list[Edge]]] = defaultdict(lambda: defaultdict(list))
    for edge in paths.edges:
        steps[edge.source][edge.target].append(edge)

    def next_branches(dataset: Dataset) -> list[tree.Branch[Dataset]]:
        level = steps.get(dataset, {})
        return [
            (end, end.full_name, _edge_note(level[end], names)) for end in sorted(level, key=str)
        ]

    if not paths.edges:
        return []
    return [paths.start.full_name, *tree.branch_lines(paths.start, next_branches)]


def _edge_note(edges: list[Edge], names: Mapping[Job, str]) -> str:
    newest = sorted(edges, key=lambda edge: edge.last_seen, reverse=True)
    return "; ".join(f"[{_describe_edge(edge, names)}]" for edge in newest)


def _describe_edge(edge: Edge, names: Mapping[Job, str]) -> str:
    if not edge.is_observed or not edge.job:
        return tree.describe_source(edge, names)
    name = job_names.beside_target(edge.job, edge.target, names)
    seen = f"{render.format_time(edge.last_seen)}{', stale' if edge.stale else ''}"
    return f"{name}, {render.count_of(edge.runs, 'run')}, {seen}"
