"""A program does and sees the same, whether it is observed or not; and any order of operations."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.services.observed import observe_run

NOT_UTF8 = st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF)
SEGMENTS = st.text(
    st.one_of(st.characters(codec="utf-8"), NOT_UTF8, st.sampled_from("\0\ud800./~*")), max_size=12
)


class Fails:
    """A path whose text cannot be had."""

    def __fspath__(self) -> str:
        raise ZeroDivisionError


class Counts:
    """A path that counts how often its text was asked for."""

    def __init__(self, text: Any) -> None:
        self.text = text
        self.count = 0

    def __fspath__(self) -> Any:
        self.count += 1
        return self.text


class Text(str):
    """A text whose methods must not be called."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise ZeroDivisionError

    def startswith(self, *_: Any) -> bool:
        raise ZeroDivisionError


PATHS = st.one_of(
    SEGMENTS,
    SEGMENTS.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=8),
    SEGMENTS.map(Text),
    SEGMENTS.map(Counts),
    st.binary(max_size=8).map(Counts),
    st.builds(Counts, st.just(7)),
    st.builds(Fails),
    st.integers(10_000, 2**70),
    st.sampled_from([None, 1.5, bytearray(b"x"), memoryview(b"x")]),
    st.integers(0, 5).map(lambda depth: "x" * 200 + "/y" * depth * 1000),
)
MODES = st.sampled_from(["r", "w", "a", "x", "r+", "wb", "rw", "", "z"])
CALLS = {
    "open": lambda path, mode, other: open(path, mode).close(),
    "FileIO": lambda path, mode, other: io.FileIO(path, mode).close(),
    "os.open": lambda path, mode, other: os.close(os.open(path, os.O_RDWR | os.O_CREAT)),
    "rename": lambda path, mode, other: os.rename(path, other),
    "replace": lambda path, mode, other: os.replace(other, path),
    "remove": lambda path, mode, other: os.remove(path),
    "truncate": lambda path, mode, other: os.truncate(path, 0),
    "mkdir": lambda path, mode, other: os.mkdir(path),
    "link": lambda path, mode, other: os.link(path, other),
    "copyfile": lambda path, mode, other: shutil.copyfile(path, other),
    "rmtree": lambda path, mode, other: os.path.isabs(path) or shutil.rmtree(path),
    "chdir": lambda path, mode, other: os.chdir(path),
}
SAFE = st.lists(st.tuples(st.sampled_from(sorted(CALLS)), PATHS, MODES, PATHS), max_size=6)


def run_program(calls: list[Any], *, lose_directory: bool) -> tuple[list[str], list[str]]:
    """Make the calls in a new directory; return what each did, and which files there are then."""
    outcomes: list[str] = []
    top = tempfile.mkdtemp()
    os.makedirs(f"{top}/a/b/c/d")
    before = os.getcwd()
    os.chdir(f"{top}/a/b/c/d")
    if lose_directory:
        os.rmdir(f"{top}/a/b/c/d")
    try:
        for name, path, mode, other in calls:
            try:
                outcomes.append(repr(CALLS[name](path, mode, other)))
            except BaseException as error:
                outcomes.append(f"{type(error).__name__} {error.args[0] if error.args else ''}")
            outcomes += [f"{each.count}" for each in (path, other) if isinstance(each, Counts)]
        files = sorted(os.path.join(*each) for each in _list_files(os.fsencode(top)))
        return outcomes, [file.replace(top, "") for file in map(os.fsdecode, files)]
    finally:
        os.chdir(before)
        shutil.rmtree(top)


def _list_files(top: bytes) -> list[tuple[bytes, bytes]]:
    return [(directory, file) for directory, _, files in os.walk(top) for file in files]


def is_below(call: Any) -> bool:
    """Return whether a call cannot leave the directory of the test."""
    texts = [each.text if isinstance(each, Counts) else each for each in (call[1], call[3])]
    return not any(
        each.startswith(("/", "~") if isinstance(each, str) else (b"/", b"~")) or ".." in repr(each)
        for text in texts
        if isinstance(text, str | bytes)
        for each in [str.__str__(text) if isinstance(text, str) else text]
    )


@given(SAFE, st.booleans())
@settings(max_examples=50)
def test_calls_have_the_same_result(calls: list[Any], lose_directory: bool):
    check_calls(calls, lose_directory)


@pytest.mark.slow
@given(SAFE, st.booleans())
@settings(max_examples=600)
def test_many_calls_have_the_same_result(calls: list[Any], lose_directory: bool):
    check_calls(calls, lose_directory)


def check_calls(calls: list[Any], lose_directory: bool) -> None:
    calls = [call for call in calls if is_below(call)]
    plain = run_program(calls, lose_directory=lose_directory)
    for _, path, _, other in calls:
        for each in (path, other):
            if isinstance(each, Counts):
                each.count = 0
    with tempfile.TemporaryDirectory() as spool, observe_run(Path(spool), "files") as observed:
        watched = run_program(calls, lose_directory=lose_directory)
    assert watched == plain
    assert "failures" not in observed.facet


NAMES = st.sampled_from(["old1", "old2", "new1", "new2"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["read", "write", "append", "update", "rename", "copy", "remove"]),
        NAMES,
        NAMES,
    ),
    max_size=12,
)


class Model:
    """What a run read and wrote, by the origins of the content of each file.

    The content of a file is the set of initial files that it has something of, and ``self`` if the
    run wrote to it.
    """

    def __init__(self) -> None:
        self.files: dict[str, frozenset[str]] = {n: frozenset([n]) for n in ("old1", "old2")}
        self.inputs: set[str] = set()
        self.outputs: set[str] = set()
        self.dropped: set[str] = set()

    def read(self, name: str, _: str) -> None:
        self.inputs |= self.files[name] - {"self"}

    def write(self, name: str, _: str) -> None:
        self.files[name] = frozenset(["self"])
        self.outputs.add(name)

    def append(self, name: str, _: str) -> None:
        self.files[name] = self.files.get(name, frozenset()) | {"self"}
        self.outputs.add(name)

    def update(self, name: str, other: str) -> None:
        self.read(name, other)
        self.append(name, other)

    def rename(self, name: str, other: str) -> None:
        self.read(name, other)
        content = self.files.pop(name)
        self.files[other] = content
        self.outputs.discard(name)
        self.outputs.add(other)

    def copy(self, name: str, other: str) -> None:
        self.read(name, other)
        self.files[other] = frozenset(["self"])
        self.outputs.add(other)

    def remove(self, name: str, _: str) -> None:
        content = self.files.pop(name)
        self.outputs.discard(name)
        self.dropped |= content - {"self"}

    def all_outputs(self) -> set[str]:
        return self.outputs | self.dropped - set(self.files)


def write_text(name: str, mode: str) -> None:
    with open(name, mode) as file:
        file.seek(0, os.SEEK_END)
        file.write(name)


def read_text(name: str) -> None:
    with open(name) as file:
        file.read()


ACTIONS = {
    "read": lambda name, other: read_text(name),
    "write": lambda name, other: write_text(name, "w"),
    "append": lambda name, other: write_text(name, "a"),
    "update": lambda name, other: write_text(name, "r+"),
    "rename": lambda name, other: os.rename(name, other),
    "copy": lambda name, other: shutil.copyfile(name, other),
    "remove": lambda name, other: os.remove(name),
}


@given(STEPS)
@settings(max_examples=60)
def test_any_order_of_operations(steps: list[tuple[str, str, str]]):
    check_steps(steps)


@pytest.mark.slow
@given(STEPS)
@settings(max_examples=1000)
def test_any_order_of_many_operations(steps: list[tuple[str, str, str]]):
    check_steps(steps)


def check_steps(steps: list[tuple[str, str, str]]) -> None:
    model = Model()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        stack.callback(os.chdir, before)
        os.chdir(directory)
        for name in model.files:
            write_text(name, "w")
        with observe_run(Path(directory) / "spool", "files") as observed:
            for action, name, other in steps:
                exists = name in model.files
                if (not exists and action not in ("write", "append")) or name == other:
                    continue
                ACTIONS[action](name, other)
                getattr(model, action)(name, other)
        assert observed.inputs == sorted(f"{directory}/{name}" for name in model.inputs), steps
        assert observed.outputs == sorted(f"{directory}/{name}" for name in model.all_outputs()), (
            steps
        )
