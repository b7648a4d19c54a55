"""The tutorial on the state as of a time: its commands and their displayed output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from support.spark import java

PAGE = Path(__file__).parents[2] / "docs/tutorial/what-was-true-then.md"
BLOCK = re.compile(r"^```(sh)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "----- next block -----"
DIFFERENT_EACH_TIME = [
    (r"[0-9a-f]{8}-[0-9a-f-]{27}", "RUN"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
    (r"file:/\S*/shop/", "file:/SHOP/"),
]


def test_each_command_answers_what_the_page_says(tmp_path: Path, dsn: str):
    blocks = BLOCK.findall(PAGE.read_text().split("\n## Monday\n")[1])
    commands = [text for language, text in blocks if language]
    (tmp_path / "shop").mkdir()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"echo '{MARK}'\n".join(commands)],
        cwd=tmp_path / "shop",
        env={
            **os.environ,
            **java.environment(),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "LINEAGE_DSN": dsn,
            "LINEAGE_SPOOL": str(tmp_path / "spool"),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0
    outputs = iter(done.stdout.split(f"{MARK}\n"))
    answered = ""
    for language, text in blocks:
        if language:
            answered = next(outputs)
        else:
            assert masked(answered) == masked(text)
    assert "monday.csv" in answered
    assert "tuesday.csv" not in answered


def masked(text: str) -> str:
    for pattern, word in DIFFERENT_EACH_TIME:
        text = re.sub(pattern, word, text)
    return text
