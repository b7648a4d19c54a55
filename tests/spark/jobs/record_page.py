"""Runs the Python of docs/how-to/record-items.md as written: ``record_page.py DIRECTORY PAGE``."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

os.chdir(sys.argv[1])
names: dict[str, Any] = {"__name__": "__main__"}
for code in re.findall(r"^```python\n(.*?)^```$", Path(sys.argv[2]).read_text(), re.S | re.M):
    exec(code, names)
names["spark"].stop()
