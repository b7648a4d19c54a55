"""Pending work, and removal of old months."""
