"""The name of the running program: of its script, its notebook or its module."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

from lineage.hub.configuration import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

# Programs and modules that start the kernel of a notebook.
_KERNELS = frozenset(
    {"ipykernel", "ipykernel_launcher", "colab_kernel_launcher", "db_ipykernel_launcher"}
)


def program_name() -> str:
    """Return the name of the running script or notebook, without directory and ending.

    It is ``python`` for code that is not in a file.
    """
    path = Path(sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c", "-") else "python")
    name = path.parent.name if path.name == "__main__.py" else path.stem
    return _notebook_name(name) if name in _KERNELS else name


def module_name(function: Callable[..., Any]) -> str:
    """Return the module of a function: of the main one the name by which others import it."""
    if function.__module__ not in ("__main__", "__mp_main__"):  # the latter in children
        return function.__module__
    spec = getattr(function, "__globals__", {}).get("__spec__")
    name = str(spec.name) if spec is not None else "__main__"
    return program_name() if name == "__main__" or name.partition(".")[0] in _KERNELS else name


def _notebook_name(kernel: str) -> str:
    """Return the name of the notebook of this kernel; that of the kernel if it is not known."""
    # Of Jupyter, which has other names for consoles; and of Visual Studio Code.
    main = sys.modules.get("__main__")
    for path in (os.environ.get("JPY_SESSION_NAME"), getattr(main, "__vsc_ipynb_file__", None)):
        if isinstance(path, str) and path.endswith(".ipynb"):
            return PureWindowsPath(path).stem  # which accepts both separators
    _report_missing_name(kernel)
    return kernel


@cache
def _report_missing_name(kernel: str) -> None:
    LOG.warning(
        'The name of the notebook is not known. Jobs without name= are those of "%s", which other'
        " notebooks share.",
        kernel,
    )
