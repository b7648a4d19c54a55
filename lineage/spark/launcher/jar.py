"""The listener's jar, and the versions of Spark that it supports."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import zipfile
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from lineage.errors import JarError

_CORE = re.compile(r"spark-core_(?P<scala>\d+\.\d+)-(?P<spark>\d.*)\.jar")
_PROPERTIES = "io/lineage/spark/build.properties"


class Spark(NamedTuple):
    """A version of Spark, and the Scala version it was built with (``2.13``) if that is known."""

    version: str
    scala: str | None = None

    def __str__(self) -> str:
        return f"Spark {self.version}" + (f" with Scala {self.scala}" if self.scala else "")


def jar_path(spark_version: str, scala_version: str | None = None) -> Path:
    """Return the jar for a version of Spark, such as ``3.5`` or ``4.1.0``.

    Without a Scala version, any Scala version matches. Raises ``JarError`` if the jar does not
    support the version.
    """
    jar, requested = packaged_jar(), Spark(spark_version, scala_version)
    served = supported_lines(jar)
    if not any(_is_of(requested, line) for line in served):
        raise JarError(
            f"There is no listener jar for {requested}.",
            f"The installed jar supports {', '.join(map(str, served))}.",
        )
    return jar


def packaged_jar() -> Path:
    """Return the jar of this installation; raise ``JarError`` if it has none."""
    # The package is always installed unpacked, because the JVM can read only a file.
    jars = sorted(Path(str(resources.files("lineage.jars"))).glob("*.jar"))
    if not jars:
        raise JarError(
            "There is no listener jar in this installation.",
            "In a checkout, build it with `make setup`.",
        )
    return jars[-1]


def supported_lines(jar: Path) -> list[Spark]:
    """Return the lines of Spark and Scala that a jar declares as supported."""
    with zipfile.ZipFile(jar) as archive:
        lines = archive.read(_PROPERTIES).decode().splitlines()
    fits = dict(line.split("=", 1) for line in lines)["fits"]
    return [Spark(*pair.split("_")) for pair in fits.split()]


def installed_spark(home: Path | None = None) -> Spark:
    """Return the Spark of ``home``, SPARK_HOME, the installed pyspark or spark-submit on the PATH.

    Raises ``JarError`` if there is none.
    """
    for place in [home, *spark_homes()] if home else spark_homes():
        for core in (place / "jars").glob("spark-core_*.jar"):
            if match := _CORE.fullmatch(core.name):
                return Spark(match["spark"], match["scala"])
    raise JarError(
        "No Spark found: SPARK_HOME is not set, and there is no pyspark and no spark-submit.",
        "Install pyspark or set SPARK_HOME. For another Spark, run lineage jar --spark VERSION.",
    )


def spark_homes() -> list[Path]:
    """Return possible homes of Spark: SPARK_HOME, the installed pyspark and spark-submit's."""
    homes = []
    if home := os.environ.get("SPARK_HOME"):
        homes.append(Path(home))
    if (spec := importlib.util.find_spec("pyspark")) and spec.origin:
        homes.append(Path(spec.origin).parent)
    if submit := shutil.which("spark-submit"):
        homes.append(Path(submit).resolve().parent.parent)
    return homes


def _is_of(spark: Spark, line: Spark) -> bool:
    fits_scala = spark.scala is None or line.scala is None or _in_line(spark.scala, line.scala)
    return fits_scala and _in_line(spark.version, line.version)


def _in_line(version: str, line: str) -> bool:
    return version == line or version.startswith(f"{line}.")
