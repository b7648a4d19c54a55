"""The files of SQL statements in the packages, with the modules that declare them."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import lineage
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(lineage.__file__).parent
PATHS = sorted(ROOT.rglob("*.sql"))
NAMES = [str(path.relative_to(ROOT)) for path in PATHS]


def module_of(path: Path) -> ModuleType:
    """Return the module beside a file."""
    return importlib.import_module(
        ".".join(("lineage", *path.relative_to(ROOT).with_suffix("").parts))
    )


def file_of(module: ModuleType) -> StatementFile:
    """Return the statement file that a module declares."""
    [file] = (each for each in vars(module).values() if isinstance(each, StatementFile))
    return file
