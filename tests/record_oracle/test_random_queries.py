"""Random queries: equal answers, complete witnesses, pushed predicates, minimal sets."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, note, settings
from support.cases.random_queries import Relation, relations
from support.spark import record_checks as checks

import lineage.records as records

if TYPE_CHECKING:
    from support.reference.record_lineage import SmallTables

# Each query runs some twelve times.
EXAMPLES = int(os.environ.get("RECORD_EXAMPLES", "25"))


@settings(
    max_examples=EXAMPLES,
    derandomize="RECORD_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(relation=relations())
def test_random_queries(relation: Relation, spark: Any, small: SmallTables) -> None:
    note(relation.text)
    frame = spark.sql(relation.text)
    expected = Counter(small.run(relation.text))
    assert Counter(map(tuple, frame.collect())) == expected
    checks.assert_same_answer(frame)
    for row in checks.some_rows(frame, 1):
        with records.trace(frame, row) as trace:
            assert trace.fidelity in ("exact", "superset")
            named = set(checks.named_rows(trace))
            assert checks.includes(checks.ids_of(trace), checks.ids_of_whole_run(frame, row))
            assert trace.check().reproduced
        if relation.is_monotone:
            for bits in small.minimal_sets(relation.text)[tuple(row)]:
                assert small.members_of(bits) <= named
