"""The collector: events over HTTP, into the log before the answer, into the graph after it."""
