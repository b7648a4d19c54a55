"""Events and plan documents into log and graph."""
