"""Each rule of the rewriter broken once: a check must notice."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from support.cases.records import CASES
from support.cases.small_queries import QUERIES, SmallQuery
from support.spark import record_checks as checks

import lineage.records as records
from lineage.records import gateway

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.cases.records import Tables
    from support.reference.record_lineage import SmallTables

LISTENER = Path(__file__).parents[2] / "listener"
RULES = "src/io/lineage/spark/records"


class Data(NamedTuple):
    """What checks run on."""

    spark: Any
    tables: Tables
    small: SmallTables


class Broken(NamedTuple):
    """A text of a rule, another in its place, and the check that must fail with it."""

    name: str
    file: str
    old: str
    new: str
    check: Callable[[Data], None]


def operator(name: str) -> Callable[[Data], None]:
    """Check an operator case: O1, O2 and O5."""

    def check(data: Data) -> None:
        case = next(case for case in CASES if case.name == name)
        frame = case.build(data.tables)
        checks.assert_same_answer(frame)
        rows = checks.some_rows(frame, 3)
        checks.assert_complete(frame, rows, case.fidelity, case.comes_again, case.reason)

    return check


def subsets(name: str, text: str | None = None) -> Callable[[Data], None]:
    """Check a small query against its minimal sets: O4."""

    def check(data: Data) -> None:
        known = {query.name: query for query in QUERIES}
        query = SmallQuery(name, text) if text else known[name]
        checks.assert_minimal_sets(data.spark.sql(query.text), query, data.small)

    return check


def follow(name: str) -> Callable[[Data], None]:
    """Check the mask payload of an operator case."""

    def check(data: Data) -> None:
        case = next(case for case in CASES if case.name == name)
        checks.assert_followed(case.build(data.tables))

    return check


def marked_rows_of_an_outer_join(data: Data) -> None:
    """Check the mask payload, of which all scans of a table have one column."""
    text = "SELECT x.v, y.v FROM a x LEFT JOIN a y ON y.id = x.id + 4"
    checks.assert_followed(data.spark.sql(text))


def rows_beyond_a_limit(data: Data) -> None:
    frame = data.tables.t.orderBy("id").limit(5).select("id")
    with records.trace(frame, "id = 40") as trace:
        assert trace.row_count == 0


def distinct_counts(data: Data) -> None:
    frame = data.tables.t.join(data.tables.u, "k").select("id", "g")
    with records.trace(frame, "true") as trace:
        assert list(trace.counts.values()) == [60, 7]
    pairs = data.tables.sql("SELECT x.id, y.id AS other FROM t x JOIN t y ON x.k = y.k")
    with records.trace(pairs, "true") as trace:
        assert list(trace.counts.values()) == [60]


def semi_join_with_a_right_condition(data: Data) -> None:
    frame = data.spark.sql("SELECT v FROM a LEFT SEMI JOIN b ON b.k = a.k AND b.w > 200")
    text = "SELECT v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.w > 200)"
    checks.assert_minimal_sets(frame, SmallQuery("semi", text), data.small)


def rows_of_each_scan(data: Data) -> None:
    orders = "(1, 1, 5.0D), (2, 1, 7.5D), (3, 2, 1.0D), (4, 9, 2.0D)"
    data.spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW orders AS VALUES {orders} AS o(id, customer, total)"
    )
    with records.trace(data.spark.sql(checks.SUMS_BELOW_AN_ORDER), "customer = 9") as trace:
        assert trace.fidelity == "exact"


def nulls_in_content(data: Data) -> None:
    frame = data.spark.sql("SELECT * FROM VALUES (NULL, 'a'), ('a', NULL) AS v(p, q)")
    with records.trace(frame, {"p": "a"}) as trace:
        (source,) = trace.counts
        assert trace.witnesses(source).count() == 1


# A broken rule gives wrong rows, or a plan that Spark rejects.
NOTICED = (AssertionError, Py4JJavaError, PySparkException)

BROKEN = (
    Broken(
        "position without the row",
        "RowId.java",
        'Expressions.call("xxhash64", file, index)',
        'Expressions.call("xxhash64", file)',
        subsets("project"),
    ),
    Broken(
        "content without nulls",
        "RowId.java",
        'values.add(Expressions.call("isnull", column));',
        "",
        nulls_in_content,
    ),
    Broken(
        "join without its right side",
        "Joins.java",
        "Provenance.merge(rewriter.payload, left, right)",
        "Provenance.merge(rewriter.payload, left, left)",
        operator("inner"),
    ),
    Broken(
        "outer join without null",
        "Provenance.java",
        "payload.merge(payload.orNone(left), payload.orNone(right))",
        "payload.merge(left, right)",
        marked_rows_of_an_outer_join,
    ),
    Broken(
        "semi join without its right side",
        "Joins.java",
        "if (right.columns.isEmpty()) {",
        "if (true) {",
        operator("semi"),
    ),
    Broken(
        "further condition without label",
        "EquiKeys.java",
        "hasOtherConditions = true;",
        "hasOtherConditions = false;",
        subsets("exists_further"),
    ),
    Broken(
        "right side without its condition",
        "EquiKeys.java",
        "return onlyRight.isEmpty() ? plan",
        "return true ? plan",
        semi_join_with_a_right_condition,
    ),
    Broken(
        "group of one row",
        "ListPayload.java",
        'Expressions.call("array_distinct", Expressions.call("flatten",'
        ' Expressions.aggregate("collect_list", value)))',
        'Expressions.aggregate("any_value", value)',
        operator("sum"),
    ),
    Broken(
        "intersection of ids",
        "ListPayload.java",
        '"array_union"',
        '"array_intersect"',
        operator("running"),
    ),
    Broken("mask of all rows", "MaskPayload.java", '"bit_or"', '"bit_and"', follow("sum")),
    Broken(
        "bits by the id",
        "MaskPayload.java",
        'Expressions.call("array_position", ids, id)',
        'Expressions.call("pmod", id, Expressions.literal(64L))',
        follow("having"),
    ),
    Broken(
        "one id of another leaf",
        "WitnessPayload.java",
        'Expressions.aggregate("min", value)',
        'Expressions.call("+", Expressions.aggregate("min", value), Expressions.literal(1L))',
        operator("sum"),
    ),
    Broken(
        "partition as frame",
        "Windows.java",
        "return window.windowSpec().frameSpecification();",
        "return unbounded();",
        subsets("running"),
    ),
    Broken(
        "own row as frame",
        "Windows.java",
        "rewriter.payload.merge(own, rewriter.payload.orNone(others))",
        "own",
        operator("running"),
    ),
    Broken(
        "union of nothing",
        "Unions.java",
        "attribute == null ? payload.none() : attribute",
        "payload.none()",
        operator("union"),
    ),
    Broken(
        "subquery without its rows",
        "Subqueries.java",
        "if (row.columns.isEmpty()) {",
        "if (true) {",
        operator("scalar"),
    ),
    Broken(
        "subquery of a join without its rows",
        "Rewriter.java",
        "subqueries.beside(Catalyst.expressions(plan), joins.join((Join) plan))",
        "joins.join((Join) plan)",
        operator("scalar_in_a_join_condition"),
    ),
    Broken(
        "subquery of an aggregate without its rows",
        "Rewriter.java",
        "subqueries.beside(Catalyst.expressions(plan), aggregates.aggregate((Aggregate) plan))",
        "aggregates.aggregate((Aggregate) plan)",
        operator("scalar_beside_an_aggregate"),
    ),
    Broken(
        "grouping sets of other rows",
        "Aggregates.java",
        "Seqs.concat(Seqs.<Object>list(projection), carried)",
        "Seqs.concat(Seqs.<Object>list(projection),"
        " java.util.Collections.nCopies(carried.size(), rewriter.payload.none()))",
        operator("rollup"),
    ),
    Broken(
        "definitions that stay",
        "Normalizer.java",
        'rule(Catalyst.make(OPTIMIZER + "InlineCTE", true)), rule(finish(optimizer))',
        "rule(finish(optimizer))",
        operator("cte_twice"),
    ),
    Broken(
        "correlated subqueries that stay",
        "Normalizer.java",
        '"RewriteCorrelatedScalarSubquery",',
        "",
        operator("scalar_correlated"),
    ),
    Broken(
        "random values without label",
        "Determinism.java",
        'labels.add(Labels.Effect.UNKNOWN, "nondeterministic", expression.prettyName());',
        "",
        operator("rand"),
    ),
    Broken(
        "opaque operators without label",
        "Rewriter.java",
        'labels.add(Labels.Effect.UNKNOWN, "opaque", plan.nodeName());',
        "",
        operator("map_in_pandas"),
    ),
    Broken(
        "limits that go", "RecordPlan.java", "limits && isLimit", "isLimit", rows_beyond_a_limit
    ),
    Broken(
        "rows counted twice",
        "CachedRows.java",
        "ids.select(SOURCE, ID).distinct()",
        "ids.select(SOURCE, ID)",
        distinct_counts,
    ),
    Broken(
        "rows of a table in each of its scans",
        "ScanColumns.java",
        "column.equals(own) || sourceOf(column) == source && !ofQuery.contains(column)",
        "sourceOf(column) == source",
        rows_of_each_scan,
    ),
)


@pytest.fixture(scope="module")
def data(spark: Any, tables: Tables, small: SmallTables) -> Data:
    return Data(spark, tables, small)


@contextmanager
def broken_rules(spark: Any, rule: Broken, directory: Path) -> Iterator[None]:
    """Compile the file with the broken rule, and use it for record lineage."""
    sys.path.insert(0, str(LISTENER))
    try:
        import build
    finally:
        sys.path.remove(str(LISTENER))
    text = (build.SOURCES.parent / RULES / rule.file).read_text()
    assert text.count(rule.old) == 1, rule.name
    source = directory / rule.file
    source.write_text(text.replace(rule.old, rule.new))
    classes = directory / "classes"
    with zipfile.ZipFile(build.build()) as jar:
        jar.extractall(classes, [name for name in jar.namelist() if name.endswith(".class")])
    # The other classes are those of the listener, so that one file is compiled.
    path = f"{classes}:{build.spark_jars()}/*"
    options = ["--release", build.JAVA_RELEASE, "-nowarn", "-Xlint:-options", "-encoding", "UTF-8"]
    command = [build.javac_command(), *options, "-cp", path, "-d", classes, source]
    subprocess.run(list(map(str, command)), check=True)
    build.write_jar(directory / "broken.jar", classes)
    gateway.records_of(spark)
    java = spark.sparkContext._gateway
    right = gateway._loaded[java]
    gateway._loaded[java] = gateway._load_entry_point(java, str(directory / "broken.jar"))
    try:
        yield
    finally:
        gateway._loaded[java] = right


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.name)
def test_a_broken_rule_is_noticed(rule: Broken, data: Data, tmp_path: Path) -> None:
    # py4j remembers the methods of a class by its name, in each thread.
    with broken_rules(data.spark, rule, tmp_path), ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(rule.check, data)
        with pytest.raises(NOTICED):
            outcome.result()


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.name)
def test_the_check_passes_with_the_rule(rule: Broken, data: Data) -> None:
    rule.check(data)


def test_each_rule_is_in_one_place() -> None:
    for rule in BROKEN:
        text = (LISTENER / RULES / rule.file).read_text()
        assert text.count(rule.old) == 1, rule.name
