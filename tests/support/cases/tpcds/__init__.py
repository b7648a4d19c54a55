"""The queries of TPC-DS."""
