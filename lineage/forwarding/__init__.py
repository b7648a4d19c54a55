"""Forwarding kept events to other backends: each a cursor over the event log."""
