"""What all tests share: a clean environment, and fixtures by topic."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

pytest_plugins = ("support.fixtures.database", "support.fixtures.jdbc", "support.fixtures.spark")

# What the developer's shell sets must not decide what a test does. The test database is the one
# setting a run may be given.
_GIVEN = ("LINEAGE_TEST_DSN", "LINEAGE_CACHE", "LINEAGE_POSTGRES")
for _name in list(os.environ):
    if _name.startswith(("LINEAGE_", "OPENLINEAGE_", "PG")) and _name not in _GIVEN:
        del os.environ[_name]

# A machine that is busy makes no test fail: speed is measured in benchmarks/.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spark's files take longest: they come first, so that no worker waits for one at the end."""
    spark = Path(__file__).parent / "spark"
    items.sort(key=lambda item: spark not in item.path.parents)
