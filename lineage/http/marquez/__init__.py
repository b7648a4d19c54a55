"""What Marquez's web and Python clients read, in the forms they know (Marquez 0.51)."""

from dataclasses import replace

from lineage.http.marquez import catalog, column_lineage, jobs, lineage, stats, versions

# The contract is Marquez's, which ignores what it does not know; newer clients send more.
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
