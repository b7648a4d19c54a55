"""All read operations that the process serves."""

from lineage.http import api, marquez

OPERATIONS = (*api.OPERATIONS, *marquez.OPERATIONS)
