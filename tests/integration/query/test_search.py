"""Search for datasets, jobs and columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import NAMESPACE, dataset, job_event, run_event, schema
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

EVENTS = [
    run_event("r1", "COMPLETE", 1, "clean_orders", ("raw/orders_2025",), (
        dataset("silver/orders", ("shop.bestellungen",), schema=schema(order_id="int", price="int"),
                tags={"tags": [{"key": "pii"}, {"key": "tier", "value": "1"}]},
                documentation={"description": "Cleaned sales of the shop"}),
    )),
    run_event("r2", "COMPLETE", 2, "report", ("silver/orders",), ("gold/order_report",)),
    job_event(3, "nightly", (), (), documentation={"description": "Starts the shop's load"}),
]  # fmt: skip


def found(conn: Connection, words: str, **options: Any) -> list[tuple[str, str, str]]:
    hits = Graph.over(conn).search(words, **options)
    return [(h.match, h.kind, h.full_name.removeprefix(f"{NAMESPACE}/")) for h in hits]


def test_hits_are_sorted_by_match_rank(conn: Connection) -> None:
    write_events(conn, EVENTS)
    assert found(conn, "orders") == [
        ("exact", "dataset", "silver/orders"),
        ("prefix", "dataset", "raw/orders_2025"),
        ("word", "job", "etl/clean_orders"),
    ]
    assert found(conn, "ORDER", kinds=["dataset"]) == [
        ("prefix", "dataset", "silver/orders"),
        ("prefix", "dataset", "raw/orders_2025"),
        ("prefix", "dataset", "gold/order_report"),
    ]
    assert len(found(conn, "order", limit=1)) == 1


@pytest.mark.parametrize("words", ["price", "prize", "pii"])
def test_equal_matches_are_sorted_by_name(conn: Connection, words: str) -> None:
    tags = {"tags": [{"key": "pii"}]}
    for name in ("d", "b", "a", "c"):
        table = dataset(name, schema=schema(price="int"), tags=tags)
        write_events(conn, [run_event(f"r-{name}", "COMPLETE", 1, f"write-{name}", (), (table,))])
    [(_, kind, name)] = found(conn, words, limit=1)
    assert name == ("a" if kind == "dataset" else "a.price")
    assert [name[0] for *_, name in found(conn, words, limit=3)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("silver orders", [("word", "dataset", "silver/orders")]),
        ("price", [("exact", "column", "silver/orders.price")]),
        ("pii", [("word", "dataset", "silver/orders")]),
        ("tier:1", [("word", "dataset", "silver/orders")]),
        ("sales", [("part", "dataset", "silver/orders")]),
        ("starts the", [("part", "job", "etl/nightly")]),
        ("bestellungen", [("exact", "dataset", "silver/orders")]),
        ("bestelungen", [("similar", "dataset", "silver/orders")]),
        ("lake/bestelungen", [("similar", "dataset", "silver/orders")]),
        ("cleann orders", [("similar", "job", "etl/clean_orders")]),
        ("prize", [("similar", "column", "silver/orders.price")]),
        # No name has both: the names that are similar to the whole.
        (
            "cleann gold",
            [("similar", "dataset", "gold/order_report"), ("similar", "job", "etl/clean_orders")],
        ),
        ("zzzzqqq", []),
        ("100%", []),
        ("_", None),
        ("  ", []),
    ],
)
def test_words_are_looked_for_in_names_tags_and_descriptions(
    conn: Connection, words: str, expected: Any
) -> None:
    write_events(conn, EVENTS)
    if expected is None:
        assert all("_" in name for _, _, name in found(conn, words))
    else:
        assert found(conn, words) == expected


def test_without_trigrams_only_similar_names_are_missing(conn: Connection) -> None:
    write_events(conn, EVENTS)
    conn.execute("DROP EXTENSION pg_trgm CASCADE")
    assert found(conn, "orders")[0] == ("exact", "dataset", "silver/orders")
    assert found(conn, "bestelungen") == []
    assert conn.execute("SELECT lineage.install_search_indexes()").fetchall() == [(True,)]
    assert found(conn, "bestelungen") == [("similar", "dataset", "silver/orders")]


def test_a_similar_word_is_one_of_the_names_that_there_are(conn: Connection) -> None:
    """Each name that is new adds its words, in batches and after a rebuild."""
    write_events(conn, EVENTS)
    assert found(conn, "invoces") == []
    new = dataset("silver/invoices", schema=schema(amount="int"))
    write_events(conn, [run_event("r3", "COMPLETE", 4, "bill", (), (new,))])
    expected = {
        "invoces": [("similar", "dataset", "silver/invoices")],
        "ammount": [("similar", "column", "silver/invoices.amount")],
    }
    assert {words: found(conn, words) for words in expected} == expected
    rebuild_graph(conn)
    assert {words: found(conn, words) for words in expected} == expected


def test_an_entity_with_several_similar_words_is_one_hit(conn: Connection) -> None:
    write_events(
        conn,
        [run_event("r", "COMPLETE", 1, "j", (), ("orders1/orders2", "orders12"))],
    )
    hits = found(conn, "ordrs1")
    assert sorted(name for *_, name in hits) == ["orders1/orders2", "orders12"]
    assert {match for match, *_ in hits} == {"similar"}


def test_words_go_by_an_index(conn: Connection) -> None:
    conn.execute("SET enable_seqscan = off")
    part = "EXPLAIN SELECT FROM lineage.search_text WHERE lowered LIKE '%price%'"
    assert "search_text_part" in str(conn.execute(part).fetchall())
    prefix = (
        "EXPLAIN SELECT FROM lineage.search_text"
        " WHERE field = 'name' AND left(last_part, 300) LIKE 'pri%'"
    )
    assert "search_text_prefix" in str(conn.execute(prefix).fetchall())
    conn.execute(
        "INSERT INTO lineage.search_word SELECT md5(n::text) FROM generate_series(1, 5000) AS n"
    )
    conn.execute("VACUUM ANALYZE lineage.search_word")
    similar = "EXPLAIN SELECT FROM lineage.search_word WHERE 'prize' <% word"
    assert "search_word_part" in str(conn.execute(similar).fetchall())


def test_names_as_long_as_they_may_be_are_searched(conn: Connection) -> None:
    """Lower case of some letters takes more bytes, and entries of an index are limited."""
    long = "Ⱥ" * 600
    write_events(conn, [run_event("r", "COMPLETE", 1, "q", (), (f"a/{long}",))])
    for words in (long, long.lower()[:400], "Ⱥ" * 20):
        assert [kind for _, kind, _ in found(conn, words, kinds=["dataset"])] == ["dataset"]
    assert found(conn, long)[0][0] == "exact"
    assert found(conn, long[:-1])[0][0] == "prefix"


def test_tags_and_descriptions_are_those_of_the_newest_event(conn: Connection) -> None:
    def report(at: int, tag: str, text: str) -> None:
        facets: Any = {
            "tags": {"tags": [{"key": tag}] if tag else []},
            "documentation": {"description": text},
        }
        write_events(conn, [
            run_event(f"r{at}", "COMPLETE", at, "q", (), (dataset("t", **facets),)),
            job_event(at, "q", (), (), documentation={"description": text}),
        ])  # fmt: skip

    report(1, "secret", "first words")
    assert [kind for _, kind, _ in found(conn, "first words")] == ["dataset", "job"]
    assert found(conn, "secret") == [("word", "dataset", "t")]
    report(2, "public", "second words")
    assert found(conn, "first words", kinds=["dataset", "job"]) == []
    assert [kind for _, kind, _ in found(conn, "second words")] == ["dataset", "job"]
    assert found(conn, "public") == [("word", "dataset", "t")]
    assert all(match == "similar" for match, *_ in found(conn, "secret"))
    report(3, "", "third words")
    assert all(match == "similar" for match, *_ in found(conn, "public"))


def test_tags_of_an_alias_are_those_of_the_dataset(conn: Connection) -> None:
    """Of several names of a dataset, the newest event decides on its tags."""

    def tagged(name: str, tag: str, at: int, *aliases: str) -> None:
        table = dataset(name, aliases, tags={"tags": [{"key": tag}]})
        write_events(conn, [run_event(f"r{at}", "COMPLETE", at, "q", (), (table,))])

    tagged("old", "secret", 1)
    assert found(conn, "secret") == [("word", "dataset", "old")]
    tagged("new", "public", 2, "old")
    assert found(conn, "public") == [("word", "dataset", "new")]
    assert all(match == "similar" for match, *_ in found(conn, "secret"))


def test_tags_are_searched_where_many_names_are_of_one_dataset(conn: Connection) -> None:
    names = tuple(f"alias{n}" for n in range(4))
    tagged = dataset("t", tags={"tags": [{"key": "alias"}]})
    write_events(conn, [
        run_event("r1", "COMPLETE", 1, "q", (), (dataset("a/alias", names),)),
        run_event("r2", "COMPLETE", 2, "q", (), (tagged,)),
    ])  # fmt: skip
    assert found(conn, "alias", limit=3) == [
        ("exact", "dataset", "a/alias"),
        ("word", "dataset", "t"),
    ]


def test_columns_that_no_dataset_has_hide_no_others(conn: Connection) -> None:
    """Each day, the table has columns for the last three days."""
    for day in range(30):
        columns = {f"visits_{day + n:03}": "int" for n in range(3)}
        table = dataset("visits_by_day", schema=schema(**columns))
        write_events(conn, [run_event(f"day-{day}", "COMPLETE", day, "pivot", (), (table,))])
    for words in ("visits_0", "isits_0", "vists_0"):
        columns = {hit.column for hit in Graph.over(conn).search(words, kinds=["column"], limit=5)}
        assert columns == {"visits_029", "visits_030", "visits_031"}


@pytest.mark.parametrize("statistics", ["ANALYZE lineage.field", "SELECT 1"])
@pytest.mark.parametrize("words", ["visits", "isits", "vists_0007"])
def test_a_column_that_no_dataset_has_is_not_looked_up_among_all(
    conn: Connection, words: str, statistics: str
) -> None:
    """By statistics, if any, all fields have few names; those of the lost columns are newer."""
    conn.execute(
        "INSERT INTO lineage.dataset (id, canonical, namespace, name, facets)"
        " SELECT n, n, 's3://lake', 't' || n, '{}' FROM generate_series(1, 2000) AS n"
    )
    conn.execute(
        "INSERT INTO lineage.field (id, dataset, name)"
        " SELECT 8 * d + c, d, 'c' || c"
        " FROM generate_series(1, 2000) AS d, generate_series(0, 7) AS c"
    )
    conn.execute(statistics)
    conn.execute(
        "INSERT INTO lineage.search_text (kind, field, text)"
        " SELECT 'column', 'name', 'visits_' || lpad(n::text, 4, '0')"
        " FROM generate_series(1, 100) AS n"
    )
    rows_read = (
        "SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relid = 'lineage.field'::regclass"
    )
    with conn.transaction():
        before = conn.execute(rows_read).fetchone()
        assert found(conn, words, kinds=["column"]) == []
        assert conn.execute(rows_read).fetchone() == before  # fmt: skip


def test_columns_of_many_datasets_come_in_order_of_name(conn: Connection) -> None:
    """Beyond 1,000 datasets they are read in order of name, and no longer sorted."""
    conn.execute(
        "INSERT INTO lineage.dataset (id, canonical, namespace, name, facets)"
        " SELECT n, n, 's3://lake', 't' || lpad((7 * n % 1009)::text, 4, '0'), '{}'"
        " FROM generate_series(1, 1008) AS n"
    )
    conn.execute(
        "INSERT INTO lineage.field (id, dataset, name)"
        " SELECT n, n, 'c' FROM generate_series(1, 1008) AS n"
    )
    conn.execute(
        "INSERT INTO lineage.search_text (kind, field, text) VALUES ('column', 'name', 'c')"
    )
    hits = Graph.over(conn).search("c", ["column"], 3)
    assert [hit.full_name for hit in hits] == [f"s3://lake/t000{n}.c" for n in (1, 2, 3)]


_parts = st.sampled_from(["a", "ab", "abc", "order", "orders", "Order_x", "ä%", "x_1"])
_called = st.lists(st.tuples(_parts, st.sampled_from("/._-")), min_size=1, max_size=3).map(
    lambda parts: "".join(p + s for p, s in parts).rstrip("/.")
)


@examples_in_one_database(40)
@given(
    st.lists(_called, min_size=1, max_size=6, unique=True), st.lists(_parts, min_size=1, max_size=5)
)
def test_match_ranks_equal_the_reference_implementation(
    conn: Connection, names: list[str], words: list[str]
) -> None:
    clear(conn)
    write_events(conn, [run_event("r", "COMPLETE", 1, "q", (), tuple(names))])
    hits = Graph.over(conn).search(" ".join(words), ["dataset"])
    given = [
        (hit.match, hit.dataset.name) for hit in hits if hit.dataset and hit.match != "similar"
    ]
    expected = {name: fit for name in names if (fit := _fit(f"{NAMESPACE}/{name}", words))}
    assert {name: fit for fit, name in given} == expected
    ranks = [FITS.index(fit) for fit, _ in given]
    assert ranks == sorted(ranks)


@examples_in_one_database(40)
@given(
    st.dictionaries(
        st.sampled_from("abc"), st.lists(_called, min_size=1, max_size=4, unique=True), min_size=1
    ),
    st.lists(_parts, min_size=1, max_size=2),
    st.integers(1, 4),
)
def test_matched_columns_are_the_first_by_rank(
    conn: Connection, tables: dict[str, list[str]], words: list[str], limit: int
) -> None:
    clear(conn)
    for name, columns in tables.items():
        table = dataset(name, schema=schema(**dict.fromkeys(columns, "int")))
        write_events(conn, [run_event(f"r-{name}", "COMPLETE", 1, "q", (), (table,))])
    fitting = sorted(
        (FITS.index(fit), len(column), column, name)
        for name, columns in tables.items()
        for column in columns
        if (fit := _fit(column, words))
    )
    hits = Graph.over(conn).search(" ".join(words), ["column"], limit)
    told = [(h.column, h.dataset.name) for h in hits if h.dataset and h.match != "similar"]
    assert told == [(column, name) for *_, column, name in fitting[:limit]]


FITS = ["exact", "prefix", "word", "part"]


def _fit(called: str, words: list[str]) -> str | None:
    called = called.lower()
    last = re.split(r"[/.:]", called)[-1]
    worst = 0
    for word in (word.lower() for word in words):
        if word not in called:
            return None
        rank = 0 if word in (called, last) else 1 if last.startswith(word) else \
            2 if word in re.split(r"[\W_]+", called) else 3  # fmt: skip
        worst = max(worst, rank)
    return FITS[worst]
