"""Spark in tests: releases, sessions, recorded jobs."""
