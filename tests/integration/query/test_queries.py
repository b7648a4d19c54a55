"""The canned queries: expected results from Python and from psql."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import NAMESPACE, dataset, run_event

from lineage.errors import NotFound, QueryError, UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.cypher import agtype, canned

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Psql = Callable[[str, str], list[str]]

    import psycopg

SECONDS = {n: f"2026-01-01T00:{n // 60:02}:{n % 60:02}.000000Z" for n in range(100)}

LONG = (
    '{"eventTime": "TIME", "eventType": "STATE", "run": {"runId": "long-1"},'
    ' "job": {"namespace": "etl", "name": "long"}}'
)

EXPECTED: dict[str, tuple[dict[str, Any], list[tuple[Any, ...]]]] = {
    "counts": ({}, [("Dataset", 7), ("Field", 11), ("Job", 6), ("Run", 7)]),
    "column_sources": (
        {"namespace": "s3://lake", "name": "gold/revenue", "field": "total"},
        [
            ("s3://lake", "silver/orders", "price", "DIRECT", "AGGREGATION", "report", 1),
            ("s3://lake", "silver/rates", "rate", "DIRECT", "AGGREGATION", "report", 1),
            ("s3://lake", "silver/orders", "id", "INDIRECT", "JOIN", "report", 1),
        ],
    ),
    "derived_from": (
        {"prefix": "raw/"},
        [
            ("s3://lake", "raw/orders", "s3://lake", "silver/orders", "clean", 1, SECONDS[10]),
            ("s3://lake", "raw/rates", "s3://lake", "silver/rates", "load", 1, SECONDS[20]),
        ],
    ),
    "runs_that_wrote": (
        {"namespace": "s3://lake", "name": "gold/revenue"},
        [
            ("report-2", "report", "COMPLETE", SECONDS[50], None, None),
            ("report-1", "report", "COMPLETE", SECONDS[40], "overwrite", 7),
        ],
    ),
    "run_io": (
        {"run_id": "report-1"},
        [
            ("input", "s3://lake", "silver/orders", SECONDS[30], None),
            ("input", "s3://lake", "silver/rates", SECONDS[30], None),
            ("output", "s3://lake", "gold/revenue", SECONDS[40], 7),
        ],
    ),
    "failed_runs": (
        {},
        [("broken-1", "broken", "FAIL", SECONDS[70], "no space left", "gold/fraud")],
    ),
    "writers_of": (
        {"namespace": "s3://lake", "name": "gold/revenue"},
        [("etl", "report", 2, SECONDS[40], SECONDS[50])],
    ),
    "readers_of": (
        {"namespace": "s3://lake", "name": "silver/orders"},
        [("etl", "broken", 1, SECONDS[60]), ("etl", "report", 2, SECONDS[50])],
    ),
    "unused_since": (
        {"since": SECONDS[45]},
        [
            ("s3://lake", "silver/rates", SECONDS[20], SECONDS[30]),
            ("s3://lake", "gold/dashboard", SECONDS[80], None),
        ],
    ),
    "never_read": ({}, [("s3://lake", "gold/dashboard", SECONDS[80])]),
    "never_written": (
        {},
        [
            ("s3://lake", "raw/orders", 1, SECONDS[10]),
            ("s3://lake", "raw/rates", 1, SECONDS[20]),
        ],
    ),
    "tagged": (
        {"tag": "pii"},
        [("s3://lake", "raw/orders", ["pii", "tier:1"], None, SECONDS[10])],
    ),
    "tagged_within_3": (
        {"tag": "pii"},
        [
            ("s3://lake", "raw/orders", "s3://lake", "silver/orders", 1),
            ("s3://lake", "raw/orders", "s3://lake", "gold/revenue", 2),
            ("s3://lake", "raw/orders", "s3://lake", "gold/dashboard", 3),
        ],
    ),
    "longest_runs": (
        {},
        [
            ("broken-1", "broken", "FAIL", SECONDS[60], 10.0),
            ("report-1", "report", "COMPLETE", SECONDS[30], 10.0),
            # across the end of February, and one hour
            ("long-1", "long", "COMPLETE", "2024-02-28T23:59:59.500000Z", 2 * 86400 + 3600.5),
        ],
    ),
    "failed_between": (
        {"namespace": "etl", "job": "broken", "since": SECONDS[70], "until": SECONDS[71]},
        [("broken-1", "FAIL", SECONDS[60], SECONDS[70], "no space left")],
    ),
    "readers_of_version": (
        {"namespace": "s3://lake", "name": "raw/rates", "version": "7"},
        [("late-1", "late", "COMPLETE", SECONDS[90])],
    ),
    "masked_columns": (
        {},
        [
            (
                "s3://lake",
                "raw/orders",
                "id",
                "s3://lake",
                "silver/orders",
                "id",
                "TRANSFORMATION",
                "clean",
            )
        ],
    ),
    "unmasked_columns": (
        {"tag": "pii"},
        [
            (
                "s3://lake",
                "raw/orders",
                "price",
                "s3://lake",
                "silver/orders",
                "price",
                "IDENTITY",
                "clean",
            )
        ],
    ),
    "columns_named": ({"text": "RATE"}, [("s3://lake", "silver/rates", "rate", None)]),
    "column_targets": (
        {"namespace": "s3://lake", "name": "silver/orders", "field": "price"},
        [("s3://lake", "gold/revenue", "total", "DIRECT", "AGGREGATION", None, "report", 1)],
    ),
    "jobs_between": (
        {"from": "s3://lake", "to": "s3://lake"},
        [
            ("etl", "clean", 1, SECONDS[10]),
            ("etl", "load", 1, SECONDS[20]),
            ("etl", "publish", 1, SECONDS[80]),
            ("etl", "report", 2, SECONDS[50]),
        ],
    ),
    "several_writers": ({}, [("s3://lake", "gold/revenue", 2, 3)]),
    "rows_written": (
        {"namespace": "s3://lake", "name": "gold/revenue"},
        [(SECONDS[40], "report-1", "report", "overwrite", 7, 700)],
    ),
    "last_runs": (
        {},
        [
            ("etl", "publish", SECONDS[80], 1, 0),
            ("etl", "broken", SECONDS[70], 1, 1),
            ("etl", "report", SECONDS[50], 2, 0),
            ("etl", "load", SECONDS[20], 1, 0),
            ("etl", "clean", SECONDS[10], 1, 0),
            ("etl", "app", SECONDS[0], 1, 0),
        ],
    ),
    "running": ({}, [("app-1", "app", "START", SECONDS[0], SECONDS[0])]),
    "common_inputs": (
        {
            "one_namespace": "s3://lake",
            "one": "gold/revenue",
            "other_namespace": "s3://lake",
            "other": "gold/rates",
        },
        [("s3://lake", "silver/rates")],
    ),
    "reread": ({}, [("s3://lake", "gold/revenue", "etl", "merge", 1)]),
    "unresolved": (
        {},
        [
            ("odd-2", "odd", SECONDS[95], "Rdd: rows nobody can name", None),
            ("odd-1", "odd", SECONDS[90], "LogicalRelation: no location: db.t", "gold/odd"),
            ("odd-1", "odd", SECONDS[90], "Rdd: rows nobody can name", "gold/odd"),
        ],
    ),
    "child_runs": ({"run_id": "app-1"}, [("clean-1", "clean", "COMPLETE", None, SECONDS[10])]),
}

# Events for queries that have no result in the shop.
RDD = {"operator": "Rdd", "reason": "rows nobody can name"}
RELATION = {"operator": "LogicalRelation", "reason": "no location", "detail": "db.t"}
ALSO = {
    "unresolved": [
        run_event(
            "odd-1",
            "COMPLETE",
            90,
            "odd",
            ("raw/rates",),
            ("gold/odd",),
            lineage_unresolved={"items": [RDD, RELATION, "odd"]},
        ),
        run_event(
            "odd-2", "COMPLETE", 95, "odd", ("raw/rates",), lineage_unresolved={"items": RDD}
        ),
        run_event("odd-3", "COMPLETE", 96, "odd", lineage_unresolved={"items": []}),
        run_event("odd-4", "COMPLETE", 97, "odd", lineage_unresolved={"other": 1}),
    ],
    "longest_runs": [
        LONG.replace("TIME", "2024-02-28T23:59:59.5Z").replace("STATE", "START"),
        LONG.replace("TIME", "2024-03-02T01:00:00Z").replace("STATE", "COMPLETE"),
    ],
    "several_writers": [run_event("fix-1", "COMPLETE", 90, "fix", (), ("gold/revenue",))],
    "readers_of_version": [
        run_event(
            "late-1",
            "COMPLETE",
            90,
            "late",
            (dataset("raw/rates", version={"datasetVersion": "7"}),),
        )
    ],
    "reread": [run_event("merge-1", "COMPLETE", 90, "merge", ("gold/revenue",), ("gold/revenue",))],
    "common_inputs": [
        run_event("split-1", "COMPLETE", 90, "split", ("silver/rates",), ("gold/rates",))
    ],
}


def test_each_query_has_an_expected_result() -> None:
    assert [query.name for query in canned.canned_queries()] == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_query_says_the_expected(
    provenance: Graph, shop: psycopg.Connection[Any], name: str
) -> None:
    write_events(shop, ALSO.get(name, []))
    query, (params, rows) = canned.canned_query(name), EXPECTED[name]
    query.check_parameters(params)
    table = provenance.cypher(query.text, params)
    assert table.columns == query.columns
    # The order of a UNION is undefined.
    assert sorted(table.rows, key=str) == sorted(rows, key=str)


BATCHES = {"facts": {"batches": 3}}
ENDS = [
    run_event("dead", "FAIL", 1, "dead", ("a",), ("b", "a")),
    run_event("alter", "COMPLETE", 2, "alter", (), (
        dataset("a", lifecycleStateChange={"lifecycleStateChange": "ALTER"}),)),
    run_event("copy", "COMPLETE", 2, "copy", ("b",), ("c",)),
    run_event("again", "ABORT", 3, "again", ("b",), ("c",)),
    run_event("stream", "FAIL", 4, "stream", ("b",), ("d",), lineage_streaming_query=BATCHES),
    run_event("view", "COMPLETE", 5, "view", ("d",)),
]  # fmt: skip
WRITERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "never_written": ({}, ["a", "b"]),
    "never_read": ({}, ["c"]),
    "several_writers": ({}, []),
    "reread": ({}, []),
    "unused_since": ({"since": SECONDS[5]}, ["c"]),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_failed_run_has_no_outputs_unless_it_is_a_stream(
    conn: psycopg.Connection[Any], dsn: str, name: str
) -> None:
    write_events(conn, ENDS)
    params, expected = WRITERS[name]
    query = canned.canned_query(name)
    with Graph(dsn) as graph:
        table = graph.cypher(query.text, params)
    assert [row[query.columns.index("name")] for row in table.rows] == expected


@pytest.mark.parametrize(
    ("name", "writers"), [("a", []), ("b", []), ("c", ["copy"]), ("d", ["stream"])], ids="abcd"
)
def test_writers_of_a_dataset_are_jobs_with_a_contributing_write(
    conn: psycopg.Connection[Any], dsn: str, name: str, writers: list[str]
) -> None:
    write_events(conn, ENDS)
    query = canned.canned_query("writers_of")
    with Graph(dsn) as graph:
        table = graph.cypher(query.text, {"namespace": NAMESPACE, "name": name})
    assert [row[query.columns.index("job")] for row in table.rows] == writers


@pytest.mark.parametrize("name", EXPECTED)
def test_a_query_runs_as_it_stands_in_psql(
    shop: psycopg.Connection[Any],
    dsn: str,
    psql: Psql,
    tmp_path: Path,
    name: str,
) -> None:
    query, (params, rows) = canned.canned_query(name), EXPECTED[name]
    write_events(shop, ALSO.get(name, []))
    (tmp_path / query.path).write_text(query.text)
    script = (
        f"\\set query `cat {tmp_path / query.path}`\n"
        f"SELECT * FROM lineage.read_cypher(:'query', '{json.dumps(params)}');\n"
    )
    answers = [agtype.parse_agtype(line) for line in psql(dsn, script)]
    expected = [dict(zip(query.columns, row, strict=True)) for row in rows]
    assert sorted(answers, key=str) == sorted(
        [dict(sorted(row.items(), key=lambda item: (len(item[0]), item[0]))) for row in expected],
        key=str,
    )


def test_a_parameter_without_a_value_is_an_error_in_psql(conn: psycopg.Connection[Any]) -> None:
    """AGE would take null for it, and return no rows."""
    read = "SELECT lineage.read_cypher(%s, %s, '{a}')::text"
    with pytest.raises(Exception, match="lacks values for the parameters x, y"):
        conn.execute(read, ("RETURN $y + $x + $z AS a", '{"z": 1}'))
    assert conn.execute(read, ("RETURN '$x' + $y AS a // $z", '{"y": "b"}')).fetchone() == (
        '{"a": "$xb"}',
    )


def test_plain_cypher_runs_in_a_plain_psql(
    shop: psycopg.Connection[Any], dsn: str, psql: Psql
) -> None:
    script = """
        SELECT * FROM cypher('provenance', $$
            MATCH (s:Dataset)-[:INPUT_TO]->(:Run)-[:OUTPUTS]->(t:Dataset)
            WHERE s.name STARTS WITH 'raw/' RETURN s.name, t.name ORDER BY s.name
        $$) AS (source agtype, target agtype);
    """
    assert psql(dsn, script) == [
        '"raw/orders"|"silver/orders"',
        '"raw/rates"|"silver/rates"',
    ]


HEADER = "// What it says.\n// params:  a\n// returns: b\n"
BAD = {
    "no sentence": ("MATCH (n) RETURN n", "x.cypher:1: the header lacks"),
    "no params": ("// A.\n// returns: b\n", "x.cypher:2: the header lacks"),
    "no returns": ("// A.\n// params:  none\nRETURN 1", "x.cypher:3: the header lacks"),
    "odd names": ("// A.\n// params:  a b\n// returns: c\n", "x.cypher:2: the names are not"),
    "a parameter that is not used": (HEADER + "RETURN 1 AS b", "x.cypher:2: .* differ: a"),
    "a parameter not declared": (HEADER + "RETURN $a + $c AS b", "x.cypher:2: .* differ: c"),
    "the end of a quote": (HEADER + "RETURN '$$' + $a AS b", "x.cypher:4: "),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_a_bad_file_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        canned.parse_query_file("x.cypher", text)


def test_wrong_parameters_are_reported() -> None:
    with pytest.raises(UsageError, match=r"requires the parameter run_id\. It takes run_id=\.\.\."):
        canned.canned_query("run_io").check_parameters([])
    with pytest.raises(UsageError, match=r"has no parameter x\. It takes no parameters"):
        canned.canned_query("counts").check_parameters(["x"])
    with pytest.raises(NotFound, match="There are: child_runs, column_sources"):
        canned.canned_query("nothing")


def test_whole_datasets_that_values_go_into_are_targets(
    shop: psycopg.Connection[Any], provenance: Graph
) -> None:
    """The facet states the columns that all columns of wide depend on, and how."""
    direct = [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": masked}
              for masked in (False, True)]  # fmt: skip
    mapping = {"fields": {}, "dataset": [
        {"namespace": "s3://lake", "name": "raw/orders", "field": name, "transformations": [how]}
        for name, how in zip(("price", "id"), direct, strict=True)
    ]}  # fmt: skip
    wide = dataset("wide", columnLineage=mapping)
    write_events(shop, [run_event("wide-1", "COMPLETE", 95, "widen", ("raw/orders",), (wide,))])
    for name, values, column in (
        ("unmasked_columns", {"tag": "pii"}, "price"), ("masked_columns", {}, "id"),
    ):  # fmt: skip
        assert provenance.cypher(canned.canned_query(name).text, values).rows[-1] == (
            "s3://lake", "raw/orders", column, "s3://lake", "wide", None, "TRANSFORMATION",
            "widen",
        )  # fmt: skip
