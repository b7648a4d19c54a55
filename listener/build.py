"""Compile the listener against the jars of an installed Spark into ``lineage/jars``.

    listener/build.py [--compare SPARK_JARS_DIRECTORY]

``spark_jars.py`` selects the Spark. Every Spark that the jar supports gives the same class files.
The jar is not compiled again if it was made from the same sources. The same sources always give
the same jar, byte for byte. With ``--compare``, compile against another Spark and fail if its class
files differ.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from spark_jars import class_path, spark_jars

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "listener" / "src"
JARS = ROOT / "lineage" / "jars"
PROPERTIES = "io/lineage/spark/build.properties"

# The rules for secrets, which the listener and the converter share.
REDACTION = ROOT / "lineage" / "redaction.txt"

# The lines of Spark and Scala that the jar supports; `make test-matrix` tests each of them.
FITS = "3.5_2.12 3.5_2.13 4_2.13"

# The oldest Java of all supported Sparks. A class file newer than the JVM makes the application
# fail at its start, which no check inside the class can prevent.
JAVA_RELEASE = "8"

# Types in signatures of some Sparks only. A class that links to such a member fails with a
# LinkageError in the other Sparks. See io/lineage/spark/SparkReflection.java.
FOREIGN = (b")Lscala/collection/immutable/Seq;", b"org/apache/spark/sql/classic/")


def main() -> None:
    if sys.argv[1:2] == ["--compare"]:
        compare(Path(sys.argv[2]))
    else:
        build()


def build() -> Path:
    properties = {"version": version(), "fits": FITS, "sources": sources_hash()}
    jar = JARS / f"lineage-spark-{properties['version']}.jar"
    text = "".join(f"{key}={value}\n" for key, value in properties.items())
    if not is_current(jar, text):
        with tempfile.TemporaryDirectory() as classes:
            compile_into(Path(classes), spark_jars())
            check_links(Path(classes))
            (Path(classes) / PROPERTIES).write_text(text)
            shutil.copy(REDACTION, (Path(classes) / PROPERTIES).with_name(REDACTION.name))
            write_jar(jar, Path(classes))
    for other in JARS.glob("*.jar"):
        if other != jar:
            other.unlink()
    return jar


def compare(spark_jars: Path) -> None:
    """Exit with an error if this Spark gives other class files than those in the jar."""
    with tempfile.TemporaryDirectory() as classes, zipfile.ZipFile(build()) as jar:
        compile_into(Path(classes), spark_jars)
        compiled = {file.relative_to(classes).as_posix() for file in Path(classes).rglob("*.class")}
        packed = {name for name in jar.namelist() if name.endswith(".class")}
        same = {
            name
            for name in compiled & packed
            if (Path(classes) / name).read_bytes() == jar.read(name)
        }
        if other := (compiled | packed) - same:
            sys.exit(f"{spark_jars} gives other class files: {', '.join(sorted(other))}.")


def version() -> str:
    match = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)
    assert match, "pyproject.toml has a version"
    return match[1]


def sources_hash() -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes() + REDACTION.read_bytes())
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
        [*command, lint, "-cp", class_path(spark_jars), "-d", str(classes), *sources],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(
            f"{javac} could not compile the listener with the jars in {spark_jars}:\n{done.stdout}"
        )


def check_links(classes: Path) -> None:
    """Exit with an error if a class file would not link in every supported Spark."""
    for file in sorted(classes.rglob("*.class")):
        for name in FOREIGN:
            if name in file.read_bytes():
                sys.exit(
                    f"{file.stem} links to {name.decode()}, which not every Spark has."
                    " Call the member through SparkReflection."
                )


def javac_command() -> str:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "javac").exists():
        return str(Path(home) / "bin" / "javac")
    return shutil.which("javac") or sys.exit("No javac. Install a JDK, or set JAVA_HOME to one.")


def write_jar(jar: Path, classes: Path) -> None:
    """Write a jar whose bytes depend only on its content."""
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
