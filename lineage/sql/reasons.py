"""Reasons that several readers report. Reports count and group reasons by their text."""

COMPOSED = "a statement that is composed at run time is not known"
UNKNOWN_STAR = "the columns of a star are unknown without the schemas of its tables"
