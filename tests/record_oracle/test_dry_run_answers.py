"""O5: a dry run of the job that writes a frame gives the answer of a live trace of the frame."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F
from support.cases.record_answers import SUITES, WHERE, frames
from support.cases.records import make_tables
from support.cases.tpch.frames import write_tables
from support.fixtures.records import SETTINGS as SETTINGS_OF_RECORDS
from support.spark import java
from support.spark.recorded import ENVIRONMENT
from support.spark.session import SETTINGS

import lineage.records as records
from lineage.records.input_changes import NO_MANIFEST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from lineage.records.traces import Trace

JOB = Path(__file__).parents[1] / "spark" / "jobs" / "record_answers.py"
LINEAGE = Path(sys.executable).parent / "lineage"

MAKE = {"operators": make_tables, "tpch": write_tables}

# More rows than any answer has.
LIMIT = 10_000

# Cases whose rows differ between runs, which their label says; only the label is compared.
ROWS_VARY = {"uuid", "sample"}

Answer = dict[str, Any]


@pytest.mark.parametrize("suite", SUITES)
def test_a_dry_run_gives_the_answers_of_live_traces(
    suite: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LINEAGE_DSN", raising=False)
    lake = tmp_path / "lake"
    MAKE[suite](spark, lake)
    live = {name: answer_of(frame) for name, frame in frames(suite, spark, lake)}
    files = sorted(lake.rglob("*"))
    dry = dry_answers(suite, tmp_path)
    assert sorted(lake.rglob("*")) == files
    assert dry.keys() == live.keys()
    for name, answer in live.items():
        compared = ("fidelity", "reasons") if name in ROWS_VARY else tuple(answer)
        for part in compared:
            assert (name, part, dry[name][part]) == (name, part, answer[part])
    assert sum(answer["rows"] for answer in live.values()) > len(live)


def answer_of(frame: DataFrame) -> Answer:
    """Return the answer of a live trace."""
    with records.trace(frame, WHERE) as trace:
        fidelity = trace.fidelity
        return {
            "rows": trace.row_count,
            "values": counted(json_of(trace.rows)),
            "fidelity": fidelity,
            "reasons": set(trace.reasons),
            "reproduced": trace.reproduced,
            "sources": live_sources(trace),
        }


def json_of(frame: DataFrame) -> list[str]:
    return [row[0] for row in frame.select(F.to_json(F.struct("*"))).collect()]


def live_sources(trace: Trace) -> dict[str, object]:
    return {
        source: (count, counted(json_of(trace.witnesses(source))))
        for source, count in trace.counts.items()
    }


def dry_answers(suite: str, directory: Path) -> dict[str, Answer]:
    """Return the answers of a dry run by the names of the frames."""
    question = ["answer", "--where", WHERE, "--limit", LIMIT, "--format", "json"]
    conf = [f"{key}={value}" for key, value in {**SETTINGS, **SETTINGS_OF_RECORDS}.items()]
    options = [word for each in conf for word in ("--conf", each)]
    arguments = [suite, directory / "lake", directory / "out"]
    command = [LINEAGE, "trace", *question, "--", "spark-submit", *options, JOB, *arguments]
    path = f"{LINEAGE.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        list(map(str, command)),
        env={**os.environ, **java.environment(), **ENVIRONMENT, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert not (directory / "out").exists()
    return dict(dry_answer(trace) for trace in json.loads(done.stdout)["traces"])


def dry_answer(trace: dict[str, Any]) -> tuple[str, Answer]:
    """Return the name of a frame, and the answer of the dry run in the form of ``answer_of``."""
    name = Path(trace["target"]).parent.name
    return name, {
        "rows": trace["rows"],
        "values": counted(map(json.dumps, trace["values"])),
        "fidelity": trace["fidelity"],
        "reasons": set(trace["reasons"]) - {NO_MANIFEST},
        "reproduced": trace["reproduced"],
        "sources": {
            source["dataset"]: (source["rows"], counted(map(json.dumps, source["witnesses"])))
            for source in trace["sources"]
        },
    }


def counted(lines: Any) -> Counter[str]:
    """Return rows of JSON, each with the number of its occurrences."""
    return Counter(json.dumps(without_nulls(json.loads(line)), sort_keys=True) for line in lines)


def without_nulls(value: Any) -> Any:
    """Leave out fields without a value, which only some functions of Spark write."""
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return value
