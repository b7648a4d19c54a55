"""Common setup of all tests: a clean environment, and fixtures by topic."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

pytest_plugins = (
    "support.fixtures.collectors",
    "support.fixtures.database",
    "support.fixtures.jdbc",
    "support.fixtures.records",
    "support.fixtures.spark",
)

# Settings of the developer's shell must not change the behaviour of a test, except for these.
_GIVEN = ("LINEAGE_TEST_DSN", "LINEAGE_CACHE", "LINEAGE_POSTGRES")
for _name in list(os.environ):
    if _name.startswith(("LINEAGE_", "OPENLINEAGE_", "PG")) and _name not in _GIVEN:
        del os.environ[_name]

# Neither may the spools in their home, and a test must not leave its own there.
_STATE = tempfile.TemporaryDirectory(prefix="lineage-state-")
os.environ["XDG_STATE_HOME"] = _STATE.name

# A busy machine must not fail a test: speed is measured in benchmarks/.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the Spark tests first: they take longest, and would otherwise end after all others."""
    spark = Path(__file__).parent / "spark"
    items.sort(key=lambda item: spark not in item.path.parents)
