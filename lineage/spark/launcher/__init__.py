"""Starting Spark with the listener."""
