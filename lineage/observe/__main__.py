"""Run an unchanged program as one observed run.

    python -m lineage.observe program.py ARGUMENTS
    python -m lineage.observe -m module ARGUMENTS

The run is of the job LINEAGE_JOB, by default the name of the program, and receives all observations
without a current run. LINEAGE_OBSERVE has the observers; by default files, http and sqlite. As
everywhere, nothing is recorded unless LINEAGE_ENABLED is set.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from pathlib import Path


def run_program(arguments: list[str]) -> None:
    """Run the script or module in ``arguments`` as ``python`` does."""
    is_module = arguments[:1] == ["-m"]
    arguments = arguments[is_module:]
    if not arguments or arguments[0].startswith("-"):
        raise SystemExit(f"usage: {(__doc__ or '').splitlines()[2].strip()}")
    errors: list[BaseException] = []
    atexit.register(_repeat_interrupt, errors)
    os.environ.setdefault("LINEAGE_OBSERVE", "files,http,sqlite")
    program = arguments[0]
    sys.argv = ["-m" if is_module else program, *arguments[1:]]  # -m until the module is located
    name = os.environ.get("LINEAGE_JOB") or (program if is_module else Path(program).stem)

    from lineage.hub.runs import run
    from lineage.observe.program import execute_module, execute_script, hide_own_frames

    active = run(name, process=True)
    # After the threads and the exit functions of the program, and before that of the hub.
    atexit.register(lambda: active.end_run(*errors))
    active.__enter__()
    try:
        (execute_module if is_module else execute_script)(program)
    except SystemExit as error:
        errors.append(SystemExit(error.code))  # without the frames, which hold the program's data
        raise
    except BaseException as error:
        errors.append(error)
        hide_own_frames(error)
        raise


def _repeat_interrupt(errors: list[BaseException]) -> None:
    """Let the process end by the signal, as Python does for an interrupt that nothing catches.

    Python forgets that when code is executed from text, as dataclasses do while a sink is loaded.
    """
    if any(type(error) is KeyboardInterrupt for error in errors):
        with suppress(KeyboardInterrupt):
            exec("raise KeyboardInterrupt")


if __name__ == "__main__":
    run_program(sys.argv[1:])
