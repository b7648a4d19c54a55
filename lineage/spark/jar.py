"""Which of the listener's jars fits a Spark."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from lineage.errors import JarError

_JAR = re.compile(r"lineage-spark_(?P<spark>[\d.]+)_(?P<scala>[\d.]+)-.*\.jar")
_CORE = re.compile(r"spark-core_(?P<scala>\d+\.\d+)-(?P<spark>\d.*)\.jar")


class Spark(NamedTuple):
    """A version of Spark, and of the Scala it was built with (``2.13``) where that is known."""

    version: str
    scala: str | None = None


def path(spark_version: str, scala_version: str | None = None) -> Path:
    """Return the jar for a Spark, such as ``3.5`` or ``4.1.0``.

    Without a Scala version: the one that this Spark's own downloads have. Raises ``JarError`` where
    no jar fits.
    """
    scala = scala_version or ("2.12" if _in_line(spark_version, "3") else "2.13")
    jars = sorted(_jars())
    for jar in jars:
        match = _JAR.fullmatch(jar.name)
        if match and _in_line(spark_version, match["spark"]) and _in_line(scala, match["scala"]):
            return jar
    raise JarError(
        f"There is no listener jar for Spark {spark_version} with Scala {scala}.",
        _hint(jars),
    )


def installed(home: Path | None = None) -> Spark:
    """Return the Spark of ``home``, SPARK_HOME, the installed pyspark or spark-submit on the path.

    Raises ``JarError`` where there is none.
    """
    for place in [home, *_homes()] if home else _homes():
        for core in (place / "jars").glob("spark-core_*.jar"):
            if match := _CORE.fullmatch(core.name):
                return Spark(match["spark"], match["scala"])
    raise JarError(
        "No Spark is installed here: there is no SPARK_HOME, no pyspark and no spark-submit.",
        "Name the version with --spark.",
    )


def _homes() -> list[Path]:
    homes = []
    if home := os.environ.get("SPARK_HOME"):
        homes.append(Path(home))
    if (spec := importlib.util.find_spec("pyspark")) and spec.origin:
        homes.append(Path(spec.origin).parent)
    if submit := shutil.which("spark-submit"):
        homes.append(Path(submit).resolve().parent.parent)
    return homes


def _jars() -> list[Path]:
    # The package is unpacked wherever it is installed: the JVM could not read it otherwise.
    return list(Path(str(resources.files("lineage.jars"))).glob("*.jar"))


def _hint(jars: list[Path]) -> str:
    if not jars:
        return "This installation has none at all; in a checkout `make setup` builds one."
    lines = [f"{m['spark']} ({m['scala']})" for j in jars if (m := _JAR.fullmatch(j.name))]
    return f"There are jars for Spark (Scala) {', '.join(lines)}."


def _in_line(version: str, line: str) -> bool:
    return version == line or version.startswith(f"{line}.")
