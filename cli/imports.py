"""``lineage import``: files of other programs to events, each form a subcommand."""

from __future__ import annotations

import click

from .lazy_group import LazyGroup

PLACES = {
    "dbt": "import_dbt:import_dbt",
    "queries": "import_queries:import_queries",
    "xevents": "import_xevents:import_xevents",
    "sql": "import_sql:import_sql",
    "catalog": "import_catalog:import_catalog",
    "kafka": "import_kafka:import_kafka",
}


@click.group("import", cls=LazyGroup, package=__package__, places=PLACES)
def import_group() -> None:
    """Import the lineage that databases and tools have recorded.

    Query logs and the results of dbt show what ran. Scripts, catalogs and the manifest of dbt
    declare lineage. Rows and statements that cannot be read are counted, all others are imported,
    and the exit code is 1. Importing a file again adds nothing.

    \b
    Examples:
      lineage import dbt target
      lineage import queries /var/log/postgresql --namespace postgres://db:5432
      lineage import xevents events.csv --server sql1:1433
      lineage import sql etl/ --dialect tsql --namespace sqlserver://sql1:1433
      lineage import catalog columns.csv --namespace sqlserver://sql1:1433
      lineage import kafka --connect http://connect:8083 --servers broker:9092
    """
