"""Provenance for Spark and OpenLineage, kept as a graph in PostgreSQL with Apache AGE.

Ask the graph, in ``LINEAGE_DSN`` or the private server of ``lineage up``:

    import lineage

    graph = lineage.connect()
    graph.upstream("gold/revenue").datasets
    graph.search("revenue")
    help(graph)                              # all queries

Have a Spark session record what it does, and take that in:

    from pyspark.sql import SparkSession

    spark = lineage.spark.configure(SparkSession.builder).getOrCreate()
    # after a write, a question of this process sees it; of others after: lineage ingest

Other formats of answers: ``lineage.export``. Errors: ``lineage.errors``. Shell: ``lineage --help``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage import errors as errors
    from lineage import export as export
    from lineage import spark as spark
    from lineage.query import Graph

    __version__: str

# Loaded when they are named: `import lineage` alone is quick, and needs neither Spark nor psycopg.
_SUBMODULES = ("errors", "export", "spark")

__all__ = ["__version__", "connect", *_SUBMODULES]


def connect(dsn: str | None = None) -> Graph:
    """Return the graph in ``dsn``, LINEAGE_DSN or the private server.

    Before each query it ingests what Spark sessions of this process have recorded.
    Raises DatabaseUnavailable, UsageError.
    """
    # Only who asks needs psycopg.
    from lineage.session_graph import SessionGraph

    return SessionGraph(dsn)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"lineage.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("lineage-age")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
