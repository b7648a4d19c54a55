"""From the event log to fact tables and graph."""
