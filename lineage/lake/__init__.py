"""Spark jobs over the event lake: add files of events to it, and fold it into the graph."""
