"""``lineage run``: what a command leaves in the spool that wrote no plan document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner
from lineage_cli import main

if TYPE_CHECKING:
    from pathlib import Path


def test_a_command_that_cannot_be_started_leaves_no_directory(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["run", "--spool", str(tmp_path), "--", "nosuchprogram"])
    assert "nosuchprogram cannot be started" in result.stderr
    assert list(tmp_path.iterdir()) == []
