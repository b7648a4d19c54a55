"""Select the most informative line of an error."""

from __future__ import annotations

import re

TRACEBACK = "Traceback (most recent call last):"
FRAME = re.compile(
    r'^\s+File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?$', re.MULTILINE
)
# Code that the user did not write: packages, the standard library, Spark's own archive of Python.
FOREIGN = re.compile(
    r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python3|[/\\]pyspark(\.zip)?[/\\]|<frozen "
)
EXIT_CODE = re.compile(r"Exit code -?\d+; the last execution failed with ")


def first_line(error: str | None, max_length: int | None = None) -> str:
    """Return the most informative line of an error, of at most ``most`` characters if given.

    For a Python traceback, this is the exception with the last frame of user code.
    """
    text = error or ""
    before, traceback_mark, last = text.rpartition(TRACEBACK)
    if not traceback_mark:
        return _cut_line(_first_line_of(text), "", max_length)
    raised = next((line for line in last.splitlines() if line[:1].strip()), None)
    if raised is None:  # the text was cut before its end
        raised = _first_line_of(before + traceback_mark)
    else:
        exit_code = EXIT_CODE.match(text)
        raised = f"{exit_code[0] if exit_code else ''}{raised.strip()}"
    return _cut_line(raised, _first_user_frame(last), max_length)


def _first_line_of(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _first_user_frame(text: str) -> str:
    """Return the last frame of user code, else the last frame."""
    frames = list(FRAME.finditer(text))
    own = [frame for frame in frames if not FOREIGN.search(frame["file"])]
    if not frames:
        return ""
    frame = (own or frames)[-1]
    file = re.split(r"[/\\]", frame["file"])[-1]
    name = f", in {frame['name']}" if frame["name"] else ""
    return f" ({file}:{frame['line']}{name})"


def _cut_line(line: str, place: str, max_length: int | None) -> str:
    if max_length is None or len(line) + len(place) <= max_length:
        return line + place
    return f"{line[: max(0, max_length - len(place) - 1)]}…{place}"
