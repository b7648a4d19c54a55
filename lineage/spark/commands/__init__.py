"""The datasets written by commands."""
