"""Compilation of ``tests/spark/java`` with the installed Spark, for cases of JVM functions."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from importlib.util import find_spec
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "spark" / "java"


def build(directory: Path) -> Path:
    """Create a jar with the classes in ``directory``, and return its path."""
    home = os.environ.get("JAVA_HOME")
    javac = f"{home}/bin/javac" if home else shutil.which("javac") or "javac"
    classes = directory / "classes"
    command = [javac, "--release", "8", "-nowarn", "-Xlint:-options", "-proc:none"]
    path = ["-cp", spark_classpath(), "-d", str(classes)]
    subprocess.run([*command, *path, *map(str, SOURCES.glob("*.java"))], check=True)
    jar = directory / "functions.jar"
    with zipfile.ZipFile(jar, "w") as file:
        for found in sorted(classes.rglob("*.class")):
            file.write(found, found.relative_to(classes))
    return jar


def spark_classpath() -> str:
    """Return the jars of the installed Spark as a class path."""
    spec = find_spec("pyspark")
    assert spec
    assert spec.origin
    return f"{Path(spec.origin).parent}/jars/*"
