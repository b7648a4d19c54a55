"""Measure how much faster statements are read by remembered shapes.

python -m benchmarks.sql_reading [--rounds N]

A log of statements of T-SQL whose literals differ is read with the memory of shapes, and without.
Both run in turns; the ratio is that of the medians.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from lineage.sql import read_statements, statements

SHAPES = 90
TEXTS = 900
MIN_RATIO = 20
_TEXT = """WITH c{shape} AS (
    SELECT s.id, SUM(s.v) AS v FROM dbo.s{shape} AS s JOIN dbo.r AS r ON r.id = s.id
    WHERE s.day = '{value}' GROUP BY s.id
) INSERT INTO dbo.t (id, v) SELECT id, v FROM c{shape} WHERE v > {value}"""


def make_log() -> list[str]:
    """Return the texts of a log, in which each shape is repeated with other literals."""
    return [_TEXT.format(shape=number % SHAPES, value=number) for number in range(TEXTS)]


def time_reading(log: list[str], *, forgets: bool) -> float:
    """Return the seconds of reading a log; ``forgets`` empties the memory before each text."""
    start = time.perf_counter()
    for text in log:
        if forgets:
            statements._remember_text.cache_clear()
            statements._remember_piece.cache_clear()
        read_statements(text, "tsql")
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    log = make_log()
    plain, remembered = [], []
    for _ in range(rounds):
        plain.append(time_reading(log, forgets=True))
        time_reading(log, forgets=False)  # fills the memory
        remembered.append(time_reading(log, forgets=False))
    ratio = median(plain) / median(remembered)
    print(f"plain {TEXTS / median(plain):,.0f} statements/s")
    print(f"remembered {TEXTS / median(remembered):,.0f} statements/s, {ratio:.0f} times")
    if ratio < MIN_RATIO:
        raise SystemExit(f"less than {MIN_RATIO} times")


if __name__ == "__main__":
    main()
