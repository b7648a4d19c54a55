"""Forward logged events to other backends, each with a cursor over the event log."""
