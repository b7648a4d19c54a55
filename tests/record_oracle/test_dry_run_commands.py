"""O9: a dry run of every kind of command leaves files, rows and catalog as they were."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from support.cases.dry_run_coverage import RUN, rows_of
from support.spark import java, java_functions
from support.spark.recorded import ENVIRONMENT
from support.spark.version import SPARK

if TYPE_CHECKING:
    from collections.abc import Callable

    Submit = Callable[..., subprocess.CompletedProcess[str]]

JOB = Path(__file__).parents[1] / "spark" / "jobs" / "commands.py"
LINEAGE = Path(sys.executable).parent / "lineage"

# The statements and calls that the job expects to be refused.
REFUSED = 15


class Traced(NamedTuple):
    """The answer and the messages of a dry run, and what was there before and after it."""

    answer: dict[str, list[dict[str, object]]]
    messages: list[str]
    before: tuple[object, str]
    after: tuple[object, str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("commands")
    (directory / "lake").mkdir()
    (directory / "lake" / "line.txt").write_text("from a file\n")
    return directory


@pytest.fixture(scope="module")
def submit(place: Path) -> Submit:
    """Return a function that runs the job, with words before and after its command."""
    jar = java_functions.build(place)

    def run(before: list[object], *words: str) -> subprocess.CompletedProcess[str]:
        settings = {
            "spark.master": "local[1]",
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": place / "warehouse",
            "spark.jars": jar,
            **java.WITHOUT_CODE_GENERATION,
        }
        conf = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        command = [*before, "spark-submit", *conf, JOB, place / "lake", *words]
        environment = {**os.environ, **java.environment(), **ENVIRONMENT}
        environment["PATH"] = f"{LINEAGE.parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(
            list(map(str, command)), cwd=place, env=environment, capture_output=True, text=True
        )
        assert done.returncode in (0, 1), done.stderr[-3000:]
        return done

    return run


@pytest.fixture(scope="module")
def traced(place: Path, submit: Submit) -> Traced:
    """Create the tables, and trace a row that the job would insert."""
    catalog = submit([], "create").stdout
    assert "table shop orders" in catalog
    assert "rows of others [2, 3]" in catalog
    before = contents(place)
    trace = [LINEAGE, "trace", "shop.orders", "--where", "id = 3", "--format", "json", "--"]
    done = submit(trace)
    after = contents(place)
    return Traced(
        json.loads(done.stdout),
        done.stderr.splitlines(),
        (before, catalog),
        (after, submit([], "list").stdout),
    )


def contents(place: Path) -> dict[str, tuple[bytes, int]]:
    """Return the bytes and the time of each file of the lake and the warehouse."""
    files = [path for name in ("lake", "warehouse") for path in (place / name).rglob("*")]
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files if path.is_file()
    }


def test_nothing_changes(traced: Traced) -> None:
    assert traced.after == traced.before


def test_each_command_is_diverted_or_rejected(traced: Traced) -> None:
    errors = [line for line in traced.messages if line.startswith("ERROR")]
    assert errors == []
    refused = [line for line in traced.messages if line.startswith("REFUSED")]
    assert len(refused) == REFUSED, refused
    assert all("Lineage: this is a dry run" in line for line in refused), refused
    assert sum(line.startswith("CHECKPOINT") for line in traced.messages) == 1


@pytest.mark.skipif(SPARK < (4, 0), reason="Spark has no procedures")
def test_procedures_are_rejected_before_spark_looks_for_them(traced: Traced) -> None:
    refused = [line for line in traced.messages if line.startswith("PROCEDURE")]
    # Handlers of errors exist since Spark 4.1.
    assert len(refused) == 3
    known = refused if SPARK >= (4, 1) else refused[:2]
    assert all("It cannot run the command CALL" in line for line in known), refused


def test_the_dry_run_returns_the_traced_rows(traced: Traced) -> None:
    assert traced.answer["traces"][0]["values"] == [{"id": 3, "day": "wed"}]
    assert any(str(name).endswith("/lake/parquet") for name in traced.answer["targets"])


@pytest.mark.parametrize("section", RUN)
def test_every_command_of_the_page_of_coverage_is_run(section: str) -> None:
    """A reason without a command stands for rows that change nothing."""
    rows, (runs, job) = rows_of(section), RUN[section]
    rows_by_key = {key: [row for row in rows if row.startswith(key)] for key in runs}
    assert sorted(row for found in rows_by_key.values() for row in found) == sorted(rows)
    assert {key: len(found) for key, found in rows_by_key.items()} == dict.fromkeys(runs, 1)
    text = job.read_text()
    parts = {part for part in runs.values() if not isinstance(part, str) for part in part}
    assert {part for part in parts if part not in text} == set()
