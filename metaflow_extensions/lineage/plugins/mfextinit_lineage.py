"""Registers the step decorator ``lineage`` with Metaflow.

Metaflow copies this file into the code packages of remote tasks. Where lineage is not installed
there, it registers nothing, and flows that do not use the decorator run as before.
"""

from importlib.util import find_spec

STEP_DECORATORS_DESC = []
if find_spec("lineage") and find_spec("lineage.metaflow"):
    STEP_DECORATORS_DESC.append(("lineage", "lineage.metaflow.decorator.LineageDecorator"))
