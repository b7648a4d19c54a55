"""Generate the tables of TPC-DS as Parquet files, with DuckDB's extension; a program by itself.

    generate.py DIRECTORY SCALE

It runs in the environment of ``support.services.client_packages.TPC_DS``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb  # type: ignore[import-not-found, unused-ignore]
import duckdb_extension_tpcds  # type: ignore[import-not-found, unused-ignore]


def generate_tables(directory: Path, scale: float) -> None:
    """Write each table to a file; the same scale gives the same rows."""
    places = Path(duckdb_extension_tpcds.__file__).parent / "extensions"
    (extension,) = places.rglob("tpcds.duckdb_extension")
    database = duckdb.connect(config={"threads": 1})
    database.execute(f"LOAD '{extension}'")
    database.execute(f"CALL dsdgen(sf={scale})")
    names = database.execute("SELECT table_name FROM information_schema.tables").fetchall()
    for (name,) in names:
        database.execute(f"COPY {name} TO '{directory / name}.parquet' (FORMAT PARQUET)")


if __name__ == "__main__":
    generate_tables(Path(sys.argv[1]), float(sys.argv[2]))
