"""Fixtures of the oracles, whose jobs write the changes beside their spool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.spark.column_changes import Change, read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("oracle")


@pytest.fixture(scope="module")
def changes(directory: Path, recorded: object) -> dict[str, list[Change]]:
    """Return the changes by case after the job has been recorded."""
    return read(directory / "changes.json")
