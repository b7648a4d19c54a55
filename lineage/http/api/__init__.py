"""The read API."""

from lineage.http.api.operations import OPERATIONS

__all__ = ["OPERATIONS"]
