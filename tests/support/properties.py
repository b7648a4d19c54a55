"""Settings of properties, whose examples share the fixtures of one test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Each example empties the database of the test, or writes what it needs anew.
ONE_DATABASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
# Each example also takes seconds, because Spark runs or all events of the demo are written.
SLOW_EXAMPLES = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
