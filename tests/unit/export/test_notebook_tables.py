"""Representation of other results in a notebook: tables, and one line."""

from __future__ import annotations

import pytest
from support.formats.html import Tags

from lineage.query.cypher.execution import Table
from lineage.query.display import Rows
from lineage.query.quality import Check, Quality
from lineage.query.records import Dataset, Job, Run
from lineage.query.run_diff import Difference, RunDiff
from lineage.query.run_history import Access

TIME = "2026-01-01T00:00:00.000000Z"
RUN = Run("r1", "FAIL", TIME, None, None, "no space left")
HOSTILE = ["<script>alert(1)</script>", '"><img src=x>', "a\x1b[31m\u202eb\nc"]


def quality(name: str) -> Quality:
    root = Dataset(1, "s3://lake", name)
    check = Check(dataset=root, run=RUN, assertion="not_null", column="total", success=False)
    return Quality(root, (check,), 0, 1, 0, 0)


def runs(name: str, count: int = 1) -> Rows[Access]:
    dataset, job = Dataset(1, "s3://lake", name), Job(2, "etl", "report")
    return Rows(Access(RUN, job, dataset, True, {}, False) for _ in range(count))


def test_a_record_shows_its_values_and_its_lists() -> None:
    html = Tags(quality("gold/revenue")._repr_html_())
    for text in ("s3://lake/gold/revenue", "failed", "not_null", "total", "r1 FAIL", "False"):
        assert text in html.text
    assert [tag for tag, _ in html.tags].count("table") == 2


def test_a_list_shows_a_row_for_each_record() -> None:
    html = Tags(runs("gold/revenue", 3)._repr_html_())
    assert [tag for tag, _ in html.tags].count("tr") == 1 + 3
    assert "etl/report" in html.text


def test_a_long_list_says_how_many_rows_it_leaves_out() -> None:
    html = Tags(runs("gold/revenue", 250)._repr_html_())
    assert [tag for tag, _ in html.tags].count("tr") == 1 + 200
    assert "250 rows" in html.text
    assert "and 50 more" in html.text


def test_rows_of_cypher_have_their_columns() -> None:
    html = Tags(Table(("name", "n"), (("raw", 1), ("<b>", None)), omitted=7)._repr_html_())
    assert "2 rows, 7 more" in html.text
    assert [tag for tag, _ in html.tags].count("th") == 2
    assert "<b>" in html.text
    assert "b" not in [tag for tag, _ in html.tags if tag == "b"][1:]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text(name: str) -> None:
    difference = Difference("input", Dataset(1, "n", name), name, {name: name}, None)
    answers = [
        quality(name),
        runs(name),
        RunDiff(RUN, RUN, (difference,), (name,)),
        Table((name,), ((name,),)),
    ]
    for answer in answers:
        html = answer._repr_html_()
        tags = {tag for tag, _ in Tags(html).tags}
        assert tags <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
        assert "\x1b" not in html + repr(answer)
        assert "\u202e" not in html + repr(answer)
        assert "\n" not in repr(answer)


def test_the_short_form_is_one_line() -> None:
    assert repr(quality("gold/revenue")) == "<Quality: s3://lake/gold/revenue; 1 checks>"
    datasets = Rows(Dataset(n, "n", f"t{n}") for n in range(5))
    assert repr(datasets) == "<5 rows: n/t0, n/t1, n/t2, …>"
    assert repr(Rows(())) == "<0 rows>"
    assert repr(Table(("a",), ((1,),))) == "<Table: a; 1 rows>"


def test_a_list_is_the_tuple_that_it_was() -> None:
    assert runs("gold") == tuple(runs("gold"))
    assert isinstance(runs("gold"), tuple)
