"""Programs that tests start or talk to."""
