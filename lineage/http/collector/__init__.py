"""The collector: events over HTTP, logged before the response and projected after it."""
