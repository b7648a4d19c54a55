"""``lineage import``: read what other programs record of their work."""

from __future__ import annotations

import click

from .lazy_group import LazyGroup

PLACES = {"dbt": "import_dbt:import_dbt"}


@click.group("import", cls=LazyGroup, package=__package__, places=PLACES)
def import_logs() -> None:
    """Read what other programs record of their work, as OpenLineage events.

    An import only writes events, and each event follows from the record it is read from. The same
    files therefore give the same events, and events that are already stored are skipped.
    """
