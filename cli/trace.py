"""``lineage trace``: the rows that a row of a table is made of, by a dry run of its job.

Saved traces and recorded items are listed by the modules ``saved_traces`` and ``trace_items``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from lineage.errors import NotFound, UsageError

from . import candidate_rows, options, saved_traces, trace_items
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.records.dry_run import DryRun, DryRunQuery, FollowAnswer, TraceAnswer
    from lineage.records.query_steps import Step

_ROW_COLUMNS = ["hop", "target", "source", "file", "row_index", "values"]
_STEP_COLUMNS = ["operator", "rows", "followed", "detail"]
# The parameter that selects a kind of trace, the other parameters of the kind, its name in errors.
_KINDS = {
    "run": "--run", "saved": "--saved", "candidates": "--candidates", "command": "COMMAND",
}  # fmt: skip
_OPTIONS = {
    "--run": ("run", "outcome", "id", "report", "spool"),
    "--saved": ("saved",),
    "--candidates": ("table", "candidates", "where", "force"),
    "COMMAND": ("table", "command", "where", "missing", "depth", "force", "save", "values"),
    "TABLE": ("table",),
}
_KIND_NAMES = {
    "--run": "the recorded items of a run",
    "--saved": "a saved trace",
    "--candidates": "a selection of candidates",
    "COMMAND": "a dry run",
    "TABLE": "the saved traces of a table",
}
_REMEDIES = {
    "--run": "or --run",
    "--saved": "or --saved",
    "--candidates": "or --candidates",
    "COMMAND": "or the command",
    "TABLE": "or add the job: -- spark-submit job.py",
}
_DISPLAY = ("no_pager", "wide")


@click.command()
@click.argument("table", required=False)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--where", metavar="CONDITION", help="SQL condition on the rows of TABLE.")
@click.option(
    "--missing",
    metavar="SOURCE: CONDITION",
    help="Follow rows of a source of TABLE instead, and show where they end.",
)
@options.limit_option(20, "Maximum number of rows of each source.")
@click.option(
    "--depth", type=click.IntRange(1, 100), metavar="N", default=1, show_default=True,
    help="Number of writes of the job to go back.",
)  # fmt: skip
@click.option(
    "--candidates", is_flag=True,
    help="Without COMMAND: select rows of the sources by the columns that TABLE copies.",
)  # fmt: skip
@click.option(
    "--force", is_flag=True, help="Answer also if the sources have changed since the run."
)
@click.option("--save", is_flag=True, help="Save the trace, without the values of rows.")
@click.option("--values", is_flag=True, help="Save it with the values of rows and the condition.")
@click.option("--saved", metavar="TRACE", help="Show the saved trace with this id.")
@trace_items.item_options
@options.format_option("text", *render.ROWS)
@options.dsn
@click.pass_context
def trace(
    context: click.Context, /, table: str | None, command: tuple[str, ...], **parameters: Any
) -> None:
    """Show which rows of its sources the rows of TABLE are made of.

    Without COMMAND, the saved traces of TABLE are listed, newest first; --saved shows one of them.
    With --run, the recorded items of a run are listed; with --report also, the operators of its
    plan.

    With --candidates, no job runs: the rows of the sources that may contribute are selected from
    their files, by the column lineage of the graph. The condition is comparisons with literals,
    joined by AND. The files are compared with those that the run read, as below.

    COMMAND is the Spark job that writes TABLE. It runs again, unmodified and without its writes: on
    the sources as they are now, and with the rows of TABLE as it would write them. All writes and
    definitions of tables are left out; a command that the dry run does not know stops the job. What
    the job does outside of Spark happens again. Its output goes to stderr.

    If the graph has runs that wrote the rows of TABLE, the sources are compared with those that
    they read. Files that were added since are left out. If the sources differ otherwise, there is
    no answer and the exit code is 3; with --force there is one, whose fidelity is stale.

    The fidelity is exact if the named rows are those that contribute, superset if others may be
    among them, and unknown if some may be missing. The query runs again on the named rows alone: if
    the traced rows do not come again, it is unknown, and if they are too many, it is unverified.
    The exit code is 1 if no row matches.

    \b
    Examples:
      lineage trace gold/delays --where "airline = 'UA'" -- spark-submit job.py
      lineage trace gold/delays --missing "silver/flights: flight = 1545" -- spark-submit job.py
      lineage trace gold/delays --where "carrier = 'UA'" --candidates
      lineage trace gold/delays
      lineage trace --run 0198c6f0 --outcome dead_lettered
    """
    kind = _parse_kind(context)
    output_options = {name: parameters.pop(name) for name in ("limit", "form")}
    if kind == "--run" and parameters["report"]:
        trace_items.write_report(context, **output_options)
    elif parameters["spool"]:
        raise UsageError("Recorded items are not in a spool.", "Add --report, or omit --spool.")
    elif kind == "--run":
        items = (parameters[name] for name in ("run", "outcome", "id"))
        trace_items.write_items(parameters["dsn"], *items, **output_options)
    elif kind == "--saved":
        saved_traces.write_trace(parameters["dsn"], parameters["saved"], **output_options)
    elif table is None:
        raise UsageError("A trace needs a question.", "Specify TABLE, --saved or --run.")
    elif kind == "--candidates":
        candidate_rows.write_candidates(context, table, **output_options)
    elif kind == "TABLE":
        saved_traces.write_traces(parameters["dsn"], table, **output_options)
    else:
        _trace_by_job(context, table, list(command), **output_options)


def _parse_kind(context: click.Context) -> str:
    """Return the kind of the trace. Raises UsageError for an option of another kind."""
    set_options = {
        each.name or "": each
        for each in context.command.params
        if context.get_parameter_source(each.name or "") == ParameterSource.COMMANDLINE
    }
    kind = next((name for key, name in _KINDS.items() if context.params.get(key)), "TABLE")
    for name, parameter in set_options.items():
        if name not in (*_OPTIONS[kind], "limit", "form", "dsn", *_DISPLAY):
            option = parameter.opts[0] if parameter.param_type_name == "option" else name.upper()
            raise UsageError(
                f"{option} cannot be used for {_KIND_NAMES[kind]}.", f"Omit it, {_REMEDIES[kind]}."
            )
    return kind


def _trace_by_job(
    context: click.Context, table: str, command: list[str], limit: int, form: str
) -> None:
    from lineage.records.dry_run import run_dry
    from lineage.records.input_changes import refuse_changes
    from lineage.records.manifests import read_stored_inputs

    parameters = context.params
    query = _parse_query(
        table, parameters["where"], parameters["missing"], limit, parameters["depth"]
    )
    is_saved = parameters["save"] or parameters["values"]
    if is_saved and query.where is None:
        raise UsageError("Only traces are saved, not rows that are followed.", "Use --where.")
    if is_saved:
        saved_traces.check_before_save(parameters["dsn"], table)
    stored = read_stored_inputs(parameters["dsn"], table, parameters["depth"])
    result = run_dry(query, command, stored)
    if not parameters["force"]:
        refuse_changes(table, result.inputs)
    if not result.traces and not result.followed:
        raise UsageError(result.errors[0]) if result.errors else _no_write(table, result)
    _write_result(result, form)
    if is_saved:
        saved_traces.save_answers(
            parameters["dsn"], result.traces, parameters["where"], values=parameters["values"]
        )
    if result.exit_code:
        reason = result.errors[-1] if result.errors else f"Its exit code is {result.exit_code}."
        terminal.write_line(f"lineage: The job stopped after the write. {reason}", err=True)
    counts = [*(len(x.rows) for x in result.followed), *(x.rows for x in result.traces)]
    context.exit(0 if any(counts) else 1)


def _write_result(result: DryRun, form: str) -> None:
    if form == "json":
        terminal.write_text(f"{render.json_text(_as_json(result), indent=2)}\n")
    elif form == "text":
        for answer in result.traces:
            terminal.write_lines(trace_lines(answer))
        for followed in result.followed:
            terminal.write_lines(followed_lines(followed))
    elif result.followed:
        steps = [_step_row(step) for followed in result.followed for step in followed.steps]
        render.emit_rows(steps, form, _STEP_COLUMNS)
    else:
        rows = [row for answer in result.traces for row in _contributing_rows(answer)]
        render.emit_rows(rows, form, _ROW_COLUMNS)


def _contributing_rows(answer: TraceAnswer) -> Iterator[dict[str, Any]]:
    from lineage.records.row_keys import position_of, values_of

    for source in answer.sources:
        for row in source.witnesses:
            file, row_index = position_of(row) or (None, None)
            yield {
                "hop": answer.depth,
                "target": answer.target,
                "source": source.dataset,
                "file": file,
                "row_index": row_index,
                "values": values_of(row),
            }


def _parse_query(
    table: str, where: str | None, missing: str | None, limit: int, depth: int
) -> DryRunQuery:
    from lineage.records.dry_run import DryRunQuery

    if (where is None) == (missing is None):
        raise UsageError(
            "A trace needs one condition on rows.", "Specify --where or --missing, not both."
        )
    if missing is None:
        return DryRunQuery(table, where=where, limit=limit, depth=depth)
    # Only the colon before a space ends the source: file:/lake/orders: id = 1
    source, _, condition = missing.partition(": ")
    if not (source.strip() and condition.strip()):
        raise UsageError(
            f"--missing {missing} has no source or no condition.",
            'Use --missing "SOURCE: CONDITION".',
        )
    return DryRunQuery(
        table, source=source.strip(), source_where=condition.strip(), limit=limit, depth=depth
    )


def _no_write(table: str, result: DryRun) -> Exception:
    if result.exit_code:
        return UsageError(
            f"The job failed with exit code {result.exit_code} before it wrote {table}.",
            "Its messages on stderr show the reason.",
        )
    targets = ", ".join(result.targets) or "nothing"
    return NotFound(f"The job does not write {table}. It would have written {targets}.")


def trace_lines(answer: TraceAnswer) -> Iterator[str]:
    """Return a trace as lines: its rows, then the rows of each source."""
    yield f"{answer.target}: {render.count_of(answer.rows, 'row')}, {_fidelity_text(answer)}"
    yield from _row_lines(answer.values, answer.rows, answer.target)
    for source in answer.sources:
        yield f"  {source.dataset}: {render.count_of(source.rows, 'row')}"
        yield from (
            f"  {line}" for line in _row_lines(source.witnesses, source.rows, source.dataset)
        )


def followed_lines(answer: FollowAnswer) -> Iterator[str]:
    """Return followed rows as lines: for each where it ends, then all operators."""
    from lineage.records.query_steps import ends_of

    yield f"{answer.source}: {render.count_of(len(answer.rows), 'row')}, {_fidelity_text(answer)}"
    for mark, row in enumerate(answer.rows):
        yield f"  {_row_text(row, answer.source)}"
        if mark in answer.steps[-1].alive:
            yield f"    is part of {answer.target}"
        for step in ends_of(mark, answer.steps):
            yield f"    ends at {step.operator}: {'; '.join(step.conditions_of(mark))}"
    yield ""
    yield from render.table_lines(
        map(_step_row, answer.steps),
        _STEP_COLUMNS,
        terminal.line_width(),
    )


def _step_row(step: Step) -> dict[str, Any]:
    return {
        "operator": step.operator,
        "rows": "-" if step.rows is None else step.rows,
        "followed": len(step.alive),
        "detail": step.detail,
    }


def _row_lines(rows: list[dict[str, Any]], count: int, dataset: str) -> Iterator[str]:
    for row in rows:
        yield f"  {_row_text(row, dataset)}"
    if count > len(rows):
        yield f"  … {count - len(rows):,} more"


def _row_text(row: dict[str, Any], dataset: str) -> str:
    from lineage.records.row_keys import position_of, values_of

    values = " ".join(f"{name}={value}" for name, value in values_of(row).items())
    position = position_of(row)
    if position is None:
        return values
    file, row_index = position
    return f"{values}  ({file.rpartition(f'{dataset}/')[2]}, row {row_index})"


def _fidelity_text(answer: TraceAnswer | FollowAnswer) -> str:
    reasons = f" ({', '.join(answer.reasons)})" if answer.reasons else ""
    return f"{answer.fidelity}{reasons}"


def _as_json(result: DryRun) -> dict[str, Any]:
    import dataclasses

    traces = [dataclasses.asdict(trace) for trace in result.traces]
    followed = [dataclasses.asdict(each) for each in result.followed]
    for each in followed:
        for step in each["steps"]:
            step["arrived"], step["alive"] = sorted(step["arrived"]), sorted(step["alive"])
            step["failed"] = {text: sorted(marks) for text, marks in step["failed"].items()}
    return {"targets": result.targets, "traces": traces, "followed": followed}
