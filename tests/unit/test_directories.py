"""The files of a directory, and the endings of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineage.directories import list_files, unpacked_name, unrotated_name

if TYPE_CHECKING:
    from pathlib import Path


def fail(error: OSError) -> None:
    raise error


def test_links_are_followed_and_circles_end(tmp_path: Path) -> None:
    """Each directory is listed once, by the first of its names."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "2026").mkdir(parents=True)
    (elsewhere / "2026" / "a.json").touch()
    source = tmp_path / "source"
    (source / "inner").mkdir(parents=True)
    (source / "inner" / "b.json").touch()
    (source / "inner" / "up").symlink_to(source)
    (source / "old").symlink_to(elsewhere)
    (source / "older").symlink_to(elsewhere)
    (source / "c.json").symlink_to(elsewhere / "2026" / "a.json")
    (source / "missing").symlink_to(tmp_path / "nowhere")
    names = [str(file.relative_to(source)) for file in list_files(source, fail)]
    assert names == ["c.json", "inner/b.json", "missing", "old/2026/a.json"]


def test_a_directory_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    missing, errors = tmp_path / "missing", []
    assert list_files(missing, errors.append) == []
    assert [error.filename for error in errors] == [str(missing)]


@pytest.mark.parametrize(
    ("name", "unpacked", "unrotated"),
    [
        ("a.jsonl", "a.jsonl", "a.jsonl"),
        ("A.JSONL.GZ", "a.jsonl", "a.jsonl"),
        ("a.log.2.gz", "a.log.2", "a.log"),
        ("a.log-20260131.zst", "a.log-20260131", "a.log"),
        ("events-20260131.json", "events-20260131.json", "events-20260131.json"),
        ("a.log.bak", "a.log.bak", "a.log.bak"),
        ("a.json.gz.bz2", "a.json.gz", "a.json.gz"),
    ],
)
def test_endings_of_names(name: str, unpacked: str, unrotated: str) -> None:
    assert (unpacked_name(name), unrotated_name(name)) == (unpacked, unrotated)
