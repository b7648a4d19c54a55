"""The plan of a frame over its sources as they were when a run wrote its rows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.records import gateway
from lineage.records.fidelity import Fidelity, Label
from lineage.records.input_changes import compare_inputs, refuse_changes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from lineage.query.session import Session


class ReplayedInputs(NamedTuple):
    """A ``RecordPlan`` of the JVM, and the labels of its sources."""

    plan: Any
    labels: list[Label]


def labels_of_caches(frame: DataFrame) -> list[Label]:
    """Return a label for each file that has changed since rows of the frame were cached."""
    files = gateway.records_of(frame.sparkSession).changedSinceCached(frame._jdf)
    return [
        Label(Fidelity.STALE, f"changed:{file} has changed since the frame was cached")
        for file in files
    ]


def replay_inputs(
    frame: DataFrame, table: str, target: Session | str | None, *, force: bool
) -> ReplayedInputs:
    """Compare the sources of a frame with those of the runs that wrote ``table``.

    Raises StaleInputs if they have changed, unless ``force`` is true; UsageError, DatabaseError.
    """
    # Imported here, because traces without a table need no database.
    from lineage.records.manifests import manifests_of_document, read_stored_inputs

    stored = read_stored_inputs(target, table)
    inputs = gateway.inputs_of(frame, json.dumps(stored.as_json))
    compared = compare_inputs(
        stored.runs,
        manifests_of_document(inputs.document()),
        inputs.leftOut(),
        list(inputs.earlierVersions()),
    )
    if compared.run_id is not None:
        # The frame has the files that it listed when it was created.
        changed = (
            f"{file} has changed since the frame was created" for file in inputs.changedFiles()
        )
        compared = replace(compared, changes=(*compared.changes, *changed))
    if not force:
        refuse_changes(table, [compared])
    return ReplayedInputs(inputs.plan(), compared.fidelity_labels)
