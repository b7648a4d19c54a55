"""Rights of login roles that are members of lineage_writer or lineage_reader only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from psycopg import sql
from psycopg.conninfo import make_conninfo
from support.events.builders import run_event

from lineage.http import tokens
from lineage.ingest.writer import EventWriter
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.transport import AgeConfig, AgeTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Login = Callable[[str], str]

LABELS = (
    "Dataset", "Job", "Run", "Field", "INPUT_TO", "OUTPUTS", "EXECUTES", "PARENT", "HAS_FIELD",
    "FEEDS", "DERIVES", "DECLARED", "Record", "WITNESS",
)  # fmt: skip
# Tables from which writers of events delete rows: queues, and forwarding.
QUEUES = {
    "projection_queue", "plan_document_queue", "forward", "rejected_forward", "imported_part",
    "deferred_feeds", "deferred_derives",
}  # fmt: skip


@pytest.fixture
def login(dsn: str) -> Iterator[Login]:
    """Return a function that creates a login role in one role, and returns its DSN."""
    made: list[sql.Identifier] = []
    with psycopg.connect(dsn, autocommit=True) as conn:

        def make(member_of: str) -> str:
            name = f"{conn.info.dbname}_{member_of}"
            role = sql.Identifier(name)
            conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'plain'").format(role))
            made.append(role)
            conn.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(member_of), role))
            return make_conninfo(dsn, user=name, password="plain", passfile="/nonexistent")

        yield make
        for role in made:
            conn.execute(sql.SQL("DROP ROLE {}").format(role))


@pytest.fixture
def writer(login: Login) -> str:
    return login("lineage_writer")


def run(dsn: str, *words: str, text: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(main, [*words, "--dsn", dsn], input=text)
    return result.exit_code, result.output


def symlinks(*names: str) -> dict[str, object]:
    said = [{"namespace": "n", "name": name, "type": "TABLE"} for name in names]
    facet = {"_producer": "urn:test", "_schemaURL": "urn:test", "identifiers": said}
    return {"symlinks": facet}


def schema(*names: str) -> dict[str, object]:
    fields = [{"name": name, "type": "string"} for name in names]
    return {"schema": {"_producer": "urn:test", "_schemaURL": "urn:test", "fields": fields}}


def event(run_id: str, state: str, time: int, target: str, **facets: object) -> str:
    """Return an event of a run that writes ``target`` from raw, column x from column a."""
    source = {"namespace": "n", "name": "raw", "field": "a"}
    columns = {
        "_producer": "urn:test",
        "_schemaURL": "urn:test",
        "fields": {"x": {"inputFields": [source]}},
    }
    written = {"namespace": "n", "name": target, "facets": {"columnLineage": columns, **facets}}
    return json.dumps(
        {
            "eventType": state,
            "eventTime": f"2026-01-01T00:{time:02}:00Z",
            "producer": "urn:test",
            "schemaURL": "urn:test",
            "run": {"runId": run_id},
            "job": {"namespace": "n", "name": "job"},
            "inputs": [{"namespace": "n", "name": "raw"}],
            "outputs": [written],
        }
    )


def design(time: int) -> str:
    """Return a design of a job that writes ``late`` from raw, which a run may show later."""
    return json.dumps(
        {
            "eventTime": f"2026-01-01T00:{time:02}:00Z",
            "producer": "urn:test",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
            "job": {"namespace": "n", "name": "job"},
            "inputs": [{"namespace": "n", "name": "raw"}],
            "outputs": [{"namespace": "n", "name": "late"}],
        }
    )


# Each step deletes from the graph: the last run of FEEDS and DERIVES fails, columns leave a
# schema, a name becomes an alias, a run shows a declared edge, and a design is replaced.
EVENTS = (
    event("r1", "START", 1, "gold"),
    event("r1", "FAIL", 2, "gold"),
    event("r2", "COMPLETE", 3, "gold", **schema("x", "y", "z")),
    event("r3", "COMPLETE", 4, "gold", **schema("x")),
    event("r4", "COMPLETE", 5, "other"),
    event("r5", "COMPLETE", 6, "gold", **symlinks("other")),
    design(7),
    design(8),
    event("r6", "START", 9, "late"),
    event("r6", "ABORT", 10, "late"),
    event("r7", "COMPLETE", 11, "late"),
)


def test_a_writer_writes_all_that_events_say(writer: str, dsn: str) -> None:
    with psycopg.connect(writer, autocommit=True) as conn:
        for each in EVENTS:
            with EventWriter(conn) as emitter:
                emitter.emit(each)
    with psycopg.connect(dsn, autocommit=True) as owner:
        # No summary remains that the facts no longer support.
        found = owner.execute(
            "SELECT * FROM cypher('provenance', $$ MATCH (d:Dataset) RETURN d.name $$)"
            " AS (n agtype)"
        ).fetchall()
        assert sorted(name.strip('"') for (name,) in found) == ["gold", "late", "raw"]
        fields = owner.execute("SELECT name FROM lineage.field ORDER BY name").fetchall()
        assert fields == [("a",), ("x",), ("x",)]
        assert owner.execute('SELECT count(*) FROM provenance."DECLARED"').fetchone() == (0,)
        written = graph_fingerprint(owner)
        rebuild_graph(owner)
        assert graph_fingerprint(owner) == written


def test_a_writer_ingests_transports_and_asks(writer: str) -> None:
    assert run(writer, "ingest", "-", text="\n".join(EVENTS))[0] == 0
    transport = AgeTransport(AgeConfig.from_dict({"dsn": writer}))
    transport.emit(
        RunEvent(
            eventType=RunState.COMPLETE,
            eventTime="2026-01-02T00:00:00Z",
            run=Run(runId="01938a8e-7b1c-7d1f-8a55-3d7f5b0a8c11"),
            job=Job(namespace="dbt", name="model"),
            inputs=[InputDataset(namespace="n", name="gold")],
            outputs=[OutputDataset(namespace="n", name="mart")],
            producer="urn:test",
        )
    )
    transport.close(5)
    assert "raw" in run(writer, "query", "mart")[1]
    for words in (
        ("status",),
        ("events",),
        ("token", "list"),
        ("forward", "list"),
        ("plan-documents",),
    ):
        assert run(writer, *words)[0] == 0, words
    assert run(writer, "cypher", "MATCH (d:Dataset) RETURN d.name")[0] == 0


OWNERS = {
    "rebuild": ("rebuild",),
    "replay": ("replay", "--spark"),
    "prune": ("prune", "--before", "2020-01-01", "--yes"),
    "token add": ("token", "add", "mine"),
    "token remove": ("token", "remove", "mine"),
}


@pytest.mark.parametrize("words", OWNERS.values(), ids=OWNERS)
@pytest.mark.parametrize("role", ["lineage_writer", "lineage_reader"])
def test_what_is_for_the_owner_names_the_owner(
    words: tuple[str, ...], role: str, login: Login, dsn: str
) -> None:
    with psycopg.connect(dsn) as conn:
        owner = conn.info.user
    status, output = run(login(role), *words)
    assert status == 2
    assert "only the owner of the schema lineage may" in output
    assert f'Connect as "{owner}"' in output


def test_a_writer_finds_a_token_by_its_hash_alone(writer: str, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as owner:
        secret = tokens.add_token(owner, "airflow", "write", ["etl"])
    with psycopg.connect(writer, autocommit=True) as conn:
        assert tokens.find_token(conn, tokens.token_digest(secret)) == tokens.Token(
            "airflow", "write", ("etl",)
        )
        assert tokens.find_token(conn, tokens.token_digest("lineage_x")) is None
        for statement in ("SELECT sha256 FROM lineage.token", "SELECT t FROM lineage.token t"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(statement.encode())


def test_a_reader_sees_nothing_of_tokens(login: Login) -> None:
    with psycopg.connect(login("lineage_reader"), autocommit=True) as conn:
        for statement in (
            "SELECT name FROM lineage.token",
            "SELECT * FROM lineage.find_token('\\x00')",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(statement.encode())


DAMAGE = (
    "SELECT * FROM cypher('provenance', $$ MATCH (n) DETACH DELETE n $$) AS (a agtype)",
    "SELECT * FROM cypher('provenance', $$ MATCH ()-[e]->() DELETE e $$) AS (a agtype)",
    "SELECT drop_graph('provenance', true)",
    "SELECT drop_label('provenance', 'FEEDS')",
    "SELECT alter_graph('provenance', 'RENAME', 'other')",
    "SELECT create_vlabel('provenance', 'Other')",
    "DROP SCHEMA provenance CASCADE",
    "DROP SCHEMA lineage CASCADE",
    "CREATE TABLE lineage.other ()",
    "DELETE FROM lineage.migration",
    "UPDATE lineage.event SET body = '{}'",
    "INSERT INTO lineage.token VALUES ('x', sha256('x'), 'write', '{}')",
    "UPDATE ag_catalog.ag_graph SET name = 'other'",
    "SELECT setval('provenance.\"Dataset_id_seq\"', 1)",
    "ALTER ROLE lineage_reader SUPERUSER",
    *(f'{verb} provenance."{label}"' for label in LABELS for verb in ("DELETE FROM", "TRUNCATE")),
    *(f'DROP TABLE provenance."{label}"' for label in LABELS),
)


@pytest.mark.parametrize("role", ["lineage_writer", "lineage_reader"])
def test_nothing_of_the_graph_can_be_destroyed(role: str, login: Login, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as owner, EventWriter(owner) as emitter:
        emitter.emit(run_event("r1", "COMPLETE", 1, reads=("a",), writes=("b",)))
    done = []
    with psycopg.connect(login(role), autocommit=True) as conn:
        for statement in DAMAGE:
            try:
                with conn.transaction(force_rollback=True):
                    conn.execute(statement.encode())
                    done.append(statement)
            except psycopg.Error:
                continue
    assert done == []


@pytest.mark.parametrize("role", ["lineage_writer", "lineage_reader"])
def test_no_table_grants_more_than_writing_needs(role: str, login: Login) -> None:
    with psycopg.connect(login(role), autocommit=True) as conn:
        rows = conn.execute(
            """
            SELECT c.relname, p.privilege
            FROM pg_class c,
                 unnest('{INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[])
                     AS p (privilege)
            WHERE c.relnamespace IN ('lineage'::regnamespace, 'provenance'::regnamespace)
              AND c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, p.privilege)
            """
        ).fetchall()
    if role == "lineage_reader":
        assert rows == []
    assert {privilege for _, privilege in rows} <= {"INSERT", "UPDATE", "DELETE"}
    assert {table for table, privilege in rows if privilege == "DELETE"} <= QUEUES
    assert not {"migration", "token", "retention", "superseded_event"} & {
        table for table, _ in rows
    }


def test_tables_of_later_come_without_rights(login: Login, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute("CREATE TABLE lineage.later ()")
    for role in ("lineage_writer", "lineage_reader"):
        with psycopg.connect(login(role), autocommit=True) as conn:
            row = conn.execute("SELECT has_table_privilege('lineage.later', 'SELECT')").fetchone()
            assert row == (False,)


def test_functions_with_rights_of_their_owner_pin_the_search_path(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        rows = conn.execute(
            """
            SELECT p.proname, p.proconfig::text, p.proacl::text FROM pg_proc p
            WHERE p.prosecdef AND p.pronamespace = 'lineage'::regnamespace
            """
        ).fetchall()
    assert {"find_token", "reassign_names", "run_cypher"} <= {name for name, _, _ in rows}
    for name, settings, grants in rows:
        assert "search_path=pg_catalog" in settings, name
        assert not {"{=X", ",=X"} & {grants[i : i + 3] for i in range(len(grants))}, name  # PUBLIC
