"""Start Spark with the listener."""
