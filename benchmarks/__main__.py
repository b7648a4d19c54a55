"""Run all benchmarks, one after the other: ``make bench``."""

from __future__ import annotations

import subprocess
import sys

NAMES = """
listener attached conversion emitter ingest collector forwarding meanwhile large_reader command
lake archived_runs records_step manifests hub observe graph_models declared plan analyses imports
sql_reading
"""
for name in NAMES.split():
    # Each in a separate process, so that modules loaded by one do not affect the next.
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
