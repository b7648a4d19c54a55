"""Find the jars of Spark that the listener is compiled against, or fetch them from PyPI.

The installed pyspark takes precedence over ``SPARK_HOME``. Without either, pip downloads the
release in ``spark.txt`` and checks its hash. The needed jars are stored in the user's cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

REQUIREMENT = Path(__file__).with_name("spark.txt")
# The jars of the classes in the listener's sources, and of the classes in their signatures.
NEEDED = (
    "hadoop-client-api-",
    "jackson-annotations-",
    "jackson-core-",
    "jackson-databind-",
    "scala-library-",
    "scala-reflect-",
    "slf4j-api-",
    "spark-catalyst_",
    "spark-common-utils",  # in some Sparks, also spark-common-utils-java
    "spark-core_",
    "spark-sql-api_",
    "spark-sql_",
    "spark-unsafe_",
)


def spark_jars() -> Path:
    """Return the directory of the jars to compile against."""
    spec = importlib.util.find_spec("pyspark")
    homes = [os.environ.get("SPARK_HOME")]
    if spec is not None and spec.origin is not None:
        homes.insert(0, str(Path(spec.origin).parent))
    # the pyspark of a client of Spark Connect has no jars
    jars = (Path(home) / "jars" for home in homes if home)
    return next((directory for directory in jars if directory.is_dir()), None) or fetched_jars()


def class_path(jars: Path) -> str:
    """Return the class path of the needed jars of a directory.

    Other jars are omitted, so that a build with an installed Spark also fails if ``NEEDED`` lacks a
    jar.
    """
    needed = (str(jar) for jar in jars.iterdir() if jar.name.startswith(NEEDED))
    return os.pathsep.join(sorted(needed))


def fetched_jars() -> Path:
    """Return the cached jars of the Spark in ``spark.txt``; download it if they are missing."""
    key = hashlib.sha256(REQUIREMENT.read_bytes() + repr(NEEDED).encode()).hexdigest()[:16]
    jars = cache() / f"spark-jars-{key}"
    if not jars.is_dir():
        jars.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="spark-", dir=jars.parent) as work:
            unpack_jars(download(Path(work)), Path(work) / "jars")
            try:
                # atomic, so that no other process sees an incomplete directory
                (Path(work) / "jars").rename(jars)
            except OSError:
                if not jars.is_dir():  # no other process created it meanwhile
                    raise
    return jars


def cache() -> Path:
    """Return the cache of the user, which also contains the programs of the private server."""
    if directory := os.environ.get("LINEAGE_CACHE"):
        return Path(directory).expanduser().absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lineage"


def download(work: Path) -> Path:
    """Download the release into ``work`` with pip, which checks its hash. Return the archive."""
    print(
        "Fetching Spark from PyPI (320 MB), because no Spark is installed. The jars to compile"
        f" against (60 MB) are stored in {work.parent}.",
        file=sys.stderr,
        flush=True,
    )
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-cache-dir"]
    # Spark has no wheel, so pip builds its metadata from the sources with the installed setuptools
    options = ["--no-deps", "--no-binary=:all:", "--no-build-isolation", "--require-hashes"]
    command = [*pip, "download", *options, "--dest", str(work), "--requirement", str(REQUIREMENT)]
    if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
        sys.exit(
            "pip could not download Spark, which the listener is compiled against. Install pyspark,"
            " or set SPARK_HOME to the directory of a Spark."
        )
    (archive,) = work.glob("pyspark-*.tar.gz")
    return archive


def unpack_jars(archive: Path, directory: Path) -> None:
    """Write the needed jars of Spark's source archive into ``directory``."""
    directory.mkdir()
    with tarfile.open(archive) as members:
        for member in members:
            name = Path(member.name).name
            is_needed = name.startswith(NEEDED) and "/jars/" in member.name
            if is_needed and (source := members.extractfile(member)) is not None:
                (directory / name).write_bytes(source.read())
    found = [jar.name for jar in directory.iterdir()]
    if missing := [each for each in NEEDED if not any(name.startswith(each) for name in found)]:
        sys.exit(f"{archive.name} has no jar whose name begins with {', '.join(missing)}.")
