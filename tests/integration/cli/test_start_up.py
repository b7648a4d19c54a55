"""Modules loaded by a command: only its query, because loading all takes longer than most."""

from __future__ import annotations

import subprocess
import sys

from support.events.builders import run_event
from support.services.command_line import graph_of

_graph = graph_of([run_event("r1", "COMPLETE", 60, "load", ("orders",), ("revenue",))])

PROGRAM = """
import sys
from lineage_cli import main
main(["query", "revenue"], standalone_mode=False)
kinds = ("root_cause", "dataset_diff", "cypher", "health", "impact", "search")
print([kind for kind in kinds if f"lineage.query.{kind}" in sys.modules])
"""


def test_query_loads_no_other_query_module():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert "s3://lake/orders" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
