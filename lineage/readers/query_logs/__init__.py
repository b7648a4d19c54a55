"""Query logs: rows of statements, folded into runs and written as events."""
