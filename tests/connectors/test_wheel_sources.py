"""The package installed from a repository, on a machine with a JDK and without Spark."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from support.source.wheel import check_out, run

if TYPE_CHECKING:
    from pathlib import Path


def test_pip_installs_it_with_its_jar_from_a_repository(tmp_path: Path) -> None:
    repository = check_out(tmp_path / "repository")
    git = ["git", "-C", repository, "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "All"]):
        run(*git, *words)
    python = tmp_path / "venv/bin/python"
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    cache = tmp_path / "cache"
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_HOME"}
    install = [python, "-m", "pip", "install", "--quiet", f"git+file://{repository}"]

    subprocess.run(install, env={**environment, "LINEAGE_CACHE": str(cache)}, check=True)

    jar = run(tmp_path / "venv/bin/lineage", "jar", "--spark", "4.3").strip()
    assert "io/lineage/spark/LineageListener.class" in zipfile.ZipFile(jar).namelist()
    kept = [file.stat().st_size for file in cache.rglob("*") if file.is_file()]
    assert 0 < sum(kept) < 100_000_000, "more than the jars is left"
