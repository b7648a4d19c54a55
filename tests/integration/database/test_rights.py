"""Migration by an owner without superuser rights, after a superuser has prepared the database."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from psycopg import sql
from psycopg.conninfo import make_conninfo

from lineage.database import migrations, rights
from lineage.errors import MigrationError

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNER = "lineage_test_plain_owner"
EVENT = (
    '{"eventTime": "2026-01-01T00:00:00Z", "eventType": "COMPLETE", "producer": "urn:test",'
    ' "schemaURL": "urn:test", "run": {"runId": "r1"}, "job": {"namespace": "n", "name": "job"},'
    ' "inputs": [{"namespace": "n", "name": "raw"}],'
    ' "outputs": [{"namespace": "n", "name": "gold"}]}'
)


@pytest.fixture
def owner_dsn(empty_dsn: str) -> Iterator[str]:
    """Create an empty database whose owner is not a superuser and has no further rights."""
    role = sql.Identifier(OWNER)
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        database = sql.Identifier(conn.info.dbname)
        # Roles belong to the server: a killed run may have left this one.
        conn.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(role))
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'plain'").format(role))
        conn.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(database, role))
        yield make_conninfo(empty_dsn, user=OWNER, password="plain", passfile="/nonexistent")
        conn.execute(sql.SQL("REASSIGN OWNED BY {} TO CURRENT_USER").format(role))
        conn.execute(sql.SQL("DROP OWNED BY {}").format(role))
        conn.execute(sql.SQL("DROP ROLE {}").format(role))


def run(*words: str, dsn: str, given: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(main, [*words, "--dsn", dsn], input=given)
    return result.exit_code, result.output


def statements(output: str) -> str:
    return output.partition("then run lineage migrate again:")[2]


def test_what_a_superuser_has_to_run_is_listed_once_and_is_enough(
    owner_dsn: str, empty_dsn: str
) -> None:
    status, doctor = run("doctor", dsn=owner_dsn)
    assert (status, "Run: lineage migrate" in doctor) == (1, True)

    status, refused = run("migrate", dsn=owner_dsn)

    assert status == 2
    assert f'Role "{OWNER}" lacks rights in database' in refused
    assert "CREATE EXTENSION age;" in statements(refused)
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        assert conn.execute("SELECT to_regnamespace('lineage')").fetchone() == (None,)
        conn.execute(statements(refused).encode())

    assert run("migrate", dsn=owner_dsn)[0] == 0
    assert "WRONG" not in "".join(run("doctor", dsn=owner_dsn)[1].partition("java")[0])
    assert run("ingest", "-", dsn=owner_dsn, given=EVENT)[0] == 0
    assert "n/raw" in run("query", "gold", dsn=owner_dsn)[1]
    # the role of raw Cypher, and the settings of the database
    assert (
        "n/raw"
        in run("cypher", "MATCH (d:Dataset) RETURN d.namespace + '/' + d.name", dsn=owner_dsn)[1]
    )


def test_the_page_on_deploying_names_all_that_a_superuser_has_to_run(
    owner_dsn: str, empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[3] / "docs/how-to/deploy.md").read_text()
    listed = page.partition("2. As a superuser in that database")[2].partition("The settings")[0]
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        names = {"lineage_owner": OWNER, "DATABASE lineage": f"DATABASE {conn.info.dbname}"}
        for line in filter(None, (line.strip() for line in listed.splitlines()[1:])):
            for name, real in names.items():
                line = line.replace(name, real)
            # Roles belong to the server: other tests may have created these.
            with contextlib.suppress(psycopg.errors.DuplicateObject):
                conn.execute(line.encode())
    # Disable the automatic preparation: the statements of the page must suffice.
    monkeypatch.setattr(rights, "prepare_rights", lambda _: [])
    with psycopg.connect(owner_dsn, autocommit=True) as conn:
        migrations.apply_pending(conn)
    assert "n/raw" not in run("query", "gold", dsn=owner_dsn)[1]
    assert run("ingest", "-", dsn=owner_dsn, given=EVENT)[0] == 0
    assert "n/raw" in run("query", "gold", dsn=owner_dsn)[1]


def test_what_a_superuser_upgrades_belongs_to_the_owner(
    owner_dsn: str, empty_dsn: str, tmp_path: Path
) -> None:
    """As after the restore of a dump of an earlier version; else the owner can migrate no more."""
    directory = tmp_path / "migrations"
    shutil.copytree(Path(__file__).parents[3] / "migrations", directory)
    functions = directory / "functions/15_maintenance.sql"
    text = functions.read_text()
    _, refused = run("migrate", dsn=owner_dsn)
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute(statements(refused).encode())
    for number, dsn in enumerate((owner_dsn, empty_dsn, owner_dsn)):
        new = f"CREATE OR REPLACE FUNCTION lineage.new() RETURNS int RETURN {number};"
        functions.write_text(f"{text}\n{new if number else ''}\n")
        with psycopg.connect(dsn, autocommit=True) as conn:
            assert migrations.apply_pending(conn, directory)
            user = conn.info.user
            assert conn.execute("SELECT current_user").fetchone() == (user,)
    with psycopg.connect(owner_dsn, autocommit=True) as conn:
        owners = conn.execute(
            "SELECT DISTINCT proowner::regrole::text FROM pg_proc"
            " WHERE pronamespace = 'lineage'::regnamespace"
        )
        assert set(owners) == {(OWNER,), ("lineage_cypher",)}
        assert conn.execute("SELECT lineage.new()").fetchone() == (2,)


def test_with_the_extension_alone_the_rest_is_listed(owner_dsn: str, empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("CREATE EXTENSION age")
    with (
        psycopg.connect(owner_dsn, autocommit=True) as conn,
        pytest.raises(MigrationError) as raised,
    ):
        migrations.apply_pending(conn)
    assert raised.value.hint is not None
    assert "CREATE EXTENSION" not in raised.value.hint
    assert f'GRANT USAGE ON SCHEMA ag_catalog TO "{OWNER}"' in raised.value.hint


def test_a_failed_migration_is_reported_though_its_transaction_cannot_be_rolled_back(
    owner_dsn: str, empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # AGE 1.8 closes a connection whose transaction failed in create_graph.
    monkeypatch.setattr(rights, "prepare_rights", lambda _: [])
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("CREATE EXTENSION age")
    status, output = run("migrate", dsn=owner_dsn)
    assert status == 2
    assert "permission denied for schema ag_catalog" in output


@pytest.mark.parametrize(("number", "release"), [(150_004, "15"), (130_018, "13")])
def test_an_old_server_is_rejected(number: int, release: str) -> None:
    with pytest.raises(MigrationError, match=f"PostgreSQL {release}, and lineage needs 16"):
        rights.require_version(number)


def test_the_oldest_supported_server_is_accepted() -> None:
    taken = []
    for number in (159_999, 160_000, 160_004, 180_001):
        with contextlib.suppress(MigrationError):
            rights.require_version(number)
            taken.append(number)
    assert taken == [160_000, 160_004, 180_001]
