"""Arguments of queries that are out of range, and texts in place of lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.query import Graph

TABLE, JOB, RUN = "s3://lake/gold/revenue", "etl/publish", "publish-1"


@pytest.mark.parametrize(
    "ask",
    [
        lambda graph: graph.dataset_lineage(TABLE, "up"),
        lambda graph: graph.dataset_lineage(TABLE, "Upstream"),
        lambda graph: graph.neighbours(TABLE, "down"),
        lambda graph: graph.job_lineage(JOB, "both"),
        lambda graph: graph.column_lineage(TABLE, "amount", "both"),
        lambda graph: graph.run_lineage(RUN, "both"),
        lambda graph: graph.run_steps(RUN, "both"),
    ],
)
def test_an_unknown_direction_is_an_error(provenance: Graph, ask: Callable[[Graph], Any]) -> None:
    with pytest.raises(UsageError, match="There is no direction"):
        ask(provenance)
