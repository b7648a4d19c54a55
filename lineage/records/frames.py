"""Rows of DataFrames of pandas, and DataFrames of rows, without a change of values."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def is_frame(value: Any) -> bool:
    """Return whether a value is a DataFrame of pandas; loads no module."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def rows_of_frame(frame: Any) -> list[dict[str, Any]]:
    """Return the rows as dicts of Python values."""
    rows: list[dict[str, Any]] = frame.to_dict("records")
    return rows


def frame_of_rows(rows: Iterable[Any]) -> Any:
    """Return the DataFrame of dicts or Rows, with the types that pandas infers.

    A column of integers beside other numbers or nulls has the type object: as floats, they would
    lose their digits above 2**53.
    """
    import pandas

    plain = [row.asDict() if hasattr(row, "asDict") else row for row in rows]
    frame = pandas.DataFrame(plain)
    for name in frame.columns[[dtype.kind == "f" for dtype in frame.dtypes]]:
        values = [row.get(name) if isinstance(row, dict) else row[name] for row in plain]
        if any(isinstance(value, int) for value in values):
            frame[name] = pandas.Series(values, dtype=object)
    return frame


def map_frames(
    frames: Iterable[Any], iterate: Callable[[Iterable[Any]], Iterator[Any]]
) -> Iterator[Any]:
    """Yield a DataFrame of the outputs for each DataFrame of rows that has outputs."""
    for frame in frames:
        if outputs := list(iterate(rows_of_frame(frame))):
            yield frame_of_rows(outputs)
