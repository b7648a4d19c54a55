"""Run an unchanged program as one observed run.

    python -m lineage.observe program.py ARGUMENTS
    python -m lineage.observe -m module ARGUMENTS

The run is of the job LINEAGE_JOB, by default the name of the program, and takes what no other run
claims. LINEAGE_OBSERVE has the observers; by default files, http and sqlite. As everywhere, nothing
is recorded unless LINEAGE_ENABLED is set.
"""

from __future__ import annotations

import os
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path


def run_program(arguments: list[str]) -> None:
    """Run the script or module in ``arguments`` as ``python`` does."""
    is_module = arguments[:1] == ["-m"]
    arguments = arguments[is_module:]
    if not arguments or arguments[0].startswith("-"):
        raise SystemExit(f"usage: {(__doc__ or '').splitlines()[2].strip()}")
    os.environ.setdefault("LINEAGE_OBSERVE", "files,http,sqlite")
    program = arguments[0]
    sys.argv = arguments
    sys.path[0] = os.getcwd() if is_module else str(Path(program).resolve().parent)
    name = os.environ.get("LINEAGE_JOB") or (program if is_module else Path(program).stem)

    from lineage.hub.runs import run

    with run(name, process=True):
        if is_module:
            sys.argv[0] = _source_of(program)
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")


def _source_of(module: str) -> str:
    """Return the file that ``python -m`` runs, and has as the first argument."""
    spec = find_spec(module)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = find_spec(f"{module}.__main__")
    return spec.origin or module if spec is not None else module


if __name__ == "__main__":
    run_program(sys.argv[1:])
