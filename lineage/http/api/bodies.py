"""The objects that are posted to operations of the read API."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

MOST_DATASETS = 2000
MOST_OPENED = 200
MOST_COLUMN_EDGES = 50_000


class SubgraphBody(Struct, forbid_unknown_fields=True):
    """Names of datasets, and of those whose columns are shown."""

    datasets: Annotated[
        list[str],
        Meta(max_length=MOST_DATASETS, description="Datasets: full names, aliases or endings."),
    ]
    columns_of: Annotated[
        list[str],
        Meta(max_length=MOST_OPENED, description="Those of them whose columns are returned."),
    ] = []
    observed: Annotated[
        bool, Meta(description="Return only what runs showed, not what designs alone state.")
    ] = False
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_COLUMN_EDGES,
            description="Maximum number of edges between columns; omitted counts the others.",
        ),
    ] = 10_000
