"""What distinguishes the SQL dialects, by their names in sqlglot."""

TSQL = frozenset({"tsql"})
