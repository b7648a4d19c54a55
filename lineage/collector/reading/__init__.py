"""Reading over HTTP: our own questions, and those that Marquez's clients ask."""

from lineage.collector.reading import marquez, questions

OPERATIONS = (*questions.OPERATIONS, *marquez.OPERATIONS)
