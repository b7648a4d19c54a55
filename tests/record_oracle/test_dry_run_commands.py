"""A dry run of every kind of command: files and catalog stay as they were."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.spark import java

if TYPE_CHECKING:
    from collections.abc import Callable

JOB = Path(__file__).parents[1] / "spark" / "jobs" / "commands.py"
LINEAGE = Path(sys.executable).parent / "lineage"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("commands")
    (directory / "lake").mkdir()
    (directory / "lake" / "line.txt").write_text("from a file\n")
    return directory


@pytest.fixture(scope="module")
def submit(place: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs the job, with words before and after its command."""

    def run(before: list[object], *words: str) -> subprocess.CompletedProcess[str]:
        settings = {
            "spark.master": "local[1]",
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": place / "warehouse",
            **java.WITHOUT_CODE_GENERATION,
        }
        conf = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        command = [*before, "spark-submit", *conf, JOB, place / "lake", *words]
        environment = {**os.environ, **java.environment(), "PYSPARK_PYTHON": sys.executable}
        environment["PATH"] = f"{LINEAGE.parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(
            list(map(str, command)), cwd=place, env=environment, capture_output=True, text=True
        )
        assert done.returncode in (0, 1), done.stderr[-3000:]
        return done

    return run


def contents(place: Path) -> dict[str, tuple[bytes, int]]:
    """Return the bytes and the time of each file of the lake and the warehouse."""
    files = [path for name in ("lake", "warehouse") for path in (place / name).rglob("*")]
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files if path.is_file()
    }


def test_nothing_changes(place: Path, submit: Callable[..., subprocess.CompletedProcess[str]]):
    catalog = submit([], "create").stdout
    before = contents(place)
    assert "table shop orders" in catalog
    trace = [LINEAGE, "trace", "shop.orders", "--where", "id = 3", "--format", "json", "--"]
    done = submit(trace)
    assert contents(place) == before
    assert submit([], "list").stdout == catalog
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    assert errors == []
    answer = json.loads(done.stdout)
    assert answer["traces"][0]["values"] == [{"id": 3, "day": "wed"}]
    refused = [line for line in done.stderr.splitlines() if line.startswith("REFUSED")]
    assert len(refused) == 5
    assert all("Lineage: this is a dry run" in line for line in refused), refused
    assert any(name.endswith("/lake/parquet") for name in answer["targets"])
