"""``lineage query``: dataset, column, job and run lineage."""
