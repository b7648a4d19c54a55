"""Queries with user-defined functions (pandas, Arrow, pandas API, JVM) and with typed Datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.cases.columns import Case
from support.spark.version import SPARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Functions import the packages of the session: the tests load this module without Spark.


def _map_in_pandas(spark: Any) -> Any:
    def grown(parts: Iterator[Any]) -> Iterator[Any]:
        for part in parts:
            yield part[part.age > 20].assign(text=part.name + part.age.astype(str))[["text"]]

    return spark.table("people").select("name", "age").mapInPandas(grown, "text string")


def _map_in_arrow(spark: Any) -> Any:
    def named(parts: Iterator[Any]) -> Iterator[Any]:
        for part in parts:
            yield part.select(["name"]).rename_columns(["text"])

    return spark.table("people").select("name", "age").mapInArrow(named, "text string")


def _apply_in_pandas(spark: Any) -> Any:
    def older(group: Any) -> Any:
        return group.assign(most=group.age.max())[["city", "most"]]

    people = spark.table("people").select("city", "age")
    return people.groupBy("city").applyInPandas(older, "city string, most int")


def _apply_in_arrow(spark: Any) -> Any:
    def same(group: Any) -> Any:
        return group.select(["age"]).rename_columns(["one"])

    people = spark.table("people").select("city", "age")
    return people.groupBy("city").applyInArrow(same, "one int")


def _cogroup(spark: Any) -> Any:
    def both(left: Any, right: Any) -> Any:
        import pandas

        return pandas.DataFrame({"n": [int(left.age.sum() + right.hits.sum())]})

    people = spark.table("people").select("id", "age").groupBy("id")
    visits = spark.table("visits").select("person", "hits").groupBy("person")
    return people.cogroup(visits).applyInPandas(both, "n long")


def _with_state(method: str) -> Callable[[Any], Any]:
    """Sum ages by city with a stateful processor, by pandas frames or by rows."""

    def frame(spark: Any) -> Any:
        import pandas
        from pyspark.sql import Row
        from pyspark.sql.streaming import StatefulProcessor

        class Sum(StatefulProcessor):
            def init(self, handle: Any) -> None: ...

            def close(self) -> None: ...

            def handleInputRows(self, key: Any, rows: Any, timers: Any) -> Any:
                if method == "transformWithState":
                    yield Row(total=sum(row.age for row in rows))
                else:
                    yield pandas.DataFrame({"total": [sum(int(part.age.sum()) for part in rows)]})

        provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
        # Spark 4.1 and 4.2 have a coordinator of state stores only after this call.
        spark.streams.active  # noqa: B018
        grouped = spark.table("people").select("age", "city").groupBy("city")
        return getattr(grouped, method)(Sum(), "total int", "Update", "None")

    return frame


def _pandas_function(spark: Any) -> Any:
    import pandas
    from pyspark.sql.functions import pandas_udf

    def add(one: pandas.Series, other: pandas.Series) -> pandas.Series:
        return one + other.fillna(0)

    add.__annotations__ = dict.fromkeys(("one", "other", "return"), pandas.Series)
    summed = pandas_udf(add, "double")
    return spark.table("people").select(summed("age", "boss").alias("x"), "city")


def _iterator_function(spark: Any) -> Any:
    from collections.abc import Iterator

    import pandas
    from pyspark.sql.functions import pandas_udf

    def upper(parts: Iterator[pandas.Series]) -> Iterator[pandas.Series]:
        for part in parts:
            yield part.str.upper()

    upper.__annotations__ = dict.fromkeys(("parts", "return"), Iterator[pandas.Series])
    return spark.table("people").select(pandas_udf(upper, "string")("name").alias("x"), "id")


def _mean() -> Any:
    import pandas
    from pyspark.sql.functions import pandas_udf

    def mean(values: pandas.Series) -> float:
        return float(values.mean())

    mean.__annotations__ = {"values": pandas.Series, "return": float}
    return pandas_udf(mean, "double")


def _aggregating_function(spark: Any) -> Any:
    people = spark.table("people")
    return people.groupBy("city").agg(_mean()("age").alias("mean"))


def _function_over_a_window(spark: Any) -> Any:
    from pyspark.sql import Window

    window = Window.partitionBy("city")
    return spark.table("people").select("name", _mean()("age").over(window).alias("mean"))


def _arrow_function(spark: Any) -> Any:
    import pyarrow
    from pyspark.sql.functions import arrow_udf

    def upper(names: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.compute.utf8_upper(names)

    upper.__annotations__ = dict.fromkeys(("names", "return"), pyarrow.Array)
    return spark.table("people").select(arrow_udf(upper, "string")("name").alias("x"), "id")


def _allow_ansi_mode() -> None:
    """Allow ANSI mode in the pandas API of Spark 4.0: it is the default, but rejected."""
    if SPARK == (4, 0):
        from pyspark import pandas

        pandas.set_option("compute.fail_on_ansi_mode", False)


def _pandas_on_spark(spark: Any) -> Any:
    _allow_ansi_mode()
    people = spark.table("people").pandas_api()
    people["older"] = people["age"] + 1
    return people[people["boss"] > 0][["name", "older"]].to_spark()


def _pandas_on_spark_grouped(spark: Any) -> Any:
    _allow_ansi_mode()
    people = spark.table("people").pandas_api(index_col="id")
    return people.groupby("city")[["age"]].sum().reset_index().to_spark()


def _of_the_jvm(name: str) -> Callable[[Any], Any]:
    """Return a frame that a method of Functions.java derives from people."""

    def frame(spark: Any) -> Any:
        from pyspark.sql import DataFrame

        made = getattr(spark._jvm.tests.Functions, name)(spark.table("people")._jdf)
        return DataFrame(made, spark)

    return frame


def _java_function(spark: Any) -> Any:
    spark.udf.registerJavaFunction("shout", "tests.Functions$Shout", "string")
    return spark.sql("SELECT shout(name) AS x, city FROM people")


def _java_aggregator(spark: Any) -> Any:
    spark._jvm.tests.Functions.registerLongest(spark._jsparkSession)
    return spark.sql("SELECT city, longest(name) AS x FROM people GROUP BY city")


PANDAS = [
    Case(
        "mapInPandas", _map_in_pandas,
        {"text": "f(people.name, people.age)"}, "where(people.name, people.age)",
    ),
    Case(
        "mapInArrow", _map_in_arrow,
        {"text": "f(people.name, people.age)"}, "where(people.name, people.age)",
    ),
    Case(
        "applyInPandas", _apply_in_pandas,
        {"city": "agg(people.city, people.age)", "most": "agg(people.city, people.age)"},
        "by(people.city) where(people.city, people.age)",
    ),
    Case(
        "applyInArrow", _apply_in_arrow,
        {"one": "agg(people.city, people.age)"}, "by(people.city) where(people.city, people.age)",
        since=(4, 0),
    ),
    Case(
        "cogrouped", _cogroup,
        {"n": "agg(people.id, people.age, visits.person, visits.hits)"},
        "join(people.id, visits.person)"
        " where(people.id, people.age, visits.person, visits.hits)",
    ),
    *(
        Case(
            method, _with_state(method),
            {"total": "agg(people.city, people.age)"},
            "by(people.city) where(people.city, people.age)", since=since,
        )
        for method, since in (
            ("transformWithStateInPandas", (4, 0)), ("transformWithState", (4, 1)),
        )
    ),
    Case(
        "a pandas function", _pandas_function,
        {"x": "f(people.age, people.boss)", "city": "people.city"},
    ),
    Case(
        "a pandas function of an iterator", _iterator_function,
        {"x": "f(people.name)", "id": "people.id"},
    ),
    Case(
        "a pandas function that aggregates", _aggregating_function,
        {"city": "people.city", "mean": "agg(people.age)"}, "by(people.city)",
    ),
    Case(
        "a pandas function over a window", _function_over_a_window,
        {"name": "people.name", "mean": "agg(people.age) over(people.city)"},
    ),
    Case(
        "an Arrow function", _arrow_function,
        {"x": "f(people.name)", "id": "people.id"}, since=(4, 1),
    ),
    Case(
        "pandas on Spark", _pandas_on_spark,
        {"name": "people.name", "older": "f(people.age)"}, "where(people.boss)",
    ),
    Case(
        "pandas on Spark, grouped", _pandas_on_spark_grouped,
        {"city": "people.city", "age": "agg(people.age)"},
        "where(people.city) by(people.city)",
    ),
]  # fmt: skip

JVM = [
    Case(
        "a function of the JVM", _java_function,
        {"x": "f(people.name)", "city": "people.city"},
    ),
    Case(
        "an aggregator of the JVM", _java_aggregator,
        {"city": "people.city", "x": "agg(people.name)"}, "by(people.city)",
    ),
    Case(
        "a typed Dataset, mapped", _of_the_jvm("mapped"),
        {"made": "f(people.id, people.name)"}, "where(people.id, people.name)",
    ),
    Case(
        "a typed Dataset, grouped by a function", _of_the_jvm("grouped"),
        {"made": "agg(people.id, people.name)"},
        "by(people.id, people.name) where(people.id, people.name)",
    ),
]  # fmt: skip

CASES = [*PANDAS, *JVM]
