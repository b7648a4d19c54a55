"""The sinks of this package, found by the entry points ``lineage.sinks``."""
