"""The producer of the events that this package writes, and the schema that they follow."""

from __future__ import annotations

from importlib.metadata import version

PRODUCER = f"urn:lineage-age:{version('lineage-age')}"
# Of events that are read from files. A number instead of the version of the package: a new version
# must not change the events of an unchanged file, which would be appended again.
READERS_PRODUCER = "urn:lineage-age:readers:1"
# URL of the definitions of OpenLineage 2; the kind of the event follows, such as RunEvent.
EVENT_SCHEMAS = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
