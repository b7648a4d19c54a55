"""The read API of Marquez 0.51, for its web client and its Python client."""

from dataclasses import replace

from lineage.http.marquez import catalog, column_lineage, jobs, lineage, stats, versions

# As in Marquez, unknown parameters are ignored, because newer clients send further ones.
OPERATIONS = tuple(
    replace(each, ignore_unknown=True)
    for each in (
        *catalog.OPERATIONS,
        *versions.OPERATIONS,
        *jobs.OPERATIONS,
        *lineage.OPERATIONS,
        *column_lineage.OPERATIONS,
        *stats.OPERATIONS,
    )
)
