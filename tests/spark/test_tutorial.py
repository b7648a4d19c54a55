"""The tutorial on the state as of a time: its commands and their displayed output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from support.services.tutorials import run_tutorial
from support.spark import java

PAGE = Path(__file__).parents[2] / "docs/tutorial/what-was-true-then.md"
DIFFERENT_EACH_TIME = [
    (r"[0-9a-f]{8}-[0-9a-f-]{27}", "RUN"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
    (r"file:/\S*/shop/", "file:/SHOP/"),
]


def test_each_command_answers_what_the_page_says(tmp_path: Path, dsn: str):
    (tmp_path / "shop").mkdir()
    answered = run_tutorial(
        PAGE.read_text().split("\n## Monday\n")[1],
        tmp_path / "shop",
        {
            **os.environ,
            **java.environment(),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "LINEAGE_DSN": dsn,
            "LINEAGE_SPOOL": str(tmp_path / "spool"),
        },
        DIFFERENT_EACH_TIME,
    )
    assert "monday.csv" in answered
    assert "tuesday.csv" not in answered
