"""Shared parts of the tests of the web page."""
