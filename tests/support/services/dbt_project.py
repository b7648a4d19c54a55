"""A project of dbt, run by the real dbt, and the files that dbt wrote for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.services.client_packages import DBT

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA = Path(__file__).resolve().parents[2] / "data" / "dbt"
PROJECT = DATA / "project"
FILES = ("manifest.json", "run_results.json", "catalog.json")
# The names in the recorded files; those of a real run differ each time.
RECORDED = {"duckdb": "duckdb:///warehouse/store.duckdb", "postgres": "postgres://db:5432"}


@dataclass(frozen=True)
class DbtRun:
    """A copy of the project, and the environment of dbt in it."""

    directory: Path
    environment: Mapping[str, str]

    @staticmethod
    def prepare(directory: Path, environment: Mapping[str, str]) -> DbtRun:
        """Copy the project to ``directory``, which must not exist."""
        shutil.copytree(PROJECT, directory)
        return DbtRun(directory, environment)

    @property
    def target(self) -> Path:
        return self.directory / "target"

    def call(self, *words: str, program: str = "dbt", fails: bool = False) -> str:
        """Run a command of dbt. ``fails``: whether a node of it has to fail."""
        place = DBT.bin()
        done = subprocess.run(
            [place / program, *words, "--profiles-dir", ".", "--project-dir", "."],
            env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}", **self.environment},
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == int(fails), done.stdout[-5000:]
        return done.stdout

    def save(self, *names: str) -> dict[str, bytes]:
        """Return the contents of files of the target directory."""
        return {name: (self.target / name).read_bytes() for name in names}

    def build(self, *words: str, program: str = "dbt") -> None:
        """Build all nodes, of which one fails, and read the catalog of the database.

        ``docs generate`` overwrites the results, which are restored.
        """
        self.call("build", *words, program=program, fails=True)
        kept = self.save("manifest.json", "run_results.json")
        self.call("docs", "generate")
        for name, content in kept.items():
            (self.target / name).write_bytes(content)


def record_target(run: DbtRun, name: str, replaced: Mapping[str, str]) -> None:
    """Store the files of a run below ``DATA / name`` without names of this machine.

    ``replaced``: texts and their replacements. Macros, which are most of the manifest, and the
    names of unused settings are left out.
    """
    place = DATA / name
    place.mkdir(exist_ok=True)
    for file in FILES:
        text = (run.target / file).read_text()
        for old, new in {str(run.directory): "/project", **replaced}.items():
            text = text.replace(old, new)
        (place / file).write_text(json.dumps(_scrub(file, json.loads(text)), indent=1) + "\n")


def _scrub(file: str, content: dict[str, Any]) -> dict[str, Any]:
    if file == "manifest.json":
        content["macros"] = {}
        content["docs"] = {}
        for node in content["nodes"].values():
            node["depends_on"]["macros"] = []
    if file == "run_results.json":
        content["args"] = {"which": content["args"]["which"]}
    content["metadata"].pop("user_id", None)
    return content
