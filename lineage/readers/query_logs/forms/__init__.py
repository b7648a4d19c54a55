"""The forms of query logs, each a module that turns its records into rows."""
