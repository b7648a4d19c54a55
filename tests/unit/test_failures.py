"""The first displayed line of an error text."""

from __future__ import annotations

import traceback

import pytest

from lineage.failures import first_line

FRAMES = """Traceback (most recent call last):
  File "/opt/jobs/report.py", line 12, in share
    return part(total)
           ^^^^^^^^^^^
  File "/opt/jobs/parts.py", line 7, in part
    return 1 // total
           ~~^^~~
  File "/opt/venv/lib/python3.11/site-packages/pyspark/worker.py", line 9, in call
    return f()
ZeroDivisionError: integer division or modulo by zero
"""
OURS = "ZeroDivisionError: integer division or modulo by zero (parts.py:7, in part)"
WORKER = "[PYTHON_EXCEPTION] An exception was thrown from the Python worker: "


@pytest.mark.parametrize(
    "text",
    [
        FRAMES,
        f"org.apache.spark.api.python.PythonException: {FRAMES}",
        f"org.apache.spark.api.python.PythonException: {WORKER}{FRAMES} SQLSTATE: 38000\n",
        ("Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent"
        f" failure: Lost task 0.0: org.apache.spark.api.python.PythonException: {FRAMES}\n"
        "\tat org.apache.spark.api.python.BasePythonRunner(PythonRunner.scala:772)\n"),
        f"Task failed with exception\n{FRAMES}",
    ],
)  # fmt: skip
def test_of_a_python_traceback_the_last_line_is_first(text: str) -> None:
    assert first_line(text) == OURS


def test_of_several_tracebacks_the_last_is_what_was_raised() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/a/x.py", line 1, in f\n    g()\n'
        "KeyError: 'day'\n\nDuring handling of the above exception, another exception occurred:\n\n"
        f"{FRAMES}"
    )
    assert first_line(text) == OURS


def test_what_an_application_ended_with_keeps_its_exit_code() -> None:
    text = (
        "Exit code 1; the last execution failed with"
        f" org.apache.spark.api.python.PythonException: {WORKER}{FRAMES}"
    )
    assert first_line(text) == f"Exit code 1; the last execution failed with {OURS}"


def test_an_error_of_a_library_alone_names_the_last_frame() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/usr/lib/python3.11/json/decoder.py", line 3,'
        " in decode\n    raise E\njson.decoder.JSONDecodeError: Expecting value: line 1\n"
    )
    assert first_line(text) == (
        "json.decoder.JSONDecodeError: Expecting value: line 1 (decoder.py:3, in decode)"
    )


def test_pythons_own_traceback_is_understood() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        text = traceback.format_exc()
    assert first_line(text).startswith("ValueError: two (test_failures.py:")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[TABLE_NOT_FOUND] no table\nat line 1", "[TABLE_NOT_FOUND] no table"),
        ("\n\n  late\n", "late"),
        ("", ""),
        (None, ""),
        ("Traceback (most recent call last):", "Traceback (most recent call last):"),
        ("lost: Traceback (most recent call last):\n  File \"/a/b.py\", line 4, in g\n    x",
         "lost: Traceback (most recent call last): (b.py:4, in g)"),
    ],
)  # fmt: skip
def test_other_texts_begin_with_their_first_line(text: str | None, expected: str) -> None:
    assert first_line(text) == expected


def test_a_very_long_line_is_cut() -> None:
    assert first_line("x" * 500, max_length=200) == "x" * 199 + "…"
    long = FRAMES.replace("integer division or modulo by zero", "y" * 500)
    assert first_line(long, max_length=200).endswith("… (parts.py:7, in part)")
    assert len(first_line(long, max_length=200)) == 200
