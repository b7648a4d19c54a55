"""The files of a source: unreadable ones are reported."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineage.errors import InvalidEvent, SpoolError, UsageError
from lineage.ingest.sources import read_items
from lineage.spark.document import spool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NOBODY = 65534


class Reports:
    """Collects reports."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def on_written(self, written: object) -> None: ...

    def on_read(self, done: int, total: int) -> None: ...

    def bad_line(self, error: InvalidEvent) -> None:
        self.errors.append(error.message)

    def report_omitted(self, place: str, parts: Sequence[str]) -> None: ...

    def on_waiting(self, pipe: Path) -> None: ...


@pytest.fixture
def directory() -> Iterator[Path]:
    """Create a directory accessible to every user, unlike that of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextlib.contextmanager
def mode_of(path: Path, mode: int) -> Iterator[None]:
    """Give ``path`` another mode, and drop root, which ignores modes."""
    before = path.stat().st_mode
    path.chmod(mode)
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(path, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        path.chmod(before)


def read(source: str) -> tuple[list[bytes], list[str]]:
    reports = Reports()
    return [item.text for item in read_items(source, reports)], reports.errors


def test_a_directory_that_may_not_be_listed_is_reported(directory: Path) -> None:
    closed = directory / "closed"
    closed.mkdir()
    (closed / "lost.jsonl").write_text("{}\n")
    (directory / "events.jsonl").write_text("{}\n")
    with mode_of(closed, 0):
        texts, errors = read(str(directory))
        with pytest.raises(UsageError) as alone:
            read(str(closed))
    assert [text.strip() for text in texts] == [b"{}"]
    assert errors == [f"{closed} cannot be read: Permission denied."]
    assert alone.value.message == f"{closed} cannot be read: Permission denied."


def test_a_file_in_a_directory_that_may_not_be_entered_is_reported(directory: Path) -> None:
    closed = directory / "closed"
    closed.mkdir()
    file = closed / "lost.jsonl"
    file.write_text("{}\n")
    with mode_of(closed, 0o444):
        _, errors = read(str(directory))
        with pytest.raises(UsageError) as alone:
            read(str(file))
        with pytest.raises(SpoolError) as spooled:
            spool.find_applications(file)
    assert errors == [f"{file} cannot be read: Permission denied."]
    assert alone.value.message == f"{file} cannot be read: Permission denied."
    assert spooled.value.message == f"{file} cannot be read: Permission denied."


def test_a_spool_that_may_not_be_listed_is_an_error(directory: Path) -> None:
    closed = directory / "closed"
    closed.mkdir()
    with mode_of(closed, 0), pytest.raises(SpoolError) as error:
        spool.find_applications(closed)
    assert error.value.message == f"{closed} cannot be read: Permission denied."


def test_packed_files_of_a_spool_are_of_one_application(tmp_path: Path) -> None:
    names = ["App-0000.jsonl.zst", "App-0001.jsonl.bz2", "App-0002.jsonl.gz", "App-0003.jsonl"]
    for name in (*names, "App.lock", "App-0004.jsonl.bak"):
        (tmp_path / name).touch()
    [application] = spool.find_applications(tmp_path)
    assert [file.name for file in application.files] == names
    assert application.lock == tmp_path / "App.lock"


def test_an_empty_name_is_not_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unset variable of a shell gives an empty name: lineage ingest "$FILE"."""
    (tmp_path / "events.jsonl").write_text("{}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="The name of the file is empty"):
        read("")
    with pytest.raises(SpoolError, match="The name of the spool is empty"):
        spool.find_applications("")


def test_links_in_a_circle_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UsageError, match="Too many levels of symbolic links"):
        read(str(tmp_path / "a"))


def test_a_text_of_a_byte_order_mark_alone_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    for mark in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"):
        file.write_bytes(mark)
        assert read(str(file)) == ([], [])


def test_a_zstandard_file_may_begin_with_a_skippable_frame(tmp_path: Path) -> None:
    """Pzstd writes one before each frame, with the size of the frame."""
    pyarrow = pytest.importorskip("pyarrow")
    frame = pyarrow.compress(b"\n", codec="zstd", asbytes=True)
    file = tmp_path / "events.jsonl.zst"
    for number in (0x50, 0x5F):
        file.write_bytes(bytes([number]) + b"\x2a\x4d\x18\x04\x00\x00\x00abcd" + frame)
        assert read(str(file)) == ([], [])


def test_a_file_that_was_packed_twice_is_named_as_such(tmp_path: Path) -> None:
    import gzip

    file = tmp_path / "events.jsonl.gz"
    file.write_bytes(gzip.compress(gzip.compress(b"{}\n")))
    assert read(str(file)) == ([], [f"{file}:1: The file holds gzip data, not JSON."])
