"""The report of a Spark run: its operators, with the rows that Spark counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.spark.recorded import told

import lineage.records as records
from lineage.errors import Ambiguous
from lineage.ingest.writer import write_events
from lineage.plan_documents.store import append_documents, read_document
from lineage.query.session import Session

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit

# By the data: 40 flights of 'UA', 'HA' and 'DL' in turns with delays of 0 to 19.5, two airlines.
# 33 delays are above 3, and 14 + 13 flights are of the airlines.
EXPECTED = {
    "filtered": {"Filter": (40, 33), "Project": (33, 33), "LogicalRelation": (None, 40)},
    "grouped": {"Aggregate": (40, 3), "LogicalRelation": (None, 40)},
    "joined": {"Join": (42, 27), "Project": (27, 27)},
    # Spark's metrics do not tell how many of 40 rows the join or the filter returned; the result
    # is that of the flights above delay 5, each of which has a predecessor.
    "self": {"Filter": (None, 29), "Project": (29, 29)},
}


def test_rows_of_operators_are_those_of_the_data(spark_submit: SparkSubmit, dsn: str) -> None:
    job = spark_submit.start("counted_rows.py")
    assert job.finish() == 0, job.log[-3000:]
    events = told(job.spool)
    lines = [
        line
        for file in sorted(job.spool.glob("*.jsonl"))
        for line in file.read_bytes().splitlines()
    ]
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, map(json.dumps, events))
        append_documents(conn, map(read_document, lines))
    runs = {
        output["name"].rsplit("/", 1)[-1]: event["run"]["runId"]
        for event in events
        for output in event["outputs"]
    }
    with Session(dsn) as session:
        for name, expected in EXPECTED.items():
            report = records.report_of_run(session, runs[name])
            assert report.run_id == runs[name]
            found = {node.operator: (node.rows_in, node.rows_out) for node in report.nodes}
            assert {operator: found[operator] for operator in expected} == expected, name
            root = report.nodes[-1]
            written = expected["Project" if "Project" in expected else "Aggregate"][1]
            assert (root.rows_in, root.rows_out) == (written, written)
            ids = {node.node_id: node.rows_out for node in report.nodes}
            assert report.edges
            assert all(ids[edge.source] == edge.items for edge in report.edges)
            assert {edge.target for edge in report.edges} <= set(ids)
    words = ["trace", "--run", runs["filtered"], "--report", "--format", "json", "--dsn", dsn]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    rows = {row["operator"]: (row["rows_in"], row["rows_out"]) for row in json.loads(result.stdout)}
    assert rows["Filter"] == (40, 33)
    of_spool = ["trace", "--run", runs["filtered"], "--report", "--spool", str(job.spool)]
    from_spool = CliRunner().invoke(main, [*of_spool, "--format", "json"])
    assert (from_spool.exit_code, from_spool.stdout) == (0, result.stdout)
    unknown = CliRunner().invoke(main, ["trace", "--run", "x", *of_spool[3:]])
    assert (unknown.exit_code, "has no run whose id begins" in unknown.stderr) == (1, True)
    with pytest.raises(Ambiguous, match="Several runs of the spool begin with"):
        records.report_of_spool(job.spool, "")
    without = CliRunner().invoke(main, [*of_spool[:3], *of_spool[4:]])
    assert (without.exit_code, "Recorded items are not in a spool." in without.stderr) == (2, True)
    wrong = CliRunner().invoke(main, [*words, "--id", "x"])
    assert (wrong.exit_code, "no single items" in wrong.stderr) == (2, True)
    application = events[0]["run"]["runId"]
    missing = CliRunner().invoke(main, ["trace", "--run", application, "--report", "--dsn", dsn])
    assert (missing.exit_code, "No plan document" in missing.stderr) == (1, True)
