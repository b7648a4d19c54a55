"""Reading over HTTP: our own questions, and those that Marquez's clients ask."""

from lineage.http import marquez
from lineage.http.api import operations

OPERATIONS = (*operations.OPERATIONS, *marquez.OPERATIONS)
