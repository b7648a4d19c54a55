"""What Marquez's web and Python clients read, in the forms they know (Marquez 0.51)."""

from lineage.collector.reading.marquez import columns, jobs, lineage, lists, versions

OPERATIONS = (
    *lists.OPERATIONS,
    *versions.OPERATIONS,
    *jobs.OPERATIONS,
    *lineage.OPERATIONS,
    *columns.OPERATIONS,
)
