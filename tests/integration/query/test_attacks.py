"""Attacks by raw Cypher: each is rejected or harmless, and the next query succeeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.slow import slow

from lineage.errors import QueryError
from lineage.projection.rebuild import graph_fingerprint
from lineage.query.cypher.execution import MAX_QUERY_CHARACTERS

if TYPE_CHECKING:
    from lineage.query import Graph

    Connection = psycopg.Connection[Any]

CALLED = "may not be called"
READ_ONLY = "may read the graph and nothing else|[Pp]ermission denied"
VARIABLE = "patterns of variable length|maximum length|cannot be rewritten"
RANGE = "bounds of range"

# name -> the query, and the expected message
ATTACKS: dict[str, tuple[str, str]] = {
    # function calls in every notation
    "a file is read": ("RETURN pg_catalog.pg_read_file('PG_VERSION'::pg_text) AS x", CALLED),
    "a file is read, not qualified": ("RETURN pg_read_file('PG_VERSION') AS x", CALLED),
    "a directory is listed": ("RETURN pg_catalog.pg_ls_dir('.') AS x", CALLED),
    "a file is imported": ("RETURN pg_catalog.lo_import('/etc/passwd') AS x", CALLED),
    "another server": ("RETURN public.dblink('host=localhost', 'SELECT 1') AS x", CALLED),
    "a sleep": ("RETURN pg_catalog.pg_sleep(1000) AS x", CALLED),
    "a sleep by CALL": ("CALL pg_catalog.pg_sleep(1000) YIELD x RETURN x", CALLED),
    "a sleep by CALL, not qualified": ("CALL pg_sleep(1000) YIELD x RETURN x", CALLED),
    "spaces and comments": ("RETURN pg_catalog /* . */ . pg_sleep // (\n (1000) AS x", CALLED),
    "backticks": ("RETURN `pg_catalog`.`pg_sleep`(1000) AS x", "quoted name"),
    "capitals": ("RETURN PG_SLEEP(1000) AS x", CALLED),
    "inside another": ("RETURN size([coalesce(pg_sleep(1000), 1)]) AS x", CALLED),
    "in a comprehension": ("RETURN [x IN [1] WHERE pg_sleep(1000) = 1 | x] AS x", CALLED),
    "in a map of a pattern": ("MATCH (d:Dataset {name: pg_sleep(1000)}) RETURN d AS x", CALLED),
    "in ORDER BY": ("MATCH (d) RETURN d AS x ORDER BY pg_sleep(1000)", CALLED),
    "a keyword as schema": ("RETURN call.pg_sleep(1000) AS x", CALLED),
    "a setting": ("RETURN pg_catalog.set_config('role', 'none', false) AS x", CALLED),
    "search_path": (
        "RETURN pg_catalog.set_config('search_path', 'public', false) AS x", CALLED,
    ),
    "a lock of the session": ("RETURN pg_catalog.pg_advisory_lock(1) AS x", CALLED),
    "SQL in a text": ("RETURN pg_catalog.query_to_xml('SELECT 1', true, true, '') AS x", CALLED),
    "the log": (
        "RETURN pg_catalog.table_to_xml('lineage.event', true, true, '') AS x", CALLED,
    ),
    "another backend": ("RETURN pg_catalog.pg_terminate_backend(1) AS x", CALLED),
    "a notification": ("RETURN pg_catalog.pg_notify('a', 'b') AS x", CALLED),
    "a sequence": ("RETURN pg_catalog.nextval('provenance.\"Run_id_seq\"') AS x", CALLED),
    "an operator's name": ("RETURN 1 OPERATOR(pg_catalog.+) 2 AS x", CALLED),
    "a cast to a name of a table": ("RETURN 'lineage.event'::regclass AS x", "may not be cast"),
    "a cast to XML": ("RETURN '<a/>'::xml AS x", "may not be cast"),
    # functions of AGE with side effects, or that load the graph into the session
    "a graph is made": ("RETURN ag_catalog.create_graph('mine') AS x", CALLED),
    "a graph is dropped": ("RETURN ag_catalog.drop_graph('provenance', true) AS x", CALLED),
    "labels from a file": (
        "RETURN ag_catalog.load_labels_from_file('provenance', 'Run', '/tmp/age/x.csv') AS x",
        CALLED,
    ),
    "a prepared query": ("RETURN prepare_cypher('provenance', 'RETURN 1') AS x", CALLED),
    "the cache": ("RETURN delete_global_graphs('provenance') AS x", CALLED),
    "statistics of the cache": ("RETURN graph_stats('provenance') AS x", CALLED),
    "a vertex's statistics": ("MATCH (d:Dataset) RETURN vertex_stats(d) AS x", CALLED),
    "the engine by name": ("MATCH (d) RETURN VLE(d, d, d, 1, 2, 0) AS x", CALLED),
    "the engine by schema": ("RETURN ag_catalog.age_vle(1) AS x", CALLED),
    "shortest_path": ("MATCH (a), (b) RETURN shortest_path(a, b) AS x", CALLED),
    "another graph": ("RETURN all_shortest_paths('other', 1, 2) AS x", CALLED),
    "variable length": ("MATCH (a)-[*]->(b) RETURN a AS x", VARIABLE),
    "variable length, spaced": ("MATCH (a)-/**/[ /*]*/ * /**/ 1 .. ]-(b) RETURN a AS x", VARIABLE),
    "variable length in EXISTS": (
        "MATCH (a) WHERE EXISTS((a)-[*]->()) RETURN a AS x", VARIABLE,
    ),
    "variable length in a subquery": (
        "MATCH (a) WHERE EXISTS {MATCH (a)-[*]->()} RETURN a AS x", VARIABLE,
    ),
    # writing
    "CREATE": ("CREATE (d:Dataset {name: 'x'}) RETURN d AS x", READ_ONLY),
    "a new label": ("CREATE (d:Mine {name: 'x'}) RETURN d AS x", READ_ONLY),
    "MERGE": ("MERGE (d:Dataset {name: 'x'}) RETURN d AS x", READ_ONLY),
    "SET": ("MATCH (d:Dataset) SET d.name = 'x' RETURN d AS x", READ_ONLY),
    "REMOVE": ("MATCH (d:Dataset) REMOVE d.name RETURN d AS x", READ_ONLY),
    "DELETE": ("MATCH (d:Dataset) DETACH DELETE d RETURN d AS x", READ_ONLY),
    "a write behind reads": (
        "MATCH (d:Dataset) WITH d LIMIT 1 CREATE (d)-[:FEEDS]->(d) WITH d RETURN d AS x", READ_ONLY,
    ),
    "DROP": ("DROP TABLE lineage.event RETURN 1 AS x", "[Ss]yntax error"),
    # escapes from quotes and from the lexer
    "dollar quotes": (
        "RETURN 1 $$, NULL) AS (x agtype); DROP TABLE lineage.event; --", "nexpected character",
    ),
    "a tag of dollar quotes": ("RETURN 1 AS x $q$) AS (x agtype)", "yntax error"),
    "a comment that is not closed": ("RETURN 1 AS x /* ", "nterminated"),
    "a string that is not closed": ("RETURN 'a AS x", "nterminated"),
    "a comment in an operator": ("RETURN 1 *// pg_sleep(\n 1 AS x", "comment begins"),
    "an escape that is a quote": ("RETURN '\\u0027 || pg_sleep(1000) || \\u0027' AS x", ""),
    "half a character": ("RETURN '\\ud800' AS x", "Unicode"),
    "NUL by escape": ("RETURN '\\u0000' AS x", "Unicode"),
    "two statements": ("RETURN 1 AS x; MATCH (n) DELETE n", "yntax error|permission denied"),
    "EXPLAIN": ("EXPLAIN ANALYZE RETURN 1 AS x", "EXPLAIN is not allowed"),
    # more resources than the server has
    "a long list": ("RETURN size(range(1, 999999999)) AS x", RANGE),
    "a long list, computed": ("RETURN size(range(1, 9999 * 9999)) AS x", RANGE),
    "a long list by name": ("WITH 999999999 AS n RETURN size(range(1, n)) AS x", RANGE),
    "a long list in a list": ("RETURN size(range(1, size(range(1, 2^30)))) AS x", RANGE),
    "a plan that doubles": (
        "WITH 'a' AS s " + "WITH s + s AS s " * 40 + "RETURN size(s) AS x", "would not end",
    ),
    "a long list, copied": (
        "WITH [" + "1, " * 10_000 + "1] AS s WITH [" + "s, " * 90 + "s] AS s RETURN size(s) AS x",
        "would not end",
    ),
    "copied in the end": (
        "WITH [" + "1, " * 10_000 + "1] AS s RETURN size([" + "s, " * 90 + "s]) AS x",
        "would not end",
    ),
    "a list of all there is": (
        "MATCH (a), (b), (c), (d), (e), (f), (g) RETURN size(collect(a)) AS x", "would collect",
    ),
    "a cross product": ("MATCH (a), (b), (c), (d), (e), (f), (g) RETURN count(*) AS x", "TIME"),
    "rows without end": (
        "UNWIND range(1, 99999) AS a UNWIND range(1, 99999) AS b RETURN count(*) AS x", "TIME",
    ),
    "nested lists": ("RETURN " + "[" * 9000 + "]" * 9000 + " AS x", "nested more than"),
    "nested parentheses": ("RETURN " + "(" * 9000 + "1" + ")" * 9000 + " AS x", "nested more"),
    "ten megabytes": ("RETURN '" + "a" * 10_000_000 + "' AS x", "characters; the maximum is"),
}  # fmt: skip
HARMLESS = {name for name, (_, said) in ATTACKS.items() if not said}
# Rejected by the client; psql sends them unchanged.
TWO_STATEMENTS = {"dollar quotes", "two statements"}


def test_nothing_of_it_gets_through(provenance: Graph, shop: Connection) -> None:
    """One test for all attacks, which compares the graph before and after them."""
    before = graph_fingerprint(shop)
    for name, (query, said) in ATTACKS.items():
        if name in HARMLESS:
            assert provenance.cypher(query).rows == (("' || pg_sleep(1000) || '",),)
            continue
        pattern = said.replace("TIME", "longer than 0.5 s")
        if name in TWO_STATEMENTS:
            pattern = "A second statement begins"
        with pytest.raises(QueryError, match=pattern):
            provenance.cypher(query, timeout=0.5 if said == "TIME" else 10)
        assert provenance.cypher("RETURN 1 AS one").rows == ((1,),), name
    assert graph_fingerprint(shop) == before


# The function of the client checks the text; one attack of each message shows that it is called.
ONE_OF_EACH_MESSAGE = {said: (name, (query, said)) for name, (query, said) in ATTACKS.items()}


@pytest.mark.parametrize(
    "attacks", [dict(ONE_OF_EACH_MESSAGE.values()), slow(ATTACKS)], ids=["few", "all"]
)
def test_nor_by_a_reader_in_psql(
    shop: Connection, dsn: str, attacks: dict[str, tuple[str, str]]
) -> None:
    before = graph_fingerprint(shop)
    with psycopg.connect(dsn, autocommit=True) as reader:
        reader.execute("SET ROLE lineage_reader")
        read = "SELECT x::text FROM lineage.read_cypher(%s, '{}', '{x}') AS x"
        for name, (query, said) in attacks.items():
            reader.execute(f"SET statement_timeout = {500 if said == 'TIME' else 10_000}")
            if name in HARMLESS:
                assert reader.execute(read, [query]).fetchall()
                continue
            pattern = said.replace("TIME", "statement timeout")
            with pytest.raises(psycopg.Error, match=pattern):
                reader.execute(read, [query])
            assert reader.execute(read, ["RETURN 1 AS x"]).fetchall() == [('{"x": 1}',)], name
    assert graph_fingerprint(shop) == before


@pytest.mark.parametrize("pattern", ["[e:`FEEDS`*2..3 {runs: 1}]", "[*1..2]", "[:FEEDS|INPUT_TO]"])
def test_in_psql_no_pattern_is_rewritten_and_none_gets_through(
    shop: Connection, pattern: str
) -> None:
    read = "SELECT lineage.read_cypher(%s, '{}', '{x}')"
    with pytest.raises(psycopg.Error, match=r"`lineage cypher` (unrolls|rewrites)"):
        shop.execute(read, [f"MATCH (a)-{pattern}-(b) RETURN a AS x"])


@pytest.mark.parametrize("text", ["RETURN 'a\0b' AS x", "RETURN '\udcff' AS x", "\ud800"])
def test_what_is_no_text_is_rejected_with_its_place(provenance: Graph, text: str) -> None:
    with pytest.raises(QueryError, match="Invalid character, line 1 column"):
        provenance.cypher(text)


@pytest.mark.parametrize("value", ["$$", "'", '"}', "\\", "x" * 1_000_000])
def test_a_value_of_a_parameter_is_a_value(provenance: Graph, value: str) -> None:
    assert provenance.cypher("RETURN $v AS x", {"v": value}).rows == ((value,),)


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
def test_a_value_that_is_no_text_is_rejected(provenance: Graph, value: str) -> None:
    with pytest.raises(QueryError, match=r"[Uu]nicode"):
        provenance.cypher("RETURN $v AS x", {"v": value})
    assert provenance.cypher("RETURN 1 AS one").rows == ((1,),)


def test_the_longest_query_is_looked_through_in_time(provenance: Graph) -> None:
    text = "RETURN size([" + "1, " * ((MAX_QUERY_CHARACTERS - 30) // 3) + "1]) AS x"
    assert provenance.cypher(text).rows[0][0] > 30_000


def test_names_may_be_used_often_where_nothing_is_copied(provenance: Graph) -> None:
    items = ", ".join(f"d.name AS c{i}" for i in range(50))
    assert len(provenance.cypher(f"MATCH (d:Dataset) RETURN {items}").rows) == 7
    chain = "WITH d, d.name AS a, d.namespace AS b, d.tags AS c " * 5
    assert len(provenance.cypher(f"MATCH (d:Dataset) {chain} RETURN d.name, a, b, c").rows) == 7


def test_the_second_line_holds_too(shop: Connection) -> None:
    """A function that resets the role, which no check of the text can detect."""
    shop.execute(
        "CREATE FUNCTION public.become(ag_catalog.agtype) RETURNS ag_catalog.agtype LANGUAGE sql"
        " AS $$ SELECT set_config('role', 'none', false)::ag_catalog.agtype $$"
    )
    run = "SELECT lineage.run_cypher(lineage.cypher_statement(%s, '{c}'), '{}')"
    with pytest.raises(psycopg.Error, match='cannot set parameter "role"'):
        shop.execute(run, ["RETURN public.become(1)"]).fetchall()
    with pytest.raises(psycopg.Error, match="permission denied"):
        shop.execute(run, ["RETURN pg_catalog.pg_read_file('PG_VERSION'::pg_text)"])
    for table in ("lineage.event", "lineage.plan_document", "lineage.token"):
        with pytest.raises(psycopg.Error, match="permission denied"):
            shop.execute("SELECT lineage.run_cypher(%s, '{}')", [f"SELECT body FROM {table}"])


def test_settings_of_the_session_stay_as_they_were(shop: Connection) -> None:
    settings = (
        "SELECT name, setting FROM pg_settings WHERE name IN ('work_mem', 'temp_file_limit',"
        " 'search_path', 'transaction_timeout', 'role', 'jit') ORDER BY name"
    )
    before = shop.execute(settings).fetchall()
    with shop.transaction():
        assert shop.execute("SELECT lineage.read_cypher('RETURN 1', '{}', '{a}')::text").fetchall()
        assert shop.execute(settings).fetchall() == before
