"""Canned queries, one ``.cypher`` file each; the stem of the file is the name of the query."""
