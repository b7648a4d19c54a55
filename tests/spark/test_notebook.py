"""A process that writes with Spark and queries the graph: each query sees all earlier writes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from support.fixtures.spark import JOBS
from support.spark import java
from support.spark.recorded import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROLE = sql.Identifier("lineage_test_notebook_reader")


PAGE = JOBS.parents[2] / "docs/how-to/notebook.md"
# Runs cells as Jupyter does: the value of the last expression is displayed.
RUN_CELLS = """
import ast, json, sys
names = {}
for cell in json.load(sys.stdin):
    values = []
    for statement in ast.parse(cell).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "cell", "eval"), names)
            values += [value] if value is not None else []
        else:
            exec(compile(ast.Module([statement], []), "cell", "exec"), names)
    print(json.dumps({
        "lines": [repr(value) for value in values],
        "html": [bool(getattr(value, "_repr_html_", str)()) for value in values],
    }), flush=True)
"""


@pytest.fixture
def reader_dsn(dsn: str) -> Iterator[str]:
    """Return the DSN of the database for a read-only role."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        # Roles belong to the server: a killed run may have left this one.
        conn.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(ROLE))
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'read'").format(ROLE))
        conn.execute(sql.SQL("GRANT lineage_reader TO {}").format(ROLE))
        yield make_conninfo(dsn, user=ROLE._obj[0], password="read", passfile="/nonexistent")
        conn.execute(sql.SQL("DROP ROLE {}").format(ROLE))


def test_each_query_sees_the_writes_before_it(tmp_path: Path, dsn: str, reader_dsn: str):
    done = subprocess.run(
        [sys.executable, JOBS / "notebook.py", tmp_path],
        env={
            **os.environ,
            **java.environment(),
            **ENVIRONMENT,
            "LINEAGE_DSN": dsn,
            "READER_DSN": reader_dsn,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answers = {answer.pop("question"): answer for answer in map(json.loads, lines(done.stdout))}

    assert answers["first"] == {"found": ["raw"]}
    assert answers["second"] == {"upstream": ["raw"]}
    assert answers["beside"] == {"upstream": ["raw", "silver"], "ingested": 0}
    reader = answers["reader"]
    assert reader["seen"] == [["gold"], []]  # `top` is written after the owner's last query
    [warning] = reader["warnings"]
    assert "This role may not write" in warning
    assert f"lineage ingest {tmp_path}/spool" in warning
    assert answers["stopped"] == {"upstream": ["gold", "raw", "silver"]}
    assert answers["again"] == {"upstream": ["gold", "raw", "silver", "top"]}
    assert events_of(dsn) == converted(tmp_path / "spool")


def lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.startswith("{"))


def events_of(dsn: str) -> list[Any]:
    with psycopg.connect(dsn) as conn:
        rows = conn.execute("SELECT body FROM lineage.event").fetchall()
    return sorted(body for (body,) in rows)


def converted(spool: Path) -> list[str]:
    """Convert the same files in another process."""
    command = [os.path.join(os.path.dirname(sys.executable), "lineage"), "convert", spool]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sorted(done.stdout.splitlines())


@pytest.mark.slow
def test_the_page_is_what_a_notebook_shows(tmp_path: Path, dsn: str):
    """Each block is a cell: the value of its last line is displayed, as HTML if available."""
    cells = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", RUN_CELLS],
        input=json.dumps(cells),
        cwd=tmp_path,
        env={
            **os.environ,
            **java.environment(),
            **ENVIRONMENT,
            "LINEAGE_DSN": dsn,
            "LINEAGE_SPOOL": str(tmp_path / "spool"),
            "PYSPARK_SUBMIT_ARGS": "--conf spark.ui.enabled=false pyspark-shell",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    shown = [json.loads(line) for line in lines(done.stdout)]
    assert [each["lines"] for each in shown[:3]] == [
        [],
        [f"<Trace: upstream of file:{tmp_path}/silver; 2 nodes, 1 edges>"],
        [
            f"<2 rows: file:{tmp_path}/silver, file:{tmp_path}/raw>",
            f"<ColumnTrace: upstream of file:{tmp_path}/gold.twice; 3 nodes, 2 edges>",
        ],
    ]
    runs, hits, stats = shown[3]["lines"]
    assert runs == "<1 row of Access>"
    assert re.match(rf"<\d rows: file:{tmp_path}/silver, ", hits)
    assert stats.startswith("<Stats")
    assert [each["html"] for each in shown] == [[], [True], [True, True], [True, True, True]]
