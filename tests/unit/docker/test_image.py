"""Contents of the image: the only wheel, which ``make wheel`` builds."""

from __future__ import annotations

import fnmatch
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
WHEEL = "dist/lineage_age-1.2.3-py3-none-any.whl"


def test_the_wheel_gets_to_where_the_image_takes_it_from() -> None:
    ignored = (ROOT / "docker/Dockerfile.dockerignore").read_text().splitlines()
    let_in = [line[1:] for line in ignored if line.startswith("!")]
    assert [fnmatch.fnmatch(WHEEL, pattern) for pattern in let_in] == [True]
    dockerfile = (ROOT / "docker/Dockerfile").read_text()
    [(source, target)] = re.findall(r"type=bind,source=(\w+),target=(\S+)", dockerfile)
    [taken] = re.findall(r"\$\(ls (\S+)\)", dockerfile)
    assert fnmatch.fnmatch(WHEEL.replace(source, target, 1), taken)
    assert not re.findall(r"^(?:COPY|ADD) ", dockerfile, re.M)


def test_of_an_older_wheel_nothing_stays(tmp_path: Path) -> None:
    """The image could not distinguish two wheels, and removed modules must not remain."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "scripts").mkdir()
    for script in ("wheel", "system-packages"):
        shutil.copy(ROOT / "scripts" / script, tmp_path / "scripts")
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    make(tmp_path, "1.0", ["old", "kept"])
    (tmp_path / "package/old.py").unlink()
    make(tmp_path, "1.1", ["kept"])
    [wheel] = (tmp_path / "dist").iterdir()
    assert wheel.name.startswith("lineage_age-1.1-")
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.startswith("package/")] == ["package/kept.py"]


def make(place: Path, version: str, modules: list[str]) -> None:
    """Build the wheel of a small package by our recipe."""
    (place / "package").mkdir(exist_ok=True)
    for module in modules:
        (place / f"package/{module}.py").touch()
    (place / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "lineage-age"\nversion = "{version}"\n'
        '[tool.setuptools]\npackages = ["package"]\n'
    )
    command = ["make", "--old-file=setup", "wheel"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
