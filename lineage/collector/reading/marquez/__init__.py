"""What Marquez's web and Python clients read, in the forms they know (Marquez 0.51)."""

from dataclasses import replace

from lineage.collector.reading.marquez import columns, jobs, lineage, lists, stats, versions

# The contract is Marquez's, which ignores what it does not know; newer clients send more.
OPERATIONS = tuple(
    replace(each, ignore_unknown=True)
    for each in (
        *lists.OPERATIONS,
        *versions.OPERATIONS,
        *jobs.OPERATIONS,
        *lineage.OPERATIONS,
        *columns.OPERATIONS,
        *stats.OPERATIONS,
    )
)
