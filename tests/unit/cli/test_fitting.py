"""Tables and lines fitted to the width of a terminal."""

from __future__ import annotations

import pytest
from lineage_cli.output.fitting import fitting_table, shorten_lines
from lineage_cli.output.render import table_lines

RUN = "0198c6f0-22a1-7000-8000-000000000001"
TIME = "2026-01-01T00:01:00.000000Z"


def test_columns_that_are_missed_least_go_and_are_named() -> None:
    columns = ["direction", "source", "reason", "target", "last_seen"]
    cells = [["upstream", "s3a://lake/" + "a" * 40, "", "s3a://lake/" + c * 40, TIME] for c in "bc"]
    lines = fitting_table(cells, columns, 48)
    assert all(len(line) <= 48 for line in lines)
    assert lines[0].split() == ["source", "target", "last_seen"]
    assert lines[2].endswith("  2026-01-01 00:01:00Z")
    assert " ".join(lines[4:]) == "Without reason, direction (upstream in all): --wide shows all."


def test_different_names_are_shortened_differently() -> None:
    names = [f"s3://lake/{layer}/orders" for layer in ("raw", "silver", "gold", "mart")]
    cells = [[name, TIME, TIME, "team"] for name in names]
    for width in range(30, 90):
        lines = fitting_table(cells, ["dataset", "read", "written", "owner"], width)[2:6]
        assert len({line[: line.index("orders") + 6] for line in lines}) == len(names)


def test_a_column_without_values_goes_before_a_name_is_shortened() -> None:
    lines = fitting_table([["s3://lake/raw/orders_of_the_year", ""]], ["dataset", "owners"], 40)
    assert lines[2:] == ["s3://lake/raw/orders_of_the_year", "Without owners: --wide shows all."]


def test_a_text_is_wrapped_by_words() -> None:
    cells = [["run", "Runs without a final event, oldest first: still running, or terminated."]]
    assert fitting_table(cells, ["name", "summary"], 36)[2:] == [
        "run   Runs without a final event,",
        "      oldest first: still running,",
        "      or terminated.",
    ]


def test_a_sentence_is_wrapped_and_no_word_of_it_is_cut() -> None:
    line = "In use: read by a run in the 30 days before the newest event, 2026-01-01 00:00:06Z."
    assert list(shorten_lines([line], 60)) == [
        "In use: read by a run in the 30 days before the newest",
        "event, 2026-01-01 00:00:06Z.",
    ]


def test_a_table_without_rows_fits() -> None:
    lines = fitting_table([], ["direction", "distance", "source"], 20)
    assert all(len(line) <= 20 for line in lines)
    assert lines[0] == "direction  distance"


def test_a_table_that_fits_is_the_same_as_elsewhere() -> None:
    rows = [{"a": "x", "name": "longer than its header"}, {"a": None, "name": "y"}]
    columns = ["a", "name"]
    assert [line.rstrip() for line in table_lines(rows, columns)] == table_lines(rows, columns, 80)


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_line_fits_and_its_longest_names_are_shortened(width: int) -> None:
    line = f"├── s3a://lake/{'x' * 90}/orders  [etl.job, 2026-01-01 00:00:00Z, run {RUN}]"
    [fitted] = shorten_lines([line], width)
    assert len(fitted) == width
    assert fitted.startswith("├── s3a")
    if width == 80:
        assert "orders  [etl.job, 2026-01-01 00:00:00Z, run 0198c6f0-22a1…]" in fitted


def test_short_lines_and_lines_without_a_width_are_unchanged() -> None:
    line = "a" * 100
    assert list(shorten_lines([line, "b"], None)) == [line, "b"]
    assert list(shorten_lines([line], 100)) == [line]
