"""What the compose file promises, read from the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fix_db
import pytest
import yaml


@pytest.fixture
def database() -> dict[str, Any]:
    root = Path(__file__).parents[3]
    service: dict[str, Any] = yaml.safe_load((root / "docker/compose.yaml").read_text())
    return service["services"]["database"]


def test_it_runs_the_image_that_is_tested(database: dict[str, Any]) -> None:
    assert database["image"] == fix_db.IMAGE


def test_the_port_is_published_on_loopback_only(database: dict[str, Any]) -> None:
    assert [port.split(":")[0] for port in database["ports"]] == ["127.0.0.1"]


def test_there_is_no_default_password(database: dict[str, Any]) -> None:
    assert database["environment"]["POSTGRES_PASSWORD"].startswith("${LINEAGE_DB_PASSWORD:?")
