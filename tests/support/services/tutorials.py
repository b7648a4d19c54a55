"""Tutorials in tests: the commands of a page, and the output that the page displays."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

BLOCK = re.compile(r"^```(sh)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "----- next block -----"


def run_tutorial(
    text: str, directory: Path, environment: Mapping[str, str], masks: Sequence[tuple[str, str]]
) -> str:
    """Run the commands of a page in one shell, and compare the output on the page.

    ``masks``: patterns of variable parts, and their replacements. Return the output of
    the last command whose output is displayed.
    """

    def masked(shown: str) -> str:
        for pattern, word in masks:
            shown = re.sub(pattern, word, shown)
        return shown

    blocks = BLOCK.findall(text)
    commands = [commands for language, commands in blocks if language]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"echo '{MARK}'\n".join(commands)],
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0
    outputs = iter(done.stdout.split(f"{MARK}\n"))
    answered = ""
    for language, shown in blocks:
        if language:
            answered = next(outputs)
        else:
            assert masked(answered) == masked(shown), answered
    return answered
