"""All measurements, one after the other: ``make bench``."""

from __future__ import annotations

import subprocess
import sys

for name in ("listener", "attached", "conversion", "emitter", "collector", "meanwhile", "command"):
    # each in a process of its own: what one loads must not be measured by the next
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
