"""Sources of the outputs of a run that several observations report."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from support.coroutines import run_coroutine
from support.services.observed import observe_run

from lineage.hub import (
    Column,
    Dataset,
    FileIo,
    FileOperation,
    RelationalIo,
    RelationalOperation,
    Side,
    TransformSchema,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lineage.hub.events import Payload

SHOP = "postgres://db:5432"


def statement(sql: str) -> RelationalIo:
    """Return the observation of a statement in the schema ``public`` of the database ``d``."""
    return RelationalIo(RelationalOperation.EXEC, SHOP, sql=sql, catalog="d", schema="public")


def named(inputs: tuple[str, ...], outputs: tuple[str, ...]) -> RelationalIo:
    return RelationalIo(
        RelationalOperation.WRITE, SHOP, inputs, outputs, catalog="d", schema="public"
    )


INTO_MIX = statement("insert into mix select * from m1")
SCHEMA = TransformSchema(Side.OUTPUT, (Column("a"),), dataset=Dataset(SHOP, "d.public.mix"))
JOB = "the inputs of the run"
# The sources of ``mix`` after the observations of one run.
CASES: dict[str, tuple[list[Payload], list[str] | None]] = {
    "two statements": ([INTO_MIX, statement("insert into mix select * from m2")], ["m1", "m2"]),
    "one statement twice": ([INTO_MIX, INTO_MIX], ["m1"]),
    "no sources, then a statement": (
        [statement("insert into mix values (1)"), INTO_MIX], ["m1"]),
    "a statement, then names": ([INTO_MIX, named(("m2",), ("mix",))], ["m1", JOB]),
    "names, then a statement": ([named(("m2",), ("mix",)), INTO_MIX], [JOB, "m1"]),
    "names twice": ([named(("m1",), ("mix",)), named(("m2",), ("mix",))], None),
    "a statement, then a schema": ([INTO_MIX, SCHEMA], ["m1"]),
    "a schema, then a statement": ([SCHEMA, INTO_MIX], ["m1"]),
    "removed, then a statement": ([statement("drop table mix"), INTO_MIX], ["m1"]),
    "removed, then names": ([statement("drop table mix"), named(("m2",), ("mix",))], None),
    "a statement, then removed": ([INTO_MIX, statement("drop table mix")], ["m1"]),
    "removed": ([statement("drop table mix")], []),
    "parameters": ([statement("insert into mix (a, b) values (%s, %s)")], [JOB]),
    "parameters by name": (
        [statement("insert into mix values (%(a)s) on conflict (a) do update set a = 1")], [JOB]),
    "parameters as rows": ([statement("insert into mix values %s")], [JOB]),
    "an assigned parameter": ([statement("update mix set a = $1 where b = 'x'")], [JOB]),
    "a parameter of a condition": ([statement("update mix set a = 1 where b = %s")], []),
    "a parameter beside a table": (
        [statement("insert into mix select a, %s from m1 where b = %s")], ["m1"]),
    "rows of the client": ([statement("copy mix from stdin (format csv)")], [JOB]),
    "rows of the client through a temporary table": (
        [statement("create temp table t (a int); copy t from stdin; insert into mix table t")],
        [JOB]),
    "parameters, then a statement": (
        [statement("insert into mix values (%s)"), INTO_MIX], [JOB, "m1"]),
    "rows of a file": ([statement("copy mix from '/srv/f.csv'")], []),
    "a literal that looks like a parameter": (
        [statement("insert into mix values ('%s', '?') -- %s")], []),
    "renamed": ([statement("alter table m1 rename to mix")], ["m1"]),
    "renamed, then a statement": (
        [statement("alter table m1 rename to mix"), statement("insert into mix select * from m2")],
        ["m1", "m2"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_sources_of_an_output(tmp_path: Path, case: str):
    payloads, expected = CASES[case]
    with observe_run(tmp_path) as observed:
        observed.run.reads("other", namespace=SHOP)
        for payload in payloads:
            observed.run.add_observation(payload)
    facet = observed.dataset(f"{SHOP}|d.public.mix")["facets"].get("lineage")
    sources = facet and [
        JOB if each == {"type": "JOB"} else each["name"].removeprefix("d.public.")
        for each in facet["inputs"]
    ]
    assert sources == expected


def test_a_table_that_is_only_searched_before_an_insert_has_the_inputs_of_the_run(tmp_path: Path):
    with observe_run(tmp_path) as observed:
        observed.run.reads("/landing/m.csv")
        observed.run.add_observation(
            statement("insert into mix select %s where not exists (select from mix where a = %s)")
        )
    [output] = observed.event["outputs"]
    assert {"type": "JOB"} in output["facets"]["lineage"]["inputs"]


LOG = "insert into log values (%s)"
# The sources of ``log``, which only the program writes, after the statements of one run.
RECEIVED: dict[str, tuple[list[str], list[str]]] = {
    "a flow in the database": (["insert into pay select * from salaries", LOG], []),
    "a flow in the database, afterwards": ([LOG, "insert into pay select * from salaries"], []),
    "a query": (["select * from rates", "insert into pay select * from salaries", LOG], ["rates"]),
    "a query afterwards": (
        [LOG, "insert into pay select * from salaries", "select * from rates"], ["rates"]),
    "a flow and a query of one table": (
        ["insert into pay select * from salaries", LOG, "select sum(a) from salaries"], [JOB]),
    "a staged load": (
        ["copy stage from stdin", "insert into fact select * from stage join dim using (a)", LOG],
        []),
    "a query of an own table": (
        ["create table scratch as select * from salaries", "insert into pay select * from dim",
         "select * from scratch", LOG], ["salaries", "scratch"]),
    "a query of a table of an own table": (
        ["create table s1 as select * from salaries", "create table s2 as select * from s1",
         "insert into pay select * from dim", "select * from s2", LOG],
        ["salaries", "s1", "s2"]),
    "a query before a table is written": (
        ["select max(a) from fact", "insert into fact select * from orders", LOG], ["fact"]),
    "a query of a temporary table": (
        ["create temp table t as select * from salaries; insert into pay select * from dim",
         "select * from t", LOG], ["salaries"]),
    "a temporary table that only a flow reads": (
        ["create temp table t as select * from salaries", "insert into pay select * from t", LOG],
        []),
    "rows that a change returns": (
        ["insert into pay select * from salaries returning a",
         "insert into fact select * from dim", LOG], ["salaries"]),
    "a prepared flow": (
        ["prepare p as insert into pay select * from salaries; execute p", LOG], []),
    "a prepared query": (
        ["prepare p as select * from salaries; execute p",
         "insert into pay select * from dim", LOG], ["salaries"]),
    "an analyzed flow": (["explain analyze insert into pay select * from salaries", LOG], []),
    "a renamed table": (["alter table salaries rename to pay", LOG], []),
    "a merge": (
        ["merge into pay using salaries s on pay.a = s.a when matched then update set b = s.b",
         LOG], []),
}  # fmt: skip


@pytest.mark.parametrize("case", RECEIVED)
def test_rows_of_the_program_have_the_inputs_that_it_has_received(tmp_path: Path, case: str):
    statements, expected = RECEIVED[case]
    with observe_run(tmp_path) as observed:
        for sql in statements:
            observed.run.add_observation(statement(sql))
    assert sources_of_outputs(observed.event["outputs"])["log"] == expected


def test_an_output_without_sources_has_the_inputs_that_the_program_has_received(tmp_path: Path):
    with observe_run(tmp_path) as observed:
        observed.run.reads("/landing/m.csv")
        observed.run.add_observation(statement("insert into pay select * from salaries"))
        observed.run.add_observation(named(("rates",), ("mix",)))
        observed.run.writes("/out.csv")
    assert observed.sources("/out.csv") == ["/landing/m.csv", f"{SHOP}|d.public.rates"]
    assert observed.sources(f"{SHOP}|d.public.mix") == observed.sources("/out.csv")


def test_a_change_without_rows_has_no_sources_of_the_program(tmp_path: Path):
    emptied = Dataset(SHOP, "mix", {"lifecycleStateChange": {"lifecycleStateChange": "TRUNCATE"}})
    with observe_run(tmp_path) as observed:
        observed.run.reads("/landing/m.csv")
        observed.run.add_observation(statement("insert into pay select * from salaries"))
        observed.run.writes(emptied)
    assert observed.sources(f"{SHOP}|mix") is None


COPY, MOVE = FileOperation.COPY, FileOperation.MOVE
WRITE_A = FileIo(FileOperation.WRITE, target="/a")


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([FileIo(COPY, "/a", "/b")], None),
        ([FileIo(MOVE, "/a", "/b")], None),
        ([FileIo(MOVE, "/a", "/b"), WRITE_A], []),
        ([FileIo(MOVE, "/a1", "/a2"), FileIo(MOVE, "/a", "/a1"), WRITE_A], []),
        ([FileIo(MOVE, "/a", "/b"), WRITE_A, FileIo(FileOperation.READ, "/b")], None),
        ([FileIo(MOVE, "/a", "/b"), FileIo(MOVE, "/b", "/a")], None),
        ([FileIo(MOVE, "/a", "/b"), replace(WRITE_A, append=True)], None),
        ([FileIo(COPY, "/a", "/b"), FileIo(FileOperation.READ, "/b")], None),
        ([FileIo(MOVE, "/a", "/b"), FileIo(FileOperation.READ, "/b")], None),
        ([FileIo(FileOperation.READ, "/a"), FileIo(MOVE, "/a", "/b")], None),
        ([FileIo(COPY, "/a", "/d"), FileIo(FileOperation.READ, "/d/part")], None),
        ([FileIo(COPY, "/a", "/d/part"), FileIo(FileOperation.READ, "/d")], None),
        ([FileIo(COPY, "/a", "/b"), FileIo(FileOperation.DELETE, "/b")], None),
        ([FileIo(MOVE, "/a", "/b"), FileIo(FileOperation.DELETE, "/b")], None),
        ([FileIo(MOVE, "/a", "/b"), WRITE_A, FileIo(FileOperation.DELETE, "/b")], []),
        ([FileIo(COPY, "/a", "/b"), FileIo(COPY, "/b", "/c"),
          FileIo(FileOperation.READ, "/c")], None),
    ],
)  # fmt: skip
def test_a_file_that_the_run_moves_and_writes_again_is_no_source_of_other_files(
    tmp_path: Path, operations: list[Payload], expected: list[str] | None
):
    """Code that is not observed may have read any other file that is copied or moved."""
    with observe_run(tmp_path) as observed:
        for operation in operations:
            observed.run.add_observation(operation)
        observed.run.writes("/out")
    assert observed.sources("/out") == expected


@pytest.mark.parametrize("item", ["read_csv('/d/x.csv')", "'/d/x.csv'"])
def test_a_file_that_duckdb_reads_is_the_source_if_the_program_names_it(tmp_path: Path, item: str):
    with observe_run(tmp_path) as observed:
        observed.run.reads("/d/x.csv")
        for sql in ("insert into pay select * from salaries", f"create table mix as from {item}"):
            observed.run.add_observation(RelationalIo(RelationalOperation.EXEC, "duckdb", sql=sql))
    assert observed.sources("duckdb|mix") == ["/d/x.csv"]


def test_equal_statements_that_are_unresolved_are_counted(tmp_path: Path):
    with observe_run(tmp_path) as observed:
        for _ in range(2):
            observed.run.add_observation(statement("copy mix from '/srv/f.csv'"))
    [item] = observed.items
    assert item["unresolved"] == ["the files from which mix is loaded are not known"]
    assert item["count"] == 2


@pytest.fixture
def busy_threads() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy_threads")
def test_counts_and_sources_that_threads_report_are_complete(tmp_path: Path):
    def load_chunks(worker: int) -> None:
        run = observed.run
        for _ in range(300):
            run.reads("chunks", namespace=SHOP, rows=1)
            run.writes("orders", namespace=SHOP, rows=1, bytes=10, append=True)
            run.add_observation(FileIo(FileOperation.READ, "/denied", success=False))
        run.add_observation(statement(f"insert into mix select * from m{worker}"))

    with observe_run(tmp_path) as observed, ThreadPoolExecutor(8) as pool:
        list(pool.map(observed.run.wrap(load_chunks), range(8)))
    chunks, orders = observed.dataset(f"{SHOP}|chunks"), observed.dataset(f"{SHOP}|orders")
    assert chunks["inputFacets"]["inputStatistics"]["rowCount"] == 2400
    assert orders["outputFacets"]["outputStatistics"]["rowCount"] == 2400
    assert orders["outputFacets"]["outputStatistics"]["size"] == 24_000
    assert [item["count"] for item in observed.items] == [2400]
    assert observed.sources(f"{SHOP}|d.public.mix") == [f"{SHOP}|d.public.m{n}" for n in range(8)]


STAGED = ["create temp table stage on commit drop as select * from orders",
          "insert into mart select * from stage"]  # fmt: skip


@pytest.mark.parametrize(
    ("statements", "inputs", "outputs"),
    [
        (STAGED, ["orders"], {"mart": ["orders"]}),
        ([*STAGED, "create temp table stage as select * from b", "insert into c table stage"],
         ["b", "orders"], {"c": ["b"], "mart": ["orders"]}),
        (["begin", *STAGED, "commit", "insert into c select * from stage"],
         ["orders", "stage"], {"c": ["stage"], "mart": ["orders"]}),
        (["begin; create temp table stage as select * from a", "rollback",
          "insert into c select * from stage"], ["a", "stage"], {"c": ["stage"]}),
        (["begin", "insert into c select * from a", "commit"], ["a"], {"c": ["a"]}),
        (["begin; insert into c select * from a"], ["a"], {"c": ["a"]}),
        (["begin; insert into c select * from a; rollback"], ["a"], {}),
        (["create temp table stage (a int)", "copy stage from stdin",
          "insert into c select * from stage"], [], {"c": [JOB]}),
        (["prepare p as insert into c select * from a", "execute p"], ["a"], {"c": ["a"]}),
    ],
)  # fmt: skip
def test_a_text_is_read_after_those_of_its_run(
    tmp_path: Path, statements: list[str], inputs: list[str], outputs: dict[str, list[str]]
):
    with observe_run(tmp_path) as observed:
        for sql in statements:
            observed.run.add_observation(statement(sql))
    assert [each.removeprefix(f"{SHOP}|d.public.") for each in observed.inputs] == inputs
    assert sources_of_outputs(observed.event["outputs"]) == outputs


def sources_of_outputs(outputs: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the names of the sources of each output, in the schema ``public``."""
    return {
        output["name"].removeprefix("d.public."): [
            JOB if each == {"type": "JOB"} else each["name"].removeprefix("d.public.")
            for each in output["facets"]["lineage"]["inputs"]
        ]
        for output in outputs
    }


def test_a_search_path_is_that_of_an_earlier_text(tmp_path: Path):
    with observe_run(tmp_path) as observed:
        for sql in ("set search_path to sales", "insert into mart select * from orders"):
            observed.run.add_observation(statement(sql))
    assert observed.sources(f"{SHOP}|d.sales.mart") == [f"{SHOP}|d.sales.orders"]


LOCAL = "set local search_path to sales"
LOAD = "insert into mart select * from orders"


@pytest.mark.parametrize(
    "texts",
    [
        [LOCAL, LOAD],
        ["begin", LOCAL, LOAD],
        ["select set_config('search_path', 'sales', true)", LOAD],
        [LOCAL, "select 1", LOAD],
    ],
)
def test_a_local_search_path_is_not_that_of_later_texts(tmp_path: Path, texts: list[str]):
    """The client may have committed by a function, which ends the path."""
    with observe_run(tmp_path) as observed:
        for sql in texts:
            observed.run.add_observation(statement(sql))
    assert (observed.inputs, observed.outputs) == ([], [])
    assert [item["unresolved"] for item in observed.items if "unresolved" in item] == [
        ["the schema of mart is not known", "the schema of orders is not known"]
    ]


@pytest.mark.parametrize(
    ("texts", "schema"),
    [
        ([f"{LOCAL}; {LOAD}"], "sales"),
        ([f"begin; {LOCAL}", f"commit; {LOAD}"], "public"),
        ([LOCAL, "commit", LOAD], "public"),
        ([LOCAL, "rollback", LOAD], "public"),
        ([LOCAL, "set search_path to sales", LOAD], "sales"),
        (["set local search_path to public", LOAD], "public"),
        ([LOCAL, "insert into public.mart select * from public.orders"], "public"),
    ],
)
def test_a_local_search_path_is_that_of_its_text(tmp_path: Path, texts: list[str], schema: str):
    with observe_run(tmp_path) as observed:
        for sql in texts:
            observed.run.add_observation(statement(sql))
    assert observed.outputs == [f"{SHOP}|d.{schema}.mart"]
    assert observed.sources(f"{SHOP}|d.{schema}.mart") == [f"{SHOP}|d.{schema}.orders"]


@pytest.mark.parametrize(
    "setting",
    [
        "select set_config('search_path', %s, false)",
        "set search_path to %s",
        "set search_path = $1",
        "set search_path to %(tenant)s, public",
        "set schema %s",
    ],
)
def test_a_search_path_that_is_a_parameter_leaves_schemas_open(tmp_path: Path, setting: str):
    texts = (setting, LOAD, "insert into known.total select count(*) from orders")
    with observe_run(tmp_path) as observed:
        for sql in texts:
            observed.run.add_observation(statement(sql))
    assert (observed.inputs, observed.outputs) == ([], [f"{SHOP}|d.known.total"])
    unresolved = [each for item in observed.items for each in item.get("unresolved", ())]
    assert unresolved[1:] == [
        "the schema of mart is not known",
        "the schema of orders is not known",
        "the schema of orders is not known",
    ]


def test_a_search_path_of_several_schemas_leaves_schemas_open(tmp_path: Path):
    """Which of them has a table is not known. A path that is certain again completes names."""
    texts = ("set search_path to sales, public", LOAD, "reset search_path", "table stock")
    with observe_run(tmp_path) as observed:
        for sql in texts:
            observed.run.add_observation(statement(sql))
    assert (observed.inputs, observed.outputs) == ([f"{SHOP}|d.public.stock"], [])


@pytest.mark.parametrize(
    "change", ["drop table mart", "alter table mart rename to old_mart", "delete from mart"]
)
def test_a_change_of_a_table_whose_schema_is_open_is_not_an_output(tmp_path: Path, change: str):
    with observe_run(tmp_path) as observed:
        for sql in (LOCAL, change):
            observed.run.add_observation(statement(sql))
    assert (observed.inputs, observed.outputs) == ([], [])
    unresolved = {each for item in observed.items for each in item.get("unresolved", ())}
    assert "the schema of mart is not known" in unresolved


@pytest.mark.parametrize(
    "drop",
    [
        "if object_id('tempdb..#w') is not null drop table #w",
        "drop table if exists #w, tempdb..##v",
    ],
)
def test_the_removal_of_a_temporary_table_is_no_output(tmp_path: Path, drop: str):
    """Scripts remove what an earlier run of them may have left."""
    with observe_run(tmp_path) as observed:
        for sql in (drop, "select a into #w from s", "insert into t select a from #w", drop):
            text = RelationalIo(
                RelationalOperation.EXEC, "mssql://db:1433", sql=sql, catalog="d", schema="dbo"
            )
            observed.run.add_observation(text)
    assert observed.outputs == ["mssql://db:1433|d.dbo.t"]
    assert observed.sources("mssql://db:1433|d.dbo.t") == ["mssql://db:1433|d.dbo.s"]


def test_threads_and_tasks_have_sessions_of_their_own(tmp_path: Path):
    def load(number: int) -> None:
        add = observed.run.add_observation
        add(statement(f"create temp table stage as select * from a{number}"))
        barrier.wait(20)
        add(statement(f"insert into c{number} select * from stage"))

    async def load_in_task(number: int, own: asyncio.Event, other: asyncio.Event) -> None:
        add = observed.run.add_observation
        add(statement(f"create temp table stage as select * from a{number}"))
        own.set()
        await other.wait()
        add(statement(f"insert into c{number} select * from stage"))

    async def load_in_tasks() -> None:
        events = asyncio.Event(), asyncio.Event()
        await asyncio.gather(load_in_task(2, *events), load_in_task(3, *reversed(events)))

    barrier = threading.Barrier(2)
    with observe_run(tmp_path) as observed:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(observed.run.wrap(load), range(2)))
        run_coroutine(load_in_tasks())
    outputs = sources_of_outputs(observed.event["outputs"])
    assert outputs == {f"c{number}": [f"a{number}"] for number in range(4)}


def test_branches_of_two_texts_are_not_the_same(tmp_path: Path):
    """Each text may create the table, so the rows may come from both."""
    texts = (
        "if full_load then create temp table w as select a from d.s1; end if;",
        "if not full_load then create or replace temp table w as select a from d.s2; end if;",
        "insert into d.t select a from w",
    )
    with observe_run(tmp_path) as observed:
        for sql in texts:
            text = RelationalIo(RelationalOperation.EXEC, "bigquery", sql=sql, catalog="p")
            observed.run.add_observation(text)
    assert observed.sources("bigquery|p.d.t") == ["bigquery|p.d.s1", "bigquery|p.d.s2"]


VIEW = "create view mix as select * from m1"


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([VIEW], "VIEW"),
        ([VIEW, VIEW], "VIEW"),
        (["drop view mix", VIEW], "VIEW"),
        ([VIEW, "insert into mix select * from m1"], None),
        ([VIEW, "drop view mix", "create table mix as select * from m1"], None),
        (["create table mix as select * from m2", "drop table mix", VIEW], None),
        ([f"{VIEW}; insert into mix select * from m1"], None),
        (["create materialized view mix as select * from m1"], None),
    ],
)
def test_an_output_is_a_view_if_each_write_is_its_definition(
    tmp_path: Path, statements: list[str], expected: str | None
):
    with observe_run(tmp_path) as observed:
        for sql in statements:
            observed.run.add_observation(statement(sql))
    facets = observed.dataset(f"{SHOP}|d.public.mix")["facets"]
    assert facets.get("datasetType", {}).get("datasetType") == expected


def test_a_table_that_is_written_after_its_removal_is_not_removed(tmp_path: Path):
    with observe_run(tmp_path) as observed:
        for sql in ("drop table mix", "create table mix as select * from m1", "drop table m1"):
            observed.run.add_observation(statement(sql))
    assert observed.change(f"{SHOP}|d.public.mix") is None
    removed = [each for each in observed.event["outputs"] if each["name"] == "d.public.m1"]
    assert [each["facets"]["lifecycleStateChange"]["lifecycleStateChange"] for each in removed] == [
        "DROP"
    ]
