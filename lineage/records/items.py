"""Items, and their hops through the nodes of a pipeline."""

from __future__ import annotations

from msgspec import Struct

from lineage.records.outcomes import Cardinality, Outcome, SampleOutcome, sample_outcome_of


class Hop(Struct, frozen=True, kw_only=True):
    """An item at one node of a pipeline. Fields are None if they are unknown.

    ``input_contributor_count``: exact number of rows of the item at this node; for a group, of its
    rows. ``output_emission_count``: number of outputs for the item.
    ``ancestry_input_indices``: positions of the first contributing rows in the input of the node,
    from 0. ``truncated``: whether there are more contributors than indices or ids.
    ``input_snapshot``, ``output_snapshot``: JSON texts of at most 4 KB. ``retry_count``: number of
    calls after the first one. ``error``: the type of the last error; if nothing is redacted, with
    its message.
    """

    node_id: str
    outcome: Outcome
    pipeline_id: str
    cardinality: Cardinality = Cardinality.UNKNOWN
    input_contributor_count: int | None = None
    output_emission_count: int | None = None
    ancestry_input_indices: tuple[int, ...] | None = None
    truncated: bool = False
    input_snapshot: str | None = None
    output_snapshot: str | None = None
    pipeline_name: str | None = None
    retry_count: int | None = None
    error: str | None = None


class Item(Struct, frozen=True, kw_only=True):
    """A row, or a group of rows, and its way through the nodes of one run.

    ``correlation_id``: UUID of the item in this run. ``traversal_path``: the nodes that it passed,
    as ``PIPELINE_ID::NODE_ID``. ``contributors``: ids of at most 16 rows of a group, those with the
    smallest hashes. ``data``: the first snapshot of its input, None if values are redacted.
    """

    correlation_id: str
    run_id: str
    pipeline_id: str
    hops: tuple[Hop, ...]
    pipeline_name: str | None = None
    contributors: tuple[str, ...] = ()
    data: str | None = None

    @property
    def traversal_path(self) -> tuple[str, ...]:
        """The qualified ids of the nodes in order, ancestry first."""
        return tuple(f"{hop.pipeline_id.replace('-', '')}::{hop.node_id}" for hop in self.hops)

    @property
    def outcome(self) -> Outcome:
        """The flags of all hops together."""
        combined = Outcome(0)
        for hop in self.hops:
            combined |= hop.outcome
        return combined

    @property
    def sample_outcome(self) -> SampleOutcome:
        """The gravest outcome: dead-lettered, then error, then filtered out, then success."""
        return sample_outcome_of(self.outcome)
