"""Ranges, defaults and descriptions of parameters, which are the same on every surface."""

from __future__ import annotations

# More than any graph has, and so the same as no limit.
MAX_DEPTH = 1_000_000
WINDOW_DAYS = 30
MAX_WINDOW_DAYS = 36_500
OBSERVED = (
    "Use only edges that runs reported: no declared edges, and no dependencies between jobs that"
    " share no dataset."
)
