"""The parts of the benchmarks that are in Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import listener

if TYPE_CHECKING:
    from pathlib import Path


def test_the_timed_listener_compiles_against_the_jar(tmp_path: Path):
    arguments = listener.submit_arguments(tmp_path)

    assert "pyspark-shell" in arguments
    assert (tmp_path / "classes/io/lineage/spark/TimedListener.class").exists()
