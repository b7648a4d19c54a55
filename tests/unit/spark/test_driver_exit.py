"""The exception of a Python driver in the form for the listener."""

from __future__ import annotations

from lineage.spark.launcher.driver_exit import describe_exception


def thrown(error: Exception) -> str:
    try:
        raise error
    except type(error) as caught:
        return describe_exception(caught, caught.__traceback__)


def test_a_long_message_keeps_its_last_line_and_the_frames() -> None:
    lines = thrown(ValueError("first\n" + "frame\n" * 10_000 + "Error: the last")).split("\n")
    assert lines[0] == "ValueError: first"
    assert lines[-2] == "Error: the last"
    assert lines[-1].endswith(", in thrown")


def test_an_endless_message_ends_before_half_a_literal() -> None:
    lines = thrown(ValueError(f"SELECT 'near', '{'Pl4nted' * 100_000}'")).split("\n")
    assert lines[:2] == ["ValueError: SELECT ", "... (the rest is left out)"]
    assert lines[2].endswith(", in thrown")
    lines = thrown(ValueError(f"first\nSELECT '{'Pl4nted' * 100_000}'")).split("\n")
    assert lines[:2] == ["ValueError: first", "... (the rest is left out)"]
