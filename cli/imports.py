"""``lineage import``: convert the files of other programs into events."""

from __future__ import annotations

import click

from .lazy_group import LazyGroup

PLACES = {"dbt": "import_dbt:import_dbt"}


@click.group("import", cls=LazyGroup, package=__package__, places=PLACES)
def import_group() -> None:
    """Convert the files of other programs into OpenLineage events, and write these.

    The same files give the same events, and events that are already stored are skipped.
    """
