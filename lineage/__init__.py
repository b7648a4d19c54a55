"""Provenance of Spark and OpenLineage as a graph in PostgreSQL with Apache AGE.

Query the graph in ``LINEAGE_DSN`` or in the private server of ``lineage up``:

    import lineage

    graph = lineage.connect()
    graph.upstream("gold/revenue").datasets
    graph.search("revenue")
    help(graph)                              # all queries

Record the lineage of a Spark session:

    from pyspark.sql import SparkSession

    spark = lineage.spark.configure(SparkSession.builder).getOrCreate()
    # queries of this process include its writes; other processes see them after: lineage ingest

Record the lineage of any other program, if LINEAGE_ENABLED is set:

    with lineage.run("daily_report", namespace="shop") as run:
        run.reads("s3://lake/raw/orders")
        run.writes("s3://lake/gold/daily", rows=17)

Formats of results: ``lineage.export``. Errors: ``lineage.errors``. Shell: ``lineage --help``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage import errors as errors
    from lineage import export as export
    from lineage import hub as hub
    from lineage import observe as observe
    from lineage import spark as spark
    from lineage.hub.active_run import current_run as current_run
    from lineage.hub.emitter import get_emitter as get_emitter
    from lineage.hub.runs import fetch as fetch
    from lineage.hub.runs import job as job
    from lineage.hub.runs import run as run
    from lineage.query import Graph

    __version__: str

# Imported on access, so that `import lineage` is fast and needs neither Spark nor psycopg.
_SUBMODULES = ("errors", "export", "hub", "observe", "spark")
_FUNCTIONS = {
    "current_run": "lineage.hub.active_run",
    "fetch": "lineage.hub.runs",
    "get_emitter": "lineage.hub.emitter",
    "job": "lineage.hub.runs",
    "run": "lineage.hub.runs",
}

__all__ = ["__version__", "application_name", "connect", *_SUBMODULES, *_FUNCTIONS]


def connect(dsn: str | None = None) -> Graph:
    """Return the graph in ``dsn``, LINEAGE_DSN or the private server.

    Before each query it ingests what Spark sessions of this process have recorded.
    Raises DatabaseUnavailable, UsageError.
    """
    # Imported here, because only queries need psycopg.
    from lineage.session_graph import SessionGraph

    return SessionGraph(dsn)


def application_name(job: str, run_id: str | None = None, *, longest: int = 128) -> str:
    """Return the application name of a database connection, for query logs to name its job.

        pyodbc.connect(..., APP=lineage.application_name("load_orders"))
        psycopg.connect(..., application_name=lineage.application_name("load_orders", longest=63))

    ``run_id``: the OpenLineage run that the statements belong to, a UUID. It is left out if the
    name would be longer than ``longest`` bytes, which the server would cut. Raises UsageError.
    """
    from lineage.readers.application_names import build_name

    return build_name(job, run_id, longest)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"lineage.{name}")
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("lineage-age")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
