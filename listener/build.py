"""Compile the listener against the jars of an installed Spark into ``lineage/jars``.

    listener/build.py [SPARK_JARS_DIRECTORY]

Without an argument it takes the Spark of the installed pyspark. Nothing is done where the jar was
made from the same sources; the same sources give the same jar, byte for byte.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "listener" / "src"
JARS = ROOT / "lineage" / "jars"
PROPERTIES = "io/lineage/spark/build.properties"

# One line for every Spark: a class file newer than the JVM fails the application at start, the one
# thing that a check inside the class cannot prevent.
JAVA_RELEASE = "8"


def main() -> None:
    spark_jars = Path(sys.argv[1]) if len(sys.argv) > 1 else pyspark_jars()
    properties = build_properties(spark_jars)
    name = "lineage-spark_{spark}_{scala}-{version}.jar".format(**properties)
    text = "".join(f"{key}={value}\n" for key, value in properties.items())
    if not is_current(JARS / name, text):
        with tempfile.TemporaryDirectory() as classes:
            compile_into(Path(classes), spark_jars)
            (Path(classes) / PROPERTIES).write_text(text)
            write_jar(JARS / name, Path(classes))
    for other in JARS.glob("lineage-spark_{spark}_{scala}-*.jar".format(**properties)):
        if other.name != name:
            other.unlink()


def pyspark_jars() -> Path:
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        sys.exit("pyspark is not installed. Install it, or name the directory of Spark's jars.")
    return Path(spec.origin).parent / "jars"


def build_properties(spark_jars: Path) -> dict[str, str]:
    """Return version and source hash of the listener, and the lines it is built for."""
    core = next(spark_jars.glob("spark-core_*.jar"), None)
    match = core and re.fullmatch(r"spark-core_(\d+\.\d+)-((\d+)\.\d+)\..*\.jar", core.name)
    if not match:
        sys.exit(f"{spark_jars} has no spark-core jar: it is not the jars directory of a Spark.")
    scala, minor, major = match.groups()
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)
    assert version, "pyproject.toml has a version"
    return {
        "version": version[1],
        "spark": minor if major == "3" else major,
        "scala": scala,
        "sources": sources_hash(),
    }


def sources_hash() -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for source in sorted(SOURCES.rglob("*.java")):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()


def is_current(jar: Path, properties: str) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.read(PROPERTIES).decode() == properties
    except (OSError, KeyError, zipfile.BadZipFile):
        return False


def compile_into(classes: Path, spark_jars: Path) -> None:
    javac = javac_command()
    command = [javac, "--release", JAVA_RELEASE, "-g", "-proc:none", "-encoding", "UTF-8"]
    lint = "-Xlint:all,-options,-path,-classfile,-processing"
    sources = sorted(str(source) for source in SOURCES.rglob("*.java"))
    done = subprocess.run(
        [*command, lint, "-cp", f"{spark_jars}/*", "-d", str(classes), *sources],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{javac} could not compile the listener:\n{done.stdout}")


def javac_command() -> str:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "javac").exists():
        return str(Path(home) / "bin" / "javac")
    return shutil.which("javac") or sys.exit("No javac. Install a JDK, or set JAVA_HOME to one.")


def write_jar(jar: Path, classes: Path) -> None:
    """Write a jar whose bytes depend on nothing but its content."""
    jar.parent.mkdir(parents=True, exist_ok=True)
    unfinished = jar.with_suffix(".new")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        write_entry(archive, "META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n\n")
        for file in sorted(path for path in classes.rglob("*") if path.is_file()):
            write_entry(archive, str(file.relative_to(classes)), file.read_bytes())
    unfinished.replace(jar)


def write_entry(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)


if __name__ == "__main__":
    main()
