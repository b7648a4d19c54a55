"""The recorded items of a run: options of ``lineage trace``, and their output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from lineage.errors import UsageError

from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.records.items import Hop, Item

F = TypeVar("F", bound="Callable[..., Any]")

OUTCOMES = (
    "emitted", "filtered_out", "joined", "aggregated", "retried", "error", "dead_lettered",
)  # fmt: skip
ITEM_COLUMNS = ["id", "outcome", "path", "rows", "retries", "error"]
NODE_COLUMNS = ["node", "operator", "inputs", "rows_in", "rows_out"]
HOP_COLUMNS = ["node", "outcome", "cardinality", "rows", "outputs", "retries", "error"]


def item_options(command: F) -> F:
    """Declare ``--run``, ``--outcome``, ``--id``, ``--report`` and ``--spool``."""
    for option in (
        click.option("--spool", type=click.Path(exists=True), metavar="PATH",
                     help="Read the report from a spool or a file of it, without a database."),
        click.option("--report", is_flag=True,
                     help="The operators of the run, with the rows that Spark counted."),
        click.option("--id", "id", metavar="ID",
                     help="Only the item with this id; its hops are listed."),
        click.option("--outcome", type=click.Choice(OUTCOMES),
                     help="Only items with this outcome at a node."),
        click.option("--run", metavar="RUN",
                     help="Run whose recorded items are listed: its id, or the beginning of it."),
    ):  # fmt: skip
        command = option(command)
    return command


def write_items(
    dsn: str | None, run: str, outcome: str | None, id: str | None, *, limit: int, form: str
) -> None:
    """Write the recorded items of a run, or the hops of one. Raises NotFound, Ambiguous."""
    from lineage.query.session import Session
    from lineage.records.stored_items import items_of_run

    with Session(dsn) as session:
        items = items_of_run(session, run, outcome, id, limit=limit + 1)
    if id is not None:
        render.emit_rows([_hop_row(hop) for hop in items[0].hops], form, HOP_COLUMNS)
        return
    render.emit_rows([_item_row(item) for item in items[:limit]], form, ITEM_COLUMNS)
    if len(items) > limit:
        terminal.write_line(f"The first {limit:,} items are shown. --limit 0 shows all.", err=True)


def write_report(context: click.Context, *, limit: int, form: str) -> None:
    """Write the operators of a run from its plan document. Raises NotFound, Ambiguous."""
    from lineage.query.session import Session
    from lineage.records.operator_reports import report_of_run, report_of_spool

    parameters = context.params
    if parameters["outcome"] or parameters["id"]:
        raise UsageError("A report has no single items.", "Omit --outcome and --id, or --report.")
    if parameters["spool"]:
        report = report_of_spool(parameters["spool"], parameters["run"])
    else:
        with Session(parameters["dsn"]) as session:
            report = report_of_run(session, parameters["run"])
    inputs: dict[str, list[str]] = {}
    for edge in report.edges:
        inputs.setdefault(edge.target, []).append(edge.source)
    rows = [
        {
            "node": node.node_id,
            "operator": node.operator,
            "inputs": " ".join(inputs.get(node.node_id, [])),
            "rows_in": node.rows_in,
            "rows_out": node.rows_out,
        }
        for node in report.nodes[:limit]
    ]
    render.emit_rows(rows, form, NODE_COLUMNS)


def _item_row(item: Item) -> dict[str, Any]:
    """Return the row of an item: rows at its first node, retries and errors at all of them."""
    return {
        "id": item.correlation_id,
        "outcome": " ".join(item.outcome.flag_names),
        "path": " > ".join(hop.node_id for hop in item.hops),
        "rows": item.hops[0].input_contributor_count,
        "retries": sum(hop.retry_count or 0 for hop in item.hops),
        "error": next((hop.error for hop in item.hops if hop.error), None),
    }


def _hop_row(hop: Hop) -> dict[str, Any]:
    return {
        "node": hop.node_id,
        "outcome": " ".join(hop.outcome.flag_names),
        "cardinality": hop.cardinality.name.lower(),
        "rows": hop.input_contributor_count,
        "outputs": hop.output_emission_count,
        "retries": hop.retry_count,
        "error": hop.error,
    }
