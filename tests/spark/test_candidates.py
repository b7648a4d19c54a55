"""Candidates contain the rows that a trace of the job's own query names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.spark.recorded import told

import lineage.records as records
from lineage.ingest.writer import write_events
from lineage.query.session import Session

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit

# The sources all of whose contributing rows are candidates, with their number by the data: 40
# flights, of 'UA', 'HA' and 'DL' in turns and of four months, and two airlines.
SUPERSETS = {
    "filtered": {"flights": 14},
    "partitioned": {"flights": 5},
    "joined": {"flights": 5, "airlines": 1},
    "grouped": {"flights": 13},
    "distinct": {"flights": 4},
}
# Rows contribute that do not have the value, or it is not known that none does.
UNKNOWN = {
    "self_join": "read 2 times by one execution",
    "literal": "read 2 times by one execution",
    "window": "combined by: Window",
    "scalar": "read 2 times by one execution",
    "twice": "read 2 times by one execution",
    "same_frame": "read 2 times by one execution",
}


def test_candidates_contain_the_contributing_rows(spark_submit: SparkSubmit, dsn: str) -> None:
    job = spark_submit.start("traced_tables.py")
    assert job.finish() == 0, job.log[-3000:]
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, map(json.dumps, told(job.spool)))
    traces = json.loads((job.directory / "traces.json").read_text())
    assert set(traces) == set(SUPERSETS) | set(UNKNOWN)
    with Session(dsn) as session:
        for name, traced in traces.items():
            target = f"{job.directory}/{name}"
            found = records.candidates(session, target, traced["where"], limit=100)
            _check(name, found, traced["sources"])
    target, where = f"{job.directory}/joined", traces["joined"]["where"]
    result = CliRunner().invoke(
        main, ["trace", target, "--where", where, "--candidates", "--limit", "1", "--dsn", dsn]
    )
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"file:{target}: superset"
    assert "airlines: 1 row, superset (identity columns: name; not used: id BETWEEN 5" in lines[1]
    assert lines[2].startswith("    carrier=UA name=United  (part-00000-")
    assert "flights: 5 rows, superset (identity columns: id; not used: name = " in lines[3]
    assert lines[5] == "    … 4 more"


def _check(name: str, found: records.Candidates, traced: dict[str, list[list[Any]]]) -> None:
    sources = {source.dataset.rsplit("/", 1)[-1]: source for source in found.sources}
    assert set(sources) == set(traced)
    proven = {short: s.count for short, s in sources.items() if s.fidelity == "superset"}
    assert proven == SUPERSETS.get(name, {}), name
    for short, source in sources.items():
        if source.fidelity == "superset":
            selected = [
                [row[column] for column in ("carrier", "id", "name") if column in row]
                for row in source.rows
            ]
            assert len(selected) == source.count
            assert all(row in selected for row in traced[short]), (name, short)
    if name in UNKNOWN:
        assert UNKNOWN[name] in sources["flights"].reasons


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["t", "--candidates"],
            "Candidates need a condition on the rows of TABLE. Specify --where.",
        ),
        (["--candidates"], "A trace needs a question."),
        (["t", "--candidates", "--where", "a =", "--save"], "--save cannot be used"),
        (["t", "--candidates", "--where", "a ="], "a = is not a condition."),
        (["t", "--candidates", "--where", "a = 1"], "t"),
    ],
)
def test_invalid_requests_for_candidates_are_errors(
    words: list[str], message: str, dsn: str
) -> None:
    result = CliRunner().invoke(main, ["trace", *words, "--dsn", dsn])
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
