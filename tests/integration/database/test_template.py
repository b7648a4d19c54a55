"""Test databases: a copy of a template is a complete AGE database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.database import Server


@pytest.fixture(scope="module")
def template(server: Server) -> Iterator[str]:
    """Create a database with AGE, settings, and a graph with a label, an index and a vertex."""
    name = server.create()
    with psycopg.connect(server.dsn(name), autocommit=True) as conn:
        conn.execute("CREATE EXTENSION age")
        conn.execute(f'ALTER DATABASE "{name}" SET search_path = ag_catalog, "$user", public')
        conn.execute(f"ALTER DATABASE \"{name}\" SET session_preload_libraries = 'age'")
        conn.execute(f'ALTER DATABASE "{name}" SET age.enable_containment = off')
    with psycopg.connect(server.dsn(name), autocommit=True) as conn:
        conn.execute("SELECT create_graph('known'); SELECT create_vlabel('known', 'Dataset')")
        conn.execute(
            'CREATE UNIQUE INDEX dataset_name ON known."Dataset"'
            " (agtype_access_operator(VARIADIC ARRAY[properties, '\"name\"'::agtype]))"
        )
        conn.execute(
            "SELECT * FROM cypher('known', $$CREATE (:Dataset {name: 'a'})$$) AS (n agtype)"
        )
    yield name
    server.drop(name)


@pytest.fixture
def copy(template: str, database: Callable[[str], str]) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database(template), autocommit=True) as conn:
        yield conn


def names(conn: psycopg.Connection, graph: str = "known") -> list[str]:
    rows = conn.execute(
        f"SELECT * FROM cypher('{graph}', $$MATCH (d:Dataset) RETURN d.name ORDER BY d.name$$)"
        " AS (name agtype)"
    )
    return [name for (name,) in rows]


def test_a_copy_answers_cypher(copy: psycopg.Connection) -> None:
    assert names(copy) == ['"a"']


def test_a_copy_can_be_written(copy: psycopg.Connection) -> None:
    copy.execute("SELECT * FROM cypher('known', $$CREATE (:Dataset {name: 'b'})$$) AS (n agtype)")
    assert names(copy) == ['"a"', '"b"']


def test_a_copy_keeps_the_index(copy: psycopg.Connection) -> None:
    copy.execute("SET enable_seqscan = off")
    plan = copy.execute(
        "EXPLAIN SELECT * FROM cypher('known', $$MATCH (d:Dataset {name: 'a'}) RETURN d$$)"
        " AS (d agtype)"
    )
    assert "dataset_name" in "".join(line for (line,) in plan)


def test_a_copy_can_get_another_graph(copy: psycopg.Connection) -> None:
    copy.execute("SELECT create_graph('other')")
    copy.execute("SELECT * FROM cypher('other', $$CREATE (:Dataset {name: 'c'})$$) AS (n agtype)")
    assert names(copy, "other") == ['"c"']


def test_a_copy_can_drop_the_graph(copy: psycopg.Connection) -> None:
    copy.execute("SELECT drop_graph('known', true)")
    assert copy.execute("SELECT count(*) FROM ag_graph").fetchall() == [(0,)]


def test_a_copy_has_the_settings_of_its_template(copy: psycopg.Connection) -> None:
    assert copy.execute("SHOW age.enable_containment").fetchall() == [("off",)]
    assert copy.execute("SHOW search_path").fetchall() == [('ag_catalog, "$user", public',)]


def test_copies_do_not_see_each_other(template: str, database: Callable[[str], str]) -> None:
    with psycopg.connect(database(template)) as one, psycopg.connect(database(template)) as two:
        one.execute(
            "SELECT * FROM cypher('known', $$CREATE (:Dataset {name: 'b'})$$) AS (n agtype)"
        )
        one.commit()
        assert names(two) == ['"a"']


def test_a_migrated_database_is_migrated(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        from lineage.database import migrations

        migrations.check_schema(conn)
