"""Build the wheel with the listener's jar and the web page, the same from the same sources.

All else is in ``pyproject.toml``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
BUILD_JAR = ROOT / "listener" / "build.py"
BUILD_PAGE = ROOT / "web" / "build.py"


class BuildWithJarAndPage(build_py):
    """Build the jar and the web page first, and copy nothing that an older build left."""

    def run(self) -> None:
        if self.editable_mode:  # `make setup` builds the jar once Spark is installed
            super().run()
            return
        if BUILD_JAR.exists():
            done = subprocess.run([sys.executable, str(BUILD_JAR)], check=False)
            if done.returncode != 0:
                sys.exit(done.returncode)
        elif not list((ROOT / "lineage" / "jars").glob("*.jar")):
            sys.exit("Neither the listener's sources nor its jar are here. Build from a checkout.")
        if BUILD_PAGE.exists():  # says so if npm cannot fetch packages; the rest works without it
            subprocess.run([sys.executable, str(BUILD_PAGE)], check=True)
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        set_permissions(Path(self.build_lib))


class ReproducibleWheel(bdist_wheel):
    """Write licence files with the same permissions as all others."""

    def egg2dist(self, egginfo_path: str, distinfo_path: str) -> None:
        super().egg2dist(egginfo_path, distinfo_path)
        set_permissions(Path(distinfo_path))


def set_permissions(directory: Path) -> None:
    """Give all files in ``directory`` permissions that do not depend on those of the checkout."""
    for path in directory.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


# The times of the files in the wheel: those of a zip's oldest entry, unless the caller has others.
os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")
os.umask(0o022)
setup(cmdclass={"bdist_wheel": ReproducibleWheel, "build_py": BuildWithJarAndPage})
