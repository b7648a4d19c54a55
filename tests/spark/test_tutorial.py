"""The tutorials on the state as of a time and on an event lake: commands and displayed output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from support.services.tutorials import run_tutorial
from support.spark import java

PAGES = Path(__file__).parents[2] / "docs/tutorial"
DIFFERENT_EACH_TIME = [
    (r"[0-9a-f]{8}-[0-9a-f-]{27}", "RUN"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
    (r"file:/\S*/(shop|years)/", r"file:/\1/"),
    (r" in /\S*/lake/(runs/month=[-\d]*/part)-\S*", r" in LAKE/\1"),
]


def test_the_state_as_of_a_time(tmp_path: Path, dsn: str):
    answered = run_page("what-was-true-then.md", "Monday", tmp_path / "shop", dsn)
    assert "monday.csv" in answered
    assert "tuesday.csv" not in answered


def test_years_of_events_in_a_lake(tmp_path: Path, dsn: str):
    answered = run_page("years-of-events.md", "The events", tmp_path / "years", dsn)
    assert "s3://shop/raw/orders" in answered


def run_page(name: str, begin: str, directory: Path, dsn: str) -> str:
    """Run the commands of a page, from a heading on, in a new directory."""
    directory.mkdir()
    return run_tutorial(
        (PAGES / name).read_text().split(f"\n## {begin}\n")[1],
        directory,
        {
            **os.environ,
            **java.environment(),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "LINEAGE_DSN": dsn,
            "LINEAGE_SPOOL": str(directory.parent / "spool"),
        },
        DIFFERENT_EACH_TIME,
    )
