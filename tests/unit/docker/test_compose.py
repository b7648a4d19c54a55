"""The compose file, checked by its content."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from lineage_cli import main
from support.fixtures import database as fix_db

ROOT = Path(__file__).parents[3]


@pytest.fixture
def database() -> dict[str, Any]:
    service: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())
    return service["services"]["database"]


def test_it_runs_the_image_that_is_tested(database: dict[str, Any]) -> None:
    assert database["image"] == fix_db.IMAGE


def test_the_port_is_published_on_loopback_only(database: dict[str, Any]) -> None:
    assert [port.split(":")[0] for port in database["ports"]] == ["127.0.0.1"]


def test_there_is_no_default_password(database: dict[str, Any]) -> None:
    assert database["environment"]["POSTGRES_PASSWORD"].startswith("${LINEAGE_DB_PASSWORD:?")


def services() -> dict[str, Any]:
    """Return the services with their YAML merges resolved."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())["services"]
    return found


def dockerfile() -> str:
    return (ROOT / "docker/Dockerfile").read_text()


@pytest.mark.parametrize("name", ["migrate", "collector", "forward"])
def test_a_command_that_a_container_runs_is_there(name: str) -> None:
    service = services()[name]
    default = json.loads(re.findall(r"^CMD (\[.*\])$", dockerfile(), re.M)[0])
    words = service.get("command", default)
    context = main.make_context("lineage", ["help"])  # the context of any command
    command = main.get_command(context, words[0])
    if isinstance(command, click.Group):
        words = words[1:]
        command = command.get_command(context, words[0])
    assert command is not None
    given = words[1:] if name != "forward" else [*words[1:-1], __file__]
    command.make_context(words[0], list(given), parent=context)


def test_nothing_starts_before_what_it_needs() -> None:
    found = {
        name: {other: each["condition"] for other, each in service["depends_on"].items()}
        for name, service in services().items()
        if name != "database"
    }
    migrated = {"migrate": "service_completed_successfully"}
    assert found == {
        "migrate": {"database": "service_healthy"}, "collector": migrated, "forward": migrated,
    }  # fmt: skip


def test_all_that_serve_report_whether_they_are_well_and_no_others() -> None:
    """``up --wait`` fails for a service that disables its healthcheck or that of its image."""
    assert {name for name, each in services().items() if "healthcheck" in each} == {
        "database", "collector",
    }  # fmt: skip
    assert services()["database"]["healthcheck"]["test"][1] == "pg_isready"
    assert "HEALTHCHECK" not in dockerfile()


def test_a_migration_that_fails_ends_the_wait_for_it() -> None:
    assert "restart" not in services()["migrate"]


def test_the_image_is_built_once_and_pulled_from_nowhere() -> None:
    built = [name for name, service in services().items() if "build" in service]
    assert built == ["migrate"]
    ours = [services()[name] for name in ("migrate", "collector", "forward")]
    assert {(each["image"], each["pull_policy"]) for each in ours} == {("lineage-age", "never")}


def test_the_file_of_targets_is_required_and_receives_its_keys() -> None:
    forward = services()["forward"]
    [mount] = forward["volumes"]
    assert (mount["source"], mount["target"]) == ("./targets.yml", forward["command"][-1])
    assert mount["bind"] == {"create_host_path": False}
    assert forward["env_file"] == [{"path": "forward.env", "required": False}]


def test_files_with_secrets_stay_out_of_version_control() -> None:
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"/docker/.env", "/docker/forward.env"} <= set(ignored)


def test_every_variable_is_on_the_page_of_deployment() -> None:
    page = (ROOT / "docs/how-to/deploy.md").read_text()
    variables = set(re.findall(r"\$\{(\w+)", (ROOT / "docker/compose.yaml").read_text()))
    assert variables
    assert {name for name in variables if name not in page} == set()


def test_the_collector_has_no_more_rights_than_a_writer() -> None:
    for name in ("collector", "forward"):
        assert services()[name]["environment"]["PGOPTIONS"] == "-c role=lineage_writer"
    assert "USER 10001" in dockerfile()


def test_the_collectors_port_is_published_on_loopback_only() -> None:
    assert [port.split(":")[0] for port in services()["collector"]["ports"]] == ["127.0.0.1"]


def test_no_password_stands_in_a_file() -> None:
    for service in services().values():
        for value in service["environment"].values():
            assert "PASSWORD" not in value or value.startswith("${LINEAGE_DB_PASSWORD:?")
