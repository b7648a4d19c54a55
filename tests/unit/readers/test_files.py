"""Records of CSV files, of which some cannot be read."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.readers.files import find_source_files, open_sources, read_csv, read_json

if TYPE_CHECKING:
    from lineage.errors import InvalidEvent
    from lineage.readers.files import Record

HEADER = b"id,text\n"


def read_bytes(path: Path, content: bytes) -> tuple[list[Record], list[str]]:
    path.write_bytes(content)
    bad: list[InvalidEvent] = []
    [source] = open_sources([str(path)], bad.append)
    records = [record for _, record in read_csv(source, bad.append)]
    return records, [str(error).removeprefix(f"{path}:") for error in bad]


@pytest.mark.parametrize(
    ("rotated", "names"),
    [
        (True, ["a.log.2.gz", "a.log.1", "a.log", "b.LOG-20260130", "b.LOG-20260131.zst"]),
        (False, ["a.log"]),
    ],
)
def test_rotated_files_of_a_directory(tmp_path: Path, rotated: bool, names: list[str]) -> None:
    names_of_a = ("a.log", "a.log.1", "a.log.2.gz", "a.log.bak")
    for name in (*names_of_a, "b.LOG-20260131.zst", "b.LOG-20260130", "c.txt"):
        (tmp_path / name).touch()
    found = find_source_files((str(tmp_path),), (".log",), rotated=rotated)
    assert [Path(file).name for file in found] == names


def test_json_lines_are_read_as_python_reads_json(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"A": 1}\n{"b": NaN}\n{"c": "\\ud800"}\n{"d": 1e400}\n{"e": \n[5]\n')
    bad: list[InvalidEvent] = []
    [source] = open_sources([str(path)], bad.append)
    records = dict(read_json(source, bad.append))
    assert repr(records) == repr(
        {1: {"a": 1}, 2: {"b": float("nan")}, 3: {"c": "\ud800"}, 4: {"d": float("inf")}}
    )
    assert [str(error).removeprefix(f"{path}:")[:14] for error in bad] == [
        "5: It is not J", "6: It is not a"
    ]  # fmt: skip


def test_a_record_that_is_not_utf8_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    content = HEADER + b'1,a\n2,"b\n\xff"\n3,c\n'
    records, bad = read_bytes(tmp_path / "log.csv", content)
    assert [record["id"] for record in records] == ["1", "3"]
    assert bad == ["3: The record is not UTF-8."]


def test_a_record_that_is_not_csv_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    records, bad = read_bytes(tmp_path / "log.csv", HEADER + b'1,a\n2,"b"c\n3,d\n')
    assert [record["id"] for record in records] == ["1", "3"]
    assert bad == ["3: The record is not CSV: ',' expected after '\"'."]


def test_a_record_of_another_number_of_fields_is_reported(tmp_path: Path) -> None:
    records, bad = read_bytes(tmp_path / "log.csv", HEADER + b"1,a\n2\n3,c,d\n4,e\n")
    assert [record["id"] for record in records] == ["1", "4"]
    assert bad == [
        "3: The record has 1 fields, the first one 2.",
        "4: The record has 3 fields, the first one 2.",
    ]


@given(cut=st.integers(0, 40))
def test_a_file_that_was_cut_gives_whole_texts_only(cut: int) -> None:
    """A part of a text would be another statement. A text without a beginning is reported later."""
    content = HEADER + b'1,"SELECT a\nFROM orders_old"\n2,"SELECT b"\n'
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        records, bad = read_bytes(path, content[: len(content) - cut])
    texts = [record["text"] for record in records if record["text"]]
    assert texts == ["SELECT a\nFROM orders_old", "SELECT b"][: len(texts)]
    assert len(records) + len(bad) <= 2
