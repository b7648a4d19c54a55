"""Output and exit codes of ``lineage up``, ``down``, ``status`` and ``migrate``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.fixtures.database import new_home

from lineage.database import migrations
from lineage.postgres.instance import Instance

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    path = new_home()
    yield path
    Instance(path).down()
    shutil.rmtree(path)


@pytest.fixture(autouse=True)
def _at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_HOME", str(home))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_functions_of_another_version_are_listed_as_pending(dsn: str) -> None:
    def last_line() -> str:
        return run("migrate", "--list", "--dsn", dsn).stdout.splitlines()[-1]

    assert not last_line().startswith("functions")
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("UPDATE lineage.function_set SET sha256 = repeat('0', 64)")
    assert last_line() == "functions\tpending"
    assert run("migrate", "--dsn", dsn).exit_code == 0
    assert not last_line().startswith("functions")


def test_status_before_the_first_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path))
    result = run("status")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"No server is running in {tmp_path}. Start it with: lineage up\n"


def test_up_prints_the_dsn_of_a_migrated_database_and_nothing_else_on_stdout() -> None:
    result = run("up")
    assert result.exit_code == 0, result.stderr
    with psycopg.connect(result.stdout.strip(), autocommit=True) as conn:
        assert conn.info.dbname == "lineage"
        migrations.check_schema(conn)


def test_a_second_up_says_so_and_prints_the_same() -> None:
    first, second = run("up"), run("up")
    assert second.stdout == first.stdout
    assert "already running" in second.stderr


def test_up_reports_that_another_database_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", "dbname=elsewhere")
    assert "LINEAGE_DSN is set. Other commands use that database" in run("up").stderr


def test_the_dsn_lets_its_owner_in_through_any_client() -> None:
    if psql := shutil.which("psql"):
        command = [psql, run("up").stdout.strip(), "-XAtc", "SELECT 1"]
        assert subprocess.run(command, capture_output=True, text=True).stdout == "1\n"


def test_status_of_a_server_that_runs(home: Path) -> None:
    dsn = run("up").stdout.strip()
    result = run("status")
    assert result.exit_code == 0
    told = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert told["dsn"] == dsn
    assert told["data"] == f"{home}/data"
    assert Path("/proc", told["process"]).exists()


def test_migrate_takes_the_private_server_and_finds_nothing_to_do() -> None:
    run("up")
    result = run("migrate")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Nothing to apply: the database is up to date.\n"


def test_migrate_brings_a_database_up_to_date(empty_dsn: str) -> None:
    names = [each.name for each in migrations.available_migrations()]
    applied = [f"Applying {name}." for name in (*names, "functions")]
    listed = run("migrate", "--list", "--dsn", empty_dsn).stdout.splitlines()
    assert [line.split("\t")[1] for line in listed] == ["pending"] * len(names)

    assert run("migrate", "--dsn", empty_dsn).stderr.splitlines()[: len(applied)] == applied

    listed = run("migrate", "--list", "--dsn", empty_dsn).stdout.splitlines()
    assert "pending" not in "".join(listed)


def test_migrate_without_a_database_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path))
    result = run("migrate")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("Start a private server: lineage up\n")


def test_down_stops_and_a_second_down_says_that_nothing_runs(home: Path) -> None:
    run("up")
    assert run("down").stderr == "Stopped.\n"
    again = run("down")
    assert (again.exit_code, again.stderr) == (0, f"No server is running in {home}.\n")
    assert run("status").exit_code == 1


@pytest.mark.parametrize("command", ["up", "down", "status", "migrate"])
def test_help_begins_with_a_sentence_and_shows_an_example(command: str) -> None:
    _usage, summary, rest = run(command, "-h").stdout.split("\n\n", 2)
    assert summary.endswith(".")
    assert f"    lineage {command}" in rest
