"""Rows of files that meet conditions, and files that are not read."""

from __future__ import annotations

import math
import operator
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, parquet

from lineage.query.records import Dataset
from lineage.records.comparisons import parse_condition
from lineage.records.data_files import MatchingRows, read_matching
from lineage.records.identity_filters import IdentityCondition
from lineage.records.listed_files import Unreadable, list_files

if TYPE_CHECKING:
    from collections.abc import Mapping

FLIGHTS = {"carrier": ["HA", "UA", "HA"], "flight": [51, 15, 52], "delay": [1.5, None, -2.0]}
TYPES = {"carrier": "string", "flight": "int", "delay": "double"}


def read(
    path: Path,
    where: str,
    form: str = "parquet",
    limit: int = 10,
    schema: Mapping[str, str] = TYPES,
) -> MatchingRows:
    conditions = [IdentityCondition((c.column,), c) for c in parse_condition(where).comparisons]
    return read_matching(list_files(Dataset(1, "file", str(path))), form, schema, conditions, limit)


@pytest.fixture(params=["parquet", "csv", "csv without header", "json"])
def flights(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A directory of one file with FLIGHTS, and its format."""
    form, _, headless = request.param.partition(" ")
    table = pyarrow.table(FLIGHTS)
    path = tmp_path / "flights"
    path.mkdir()
    (path / "_SUCCESS").touch()
    if form == "parquet":
        parquet.write_table(table, path / "part-0")
    elif form == "csv":
        options = csv.WriteOptions(include_header=not headless)
        csv.write_csv(table, path / "part-0", options)
    else:
        lines = (
            f'{{"carrier": "{row["carrier"]}", "flight": {row["flight"]}, '
            f'"delay": {"null" if row["delay"] is None else row["delay"]}}}\n'
            for row in table.to_pylist()
        )
        (path / "part-0").write_text("".join(lines))
    return path, form


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("carrier = 'HA'", [51, 52]),
        ("carrier = 'HA' AND flight > 51", [52]),
        ("flight IN (15, 52)", [15, 52]),
        ("flight BETWEEN 15 AND 51", [51, 15]),
        ("delay < 1.5", [52]),
        ("carrier = 'ha'", []),
    ],
)
def test_rows_that_meet_all_conditions(
    where: str, expected: list[int], flights: tuple[Path, str]
) -> None:
    path, form = flights
    matching = read(path, where, form)
    assert [row["flight"] for row in matching.rows] == expected
    assert matching.total == len(expected)
    assert {row["_file"] for row in matching.rows} <= {str(path / "part-0")}


def test_the_limit_is_of_rows_and_not_of_their_number(flights: tuple[Path, str]) -> None:
    path, form = flights
    matching = read(path, "carrier = 'HA'", form, limit=1)
    assert (len(matching.rows), matching.total) == (1, 2)
    assert read(path, "carrier = 'HA'", form, limit=0)[:2] == (2, [])


def test_partitions_are_columns(tmp_path: Path) -> None:
    for month in (1, 2):
        (tmp_path / f"_month={month}").mkdir()
        table = pyarrow.table({"id": [month, month * 10]})
        parquet.write_table(table, tmp_path / f"_month={month}" / "part-0")
    matching = read(tmp_path, "_month = 2 AND id > 5")
    assert [(row["id"], row["_month"]) for row in matching.rows] == [(20, 2)]


def test_a_column_that_only_some_files_have_is_null_in_others(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"id": [1]}), tmp_path / "a")
    parquet.write_table(pyarrow.table({"id": [2], "late": [True]}), tmp_path / "b")
    assert [row["id"] for row in read(tmp_path, "late = true").rows] == [2]


@pytest.mark.parametrize(
    "where", ["flight = '51'", "carrier = 5", "flight = 51.5", "missing = 1", "flight = true"]
)
def test_a_comparison_that_spark_would_cast_is_left_out(where: str, tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table(FLIGHTS), tmp_path / "a")
    assert read(tmp_path, where) == (0, [], (), ())
    matching = read(tmp_path, f"{where} AND carrier = 'HA'")
    assert (matching.total, matching.used) == (2, ("carrier = 'HA'",))


@pytest.mark.parametrize(
    ("log", "file", "table"),
    [("_delta_log", "0.json", "Delta Lake"), ("metadata", "v1.metadata.json", "Iceberg")],
)
def test_tables_with_a_log_are_not_read(log: str, file: str, table: str, tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table(FLIGHTS), tmp_path / "a")
    (tmp_path / log).mkdir()
    (tmp_path / log / file).touch()
    with pytest.raises(Unreadable, match=table):
        read(tmp_path, "carrier = 'HA'")


def test_unreadable_files_say_why(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="does not exist"):
        read(tmp_path / "gone", "carrier = 'HA'")
    with pytest.raises(Unreadable, match="has no files"):
        read(tmp_path, "carrier = 'HA'")
    (tmp_path / "a").write_text("no parquet")
    with pytest.raises(Unreadable, match="the format is orc"):
        read(tmp_path, "carrier = 'HA'", "orc")
    with pytest.raises(Unreadable, match="a"):
        read(tmp_path, "carrier = 'HA'")
    (tmp_path / "a").write_text("HA;51;1.5\n")
    with pytest.raises(Unreadable, match="separated by commas"):
        read(tmp_path, "carrier = 'HA'", "csv")
    with pytest.raises(Unreadable, match="not a dataset of files"):
        list_files(Dataset(1, "postgres://db:5432", "a.b.c"))


COMPARE = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
KINDS: dict[str, tuple[Any, Any]] = {
    "float": (pyarrow.float32(), st.floats(width=32)),
    "double": (pyarrow.float64(), st.floats()),
    "bigint": (pyarrow.int64(), st.integers(-(2**63), 2**63 - 1)),
    "decimal": (pyarrow.decimal128(6, 2), st.decimals(-999, 999, places=2)),
}


def matches_in_spark(value: Any, sign: str, literal: Decimal | int, kind: str) -> bool:
    """Compare as Spark does: doubles with the double of the literal, NaN above all numbers."""
    if kind not in ("float", "double"):
        return bool(COMPARE[sign](value, literal))
    if math.isnan(value):
        return sign in (">", ">=")
    return bool(COMPARE[sign](float(value), float(literal)))


def test_statistics_that_ignore_nan_skip_no_row(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"x": [0.0, math.nan], "y": ["a", "b"]}), tmp_path / "a")
    matching = read(tmp_path, "x > 0", limit=5)
    assert ([row["y"] for row in matching.rows], matching.total) == (["b"], 1)


@given(data=st.data(), kind=st.sampled_from(sorted(KINDS)), sign=st.sampled_from(sorted(COMPARE)))
def test_numbers_compare_as_in_spark(data: st.DataObject, kind: str, sign: str) -> None:
    arrow, values = KINDS[kind]
    numbers = data.draw(st.lists(values, max_size=5))
    near = [Decimal(n) for n in numbers if math.isfinite(n) and abs(n) < 10**6]
    literals = st.one_of(st.integers(-100, 100).map(Decimal), st.decimals(-9, 9, places=1))
    literal = data.draw(st.one_of(literals, st.sampled_from(near)) if near else literals)
    text = format(literal, "f")
    expected = [n for n in numbers if matches_in_spark(n, sign, Decimal(text), kind)]
    with tempfile.TemporaryDirectory() as directory:
        table = pyarrow.table({"x": pyarrow.array(numbers, arrow)})
        parquet.write_table(table, f"{directory}/a")
        matching = read(Path(directory), f"x {sign} {text}", limit=100)
    if matching.used:
        assert list(map(repr, (row["x"] for row in matching.rows))) == list(map(repr, expected))
    else:
        assert kind in ("bigint", "decimal")  # the literal has more digits than the column


TEXTS = {"id": "int", "txt": "string"}


@pytest.mark.parametrize("value", ['"5\\" disk"', '"5"" disk"', '5" disk', "a\\b", '""""', ' "a"'])
def test_a_value_that_spark_reads_otherwise_is_not_read(value: str, tmp_path: Path) -> None:
    """In a CSV file, Spark's escape is a backslash, and it reads a doubled quote as two."""
    (tmp_path / "a").write_text(f"id,txt\n1,x\n2,{value}\n")
    with pytest.raises(Unreadable, match="a quote or a backslash inside a value"):
        read(tmp_path, "txt = 'x'", "csv", schema=TEXTS)


def test_quotes_around_values_are_not_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('"id","txt"\n1,"a, b"\n2,""\n3,\n')
    for where, expected in (("txt = 'a, b'", [1]), ("txt = ''", [2])):
        matching = read(tmp_path, where, "csv", schema=TEXTS)
        assert [row["id"] for row in matching.rows] == expected
