"""Columns that Spark named after their expressions, from one application to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.cases.secrets import secret
from support.spark.recorded import told

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit, Submitted

Columns = dict[str, dict[str, set[str]]]


@pytest.fixture(scope="module")
def job(spark_submit: SparkSubmit) -> Submitted:
    submitted = spark_submit.start("generated_names.py")
    assert submitted.finish() == 0, submitted.log[-3000:]
    return submitted


@pytest.fixture(scope="module")
def columns(job: Submitted) -> Columns:
    """Return the direct sources of each column of each output."""
    return {
        last(output): {
            name: {f"{last(item)}.{item['field']}" for item in field["inputFields"] if direct(item)}
            for name, field in output["facets"]["columnLineage"]["fields"].items()
        }
        for event in told(job.spool)
        if event["eventType"] == "COMPLETE"
        for output in event["outputs"]
        if "columnLineage" in output["facets"]
    }


def last(dataset: dict[str, Any]) -> str:
    return str(dataset["name"]).rpartition("/")[2]


def direct(item: dict[str, Any]) -> bool:
    return any(how["type"] == "DIRECT" for how in item["transformations"])


def test_a_reader_names_a_column_as_its_writer_does(columns: Columns):
    month, total = columns["monthly"]
    assert columns["monthly"] == {month: {"orders.day"}, total: {"orders.amount"}}
    assert total == "sum(amount)"  # no literal is useful in a sum
    assert columns["report"] == {"month": {f"monthly.{month}"}, "total": {f"monthly.{total}"}}


def test_a_name_keeps_the_columns_that_distinguish_it(columns: Columns):
    assert columns["totals"] == {
        "cat": {"orders.cat"},
        "round(sum(id), 2)": {"orders.id"},
        "round(sum(amount), 2)": {"orders.amount"},
    }
    assert columns["amounts"] == {"total": {"totals.round(sum(amount), 2)"}}
    assert columns["some amounts"] == {"total": {"totals.round(sum(amount), 2)"}}
    assert columns["prices"] == {
        "Price(EUR)": {"orders.id"},
        "Price(USD)": {"orders.amount"},
    }
    assert columns["dollars"] == {"price": {"prices.Price(USD)"}}
    assert columns["hashes"] == {
        "sha2(cat, 256)": {"orders.cat"},
        "sha2(day, 256)": {"orders.day"},
    }
    assert columns["pivoted"] == {
        "person": {"orders.person"},
        "a_round(sum(id), 2)": {"orders.id"},
        "a_round(sum(amount), 2)": {"orders.amount"},
    }
    rows = "ROWS BETWEEN -1 FOLLOWING AND -1 FOLLOWING"
    assert columns["previous"] == {
        f"lag(amount, 1, NULL) OVER (PARTITION BY {by} ORDER BY id ASC NULLS FIRST {rows})": {
            "orders.amount"
        }
        for by in ("cat", "day")
    }
    assert columns["hashed"] == {"hash": {"hashes.sha2(cat, 256)"}}


def test_columns_whose_names_differ_in_literals_only_are_one(columns: Columns, job: Submitted):
    assert columns["alike"] == {
        "struct(id, amount)": {"orders.id", "orders.amount"},
        "struct(person, cat)": {"orders.person", "orders.cat"},
        "concat(?, ?)": {"orders.cat", "orders.day"},
    }
    assert columns["parts"] == {
        "s": {"alike.struct(id, amount)"},
        "t": {"alike.struct(person, cat)"},
        "x": {"alike.concat(?, ?)"},
        "y": {"alike.concat(?, ?)"},
    }
    marked = {
        last(event["outputs"][0])
        for event in told(job.spool)
        if "differ in literals only" in str(event["run"]["facets"].get("lineage_unresolved"))
    }
    assert marked == {"alike", "parts"}
    (schema,) = (
        [field["name"] for field in output["facets"]["schema"]["fields"]]
        for event in told(job.spool)
        for output in event["outputs"]
        if event["eventType"] == "COMPLETE" and last(output) == "alike"
    )
    assert schema == list(columns["alike"])


def test_a_text_file_has_no_name_of_its_column(columns: Columns):
    assert columns["lines"] == {"value": {"orders.cat"}, "day": {"orders.day"}}
    assert columns["parsed"] == {"v": {"lines.value"}, "d": {"lines.day"}}


def test_no_literal_of_an_expression_is_in_the_spool(job: Submitted):
    spooled = "".join(file.read_text() for file in job.spool.glob("*.jsonl"))
    assert "copied secrets" in spooled
    assert "copied masked" in spooled
    assert [number for number in range(12) if secret(number) in spooled] == []
