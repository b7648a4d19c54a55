"""Execute a program in this process as ``python`` does: its ``__main__`` is that of the process."""

from __future__ import annotations

import builtins
import io
import os
import pkgutil
import runpy
import sys
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType


def execute_module(name: str) -> None:
    """Execute a module as ``python -m`` does."""
    _replace_main()
    _run_module_as_main(name)


def execute_script(name: str) -> None:
    """Execute a script, or ``__main__.py`` of a directory or of a zip file."""
    path = _absolute_path(name)
    main = _replace_main()
    is_safe = getattr(sys.flags, "safe_path", False)  # then the first entry is no directory of ours
    if pkgutil.get_importer(path) is not None:
        sys.path[: not is_safe] = [path]
        _run_module_as_main("__main__", alter_argv=False)
        return
    if not is_safe:
        sys.path[0] = str(Path(path).resolve().parent)
    load = SourcelessFileLoader if path.endswith(".pyc") else SourceFileLoader
    loader = load("__main__", path)
    main.__dict__.update(__file__=path, __cached__=None, __loader__=loader)
    exec(_read_code(path, loader), main.__dict__)


def _replace_main() -> ModuleType:
    """Make an empty module the main one. It stays: threads and exit functions pickle by it."""
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    return main


def _run_module_as_main(name: str, **options: Any) -> None:
    # As the interpreter does it. run_module would restore the arguments and the main module.
    runpy._run_module_as_main(name, **options)  # type: ignore[attr-defined]


def _absolute_path(path: str) -> str:
    """Return the path that ``__file__`` has: ``..`` is not resolved."""
    return os.path.join(os.getcwd(), path)


def _read_code(path: str, loader: Any) -> Any:
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        name = sys.orig_argv[0]
        sys.stderr.write(
            f"{name}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\n"
        )
        raise SystemExit(2) from error
    if isinstance(loader, SourcelessFileLoader):
        return loader.get_code("__main__")
    return compile(source, path, "exec", dont_inherit=True)


def hide_own_frames(error: BaseException) -> None:
    """Make the traceback of an error that ends the program begin with the program."""
    traceback = _frames_of_program(error.__traceback__)
    hook = sys.excepthook

    def report_error(
        kind: type[BaseException], value: BaseException, outer: TracebackType | None
    ) -> None:
        sys.excepthook = hook
        if value is error:
            value, outer = value.with_traceback(traceback), traceback
        hook(kind, value, outer)

    sys.excepthook = report_error


def _frames_of_program(traceback: TracebackType | None) -> TracebackType | None:
    package = os.path.dirname(__file__)
    while traceback and os.path.dirname(traceback.tb_frame.f_code.co_filename) == package:
        traceback = traceback.tb_next
    return traceback
