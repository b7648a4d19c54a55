"""The queries of TPC-H."""
