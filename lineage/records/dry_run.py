"""A Spark job that runs without its writes, to answer a question about rows that it would write."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lineage.errors import UsageError
from lineage.records.fidelity import Fidelity, Label, labels_after_check, parse_label, worst_of
from lineage.records.input_changes import InputComparison, compare_inputs
from lineage.records.manifests import StoredInputs, manifests_of_document
from lineage.records.query_steps import Observation, Step, read_steps
from lineage.spark.launcher import jar, launch
from lineage.spark.launcher.submit import with_classes

_PACKAGE = "io.lineage.spark.dryrun"

# Two hooks, because a program can replace one of the settings in its session's builder.
_CLASSES = {
    "spark.plugins": f"{_PACKAGE}.DryRunPlugin",
    "spark.sql.extensions": f"{_PACKAGE}.DryRunExtension",
}
# The run is none of the job's, so that the listener does not record it.
_SETTINGS = {"spark.lineage.enabled": "false", "spark.eventLog.enabled": "false"}


@dataclass(frozen=True)
class DryRunQuery:
    """A query about a write to ``table``.

    ``where`` selects rows of the table. ``source`` and ``source_where`` select rows of one of its
    sources instead, which are followed. ``limit`` is the number of rows to return of each source,
    and ``depth`` the number of writes of the job to go back.
    """

    table: str
    where: str | None = None
    source: str | None = None
    source_where: str | None = None
    limit: int = 20
    depth: int = 1


@dataclass(frozen=True)
class SourceRows:
    """The contributing rows of a source: their number, and the first of them."""

    dataset: str
    rows: int
    witnesses: list[dict[str, Any]]


@dataclass(frozen=True)
class TraceAnswer:
    """Rows that a write would write, and the rows that they are made of.

    ``depth`` is 1 for the table of the question, and 2 for the rows of its sources in the write
    that precedes. ``reproduced``: whether the rows came again from the named rows alone, None if
    this was not tried.
    """

    target: str
    depth: int
    rows: int
    values: list[dict[str, Any]]
    fidelity: Fidelity
    reasons: list[str]
    sources: list[SourceRows]
    reproduced: bool | None = None


@dataclass(frozen=True)
class FollowAnswer:
    """Rows of a source, and the operators of a write at which they end."""

    target: str
    source: str
    rows: list[dict[str, Any]]
    fidelity: Fidelity
    reasons: list[str]
    steps: list[Step]


@dataclass(frozen=True)
class DryRun:
    """The result of a dry run; ``exit_code`` is that of the job.

    ``targets`` are the datasets that the job would have written, in its order. ``inputs`` compare
    the inputs of the writes with those of their runs; of some writes there may be no answer.
    ``errors`` say why the dry run stopped the job.
    """

    exit_code: int
    targets: list[str] = field(default_factory=list)
    inputs: list[InputComparison] = field(default_factory=list)
    traces: list[TraceAnswer] = field(default_factory=list)
    followed: list[FollowAnswer] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def run_dry(query: DryRunQuery, command: list[str], stored: StoredInputs | None = None) -> DryRun:
    """Run a Spark command without its writes, and answer a query about one of them.

    ``stored``: the inputs of the runs that wrote the table. The query reads its sources as they
    were then if files were added only; other differences are reported with the answer.

    The stdout of the command goes to stderr. Commands that the dry run does not know stop
    the job. Effects of the job outside of Spark happen: files that Python writes, HTTP requests.
    Raises ``UsageError`` if the command starts no Spark that the dry run can observe, and
    ``JarError`` if no jar supports its Spark.
    """
    path = jar.jar_path(*launch.spark_of(command))
    with TemporaryDirectory(prefix="lineage-dry-run-") as place:
        request, result = Path(place, "question.json"), Path(place, "result.json")
        stored = stored or StoredInputs()
        request.write_text(json.dumps({**asdict(query), "manifests": stored.as_json}))
        files = {
            "spark.lineage.dryRun.request": str(request),
            "spark.lineage.dryRun.result": str(result),
        }
        prepared = with_classes(command, path, _CLASSES, {**_SETTINGS, **files})
        code = launch.run_command(prepared, stdout=sys.stderr)
        if not result.exists():
            raise UsageError(
                f"The command {command[0]} did not start Spark in the dry run;"
                f" its exit code is {code}.",
                "It must start the driver on this machine, through spark-submit or pyspark.",
            )
        return _read_result(code, json.loads(result.read_text()), stored)


def _read_result(exit_code: int, result: dict[str, Any], stored: StoredInputs) -> DryRun:
    inputs = [_compare_write(each, stored) for each in result["inputs"]]
    return DryRun(
        exit_code=exit_code,
        targets=[target for command in result["commands"] if (target := command["target"])],
        inputs=inputs,
        traces=[_read_trace(each, inputs[each["inputs"]]) for each in result["traces"]],
        followed=[_read_followed(each, inputs[each["inputs"]]) for each in result["followed"]],
        errors=result["errors"],
    )


def _compare_write(write: dict[str, Any], stored: StoredInputs) -> InputComparison:
    runs = stored.runs_of(write["target"], write["depth"])
    current = manifests_of_document(write["document"])
    return compare_inputs(runs, current, write["leftOut"], write["earlierVersions"])


def _read_trace(trace: dict[str, Any], inputs: InputComparison) -> TraceAnswer:
    labels = labels_after_check(
        [*inputs.fidelity_labels, *map(parse_label, trace["labels"])],
        trace["rows"],
        reproduced=trace["reproduced"],
    )
    sources = [
        SourceRows(source["dataset"], source["rows"], list(map(json.loads, source["witnesses"])))
        for source in trace["sources"]
    ]
    return TraceAnswer(
        target=trace["target"],
        depth=trace["depth"],
        rows=trace["rows"],
        values=list(map(json.loads, trace["values"])),
        fidelity=worst_of(labels),
        reasons=[label.reason for label in labels],
        sources=sources,
        reproduced=trace["reproduced"],
    )


def _read_followed(followed: dict[str, Any], inputs: InputComparison) -> FollowAnswer:
    labels = [*inputs.fidelity_labels, *map(parse_label, followed["labels"])]
    rows = list(map(json.loads, followed["rows"]))
    if followed["truncated"]:
        labels.append(Label(Fidelity.SAMPLED, f"marked:first {len(rows)} rows"))
    return FollowAnswer(
        target=followed["target"],
        source=followed["source"],
        rows=rows,
        fidelity=worst_of(labels),
        reasons=[label.reason for label in labels],
        steps=read_steps(Observation(**step) for step in followed["steps"]),
    )
