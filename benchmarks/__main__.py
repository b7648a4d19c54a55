"""All measurements, one after the other: ``make bench``."""

from __future__ import annotations

import subprocess
import sys

NAMES = """
listener attached conversion emitter ingest collector forwarding meanwhile large_reader command
"""
for name in NAMES.split():
    # each in a process of its own: what one loads must not be measured by the next
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
