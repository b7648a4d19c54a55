"""Jobs and the lineage that they are to give."""
