"""Store plan documents that a collector receives, and convert them to events."""
