"""The objects that are posted to operations of the read API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from lineage.http.api.formats import FORMAT, FORMATS
from lineage.http.api.parameters import CONFIDENCE, FILTERS, OBSERVED, OF_JOBS
from lineage.query.timeline import BINS, MAX_BINS

MAX_DATASETS = 2000
MAX_OPENED_DATASETS = 200
MAX_COLUMN_EDGES = 50_000
MAX_CHANGES = 500


def _description_of(name: str) -> Meta:
    """Return the description of a filter, which is the same in all operations."""
    return Meta(description=next(each.description for each in FILTERS if each.name == name))


class SubgraphBody(Struct, forbid_unknown_fields=True):
    """Names of datasets, and of those whose columns are shown; filters of their edges."""

    datasets: Annotated[
        list[str],
        Meta(max_length=MAX_DATASETS, description="Datasets: full names, aliases or endings."),
    ]
    columns_of: Annotated[
        list[str],
        Meta(
            max_length=MAX_OPENED_DATASETS, description="Those of them whose columns are returned."
        ),
    ] = []
    observed: Annotated[bool, Meta(description=OBSERVED.description)] = False
    min_confidence: Annotated[float, Meta(ge=0, le=1, description=CONFIDENCE.description)] = 0.0
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_COLUMN_EDGES,
            description="Maximum number of edges between columns; omitted counts the others.",
        ),
    ] = 10_000
    namespace: Annotated[list[str], _description_of("namespace")] = []
    tag: Annotated[list[str], _description_of("tag")] = []
    job: Annotated[list[str], Meta(description=OF_JOBS.description)] = []
    job_type: Annotated[list[str], _description_of("job_type")] = []
    since: Annotated[str | None, _description_of("since")] = None
    include_stale: Annotated[bool, _description_of("include_stale")] = True
    time: Annotated[
        str | None,
        Meta(description="Return the edges that existed at that time (ISO 8601); by default all."),
    ] = None
    format: Annotated[Literal[FORMATS], Meta(description=FORMAT.description)] = "json"  # type: ignore[valid-type]


class TimelineBody(Struct, forbid_unknown_fields=True):
    """Names of datasets, and the range of times in which their runs are counted."""

    datasets: Annotated[
        list[str],
        Meta(max_length=MAX_DATASETS, description="Datasets: full names, aliases or endings."),
    ]
    start: Annotated[
        str | None,
        Meta(description="Start (ISO 8601); by default the first access or change of an edge."),
    ] = None
    end: Annotated[
        str | None,
        Meta(description="End (ISO 8601); by default the last access or change of an edge."),
    ] = None
    bins: Annotated[
        int, Meta(ge=1, le=MAX_BINS, description="Number of parts of equal length.")
    ] = BINS
    observed: Annotated[bool, Meta(description=OBSERVED.description)] = False
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_CHANGES,
            description="Maximum number of changes, the newest; omitted counts the others.",
        ),
    ] = MAX_CHANGES


_ROWS = Meta(ge=1, le=10_000, description="Maximum number of rows; omitted counts the others.")
_SKIPPED = Meta(ge=0, le=1 << 31, description="Number of rows to skip.")


class CypherBody(Struct, forbid_unknown_fields=True):
    """A query and the values of its parameters."""

    query: Annotated[str, Meta(description="Read-only query with RETURN, in openCypher.")]
    params: Annotated[dict[str, Any], Meta(description="Values of $name in the query.")] = field(
        default_factory=dict
    )
    limit: Annotated[int, _ROWS] = 1000
    offset: Annotated[int, _SKIPPED] = 0


class CannedQueryBody(Struct, forbid_unknown_fields=True):
    """The name of a canned query and the values of its parameters."""

    name: Annotated[str, Meta(description="Name of a canned query.")]
    params: Annotated[
        dict[str, str], Meta(description="Values; those of datasets and jobs are names of them.")
    ] = field(default_factory=dict)
    limit: Annotated[int, _ROWS] = 1000
    offset: Annotated[int, _SKIPPED] = 0
