"""Fixtures of the tests of observed programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Change to a directory with two files ``in`` and ``old``; return its path."""
    directory = tmp_path / "data"
    directory.mkdir()
    monkeypatch.chdir(directory)
    for name in ("in", "old"):
        (directory / name).write_text(name)
    return str(directory)
