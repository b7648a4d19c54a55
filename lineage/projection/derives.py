"""DERIVES: which column derives from which, by which job and in which way.

A run counts for what the newest columnLineage facet of each of its outputs says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import flags, moments, numbers, texts, transposed
from lineage.projection import summary
from lineage.projection.summary import Contribution, Pair, Runs, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import psycopg

    from lineage.database.binary_arrays import Array
    from lineage.projection.column_mappings import Noted, Stated

# Runs that state the same are counted together before their mappings are spread out into pairs.
_ALIKE = """
SELECT job, mappings, count(*) AS runs, min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM unnest(%s::bigint[]) AS wanted (run)
CROSS JOIN LATERAL (
    SELECT m.job, array_agg(m.mapping ORDER BY m.mapping) AS mappings
    FROM lineage.run_mapping m WHERE m.run = wanted.run GROUP BY m.job OFFSET 0) AS m
CROSS JOIN LATERAL (
    SELECT e.first_seen, e.last_seen FROM lineage.execution e
    WHERE e.run = wanted.run AND e.job = m.job OFFSET 0) AS e
GROUP BY job, mappings
"""

_GIVEN = """
SELECT job, mappings::bigint[], runs, first_seen, last_seen
FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::timestamptz[],
            %s::timestamptz[]) AS given (job, mappings, runs, first_seen, last_seen)
"""
_GIVEN_TYPES = (numbers, texts, numbers, moments, moments)


def _spread(alike: str) -> str:
    """Return a query for the pairs of what ``alike``, a query, counts together."""
    return f"""
SELECT source, target, job, type, subtype, masking, sum(runs)::bigint AS runs,
       min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM (SELECT s.source, d.target, d.type, d.subtype, d.masking, min(job) AS job,
             min(runs) AS runs, min(first_seen) AS first_seen, max(last_seen) AS last_seen
      FROM (SELECT row_number() OVER () AS n, * FROM ({alike}) AS counted) AS alike
      CROSS JOIN unnest(mappings) AS said (mapping)
      CROSS JOIN LATERAL (
          SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = m.target) AS target
          FROM lineage.mapping m WHERE m.id = said.mapping OFFSET 0) AS m
      CROSS JOIN LATERAL (
          SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = d.source) AS source,
                 d.source_field,
                 CASE d.target_field WHEN '' THEN m.target
                 ELSE (SELECT f.id FROM lineage.field f
                       WHERE f.dataset = m.target AND f.name = d.target_field) END AS target,
                 d.type, d.subtype, d.masking
          FROM lineage.derivation d WHERE d.mapping = said.mapping OFFSET 0) AS d
      CROSS JOIN LATERAL (
          SELECT (SELECT f.id FROM lineage.field f
                  WHERE f.dataset = d.source AND f.name = d.source_field) AS source OFFSET 0) AS s
      GROUP BY alike.n, s.source, d.target, d.type, d.subtype, d.masking) AS contribution
GROUP BY source, target, job, type, subtype, masking
"""  # noqa: S608 - of the two queries above


def _told(pairs: str) -> str:
    """Return a statement that gives what ``pairs``, a query, does, its times as text."""
    return f"""
SELECT source, target, job, type, subtype, masking, runs,
       lineage.iso(first_seen), lineage.iso(last_seen)
FROM ({pairs}) AS pair
"""  # noqa: S608 - of the query above


def _counted(delta: str) -> str:
    """Return a statement that adds to pairs what ``delta``, a query, says, and draws them."""
    return f"""
WITH counted AS (
    INSERT INTO lineage.derives AS d
        (source, target, job, type, subtype, masking, runs, first_seen, last_seen, edge)
    SELECT *, lineage.new_id('DERIVES') FROM ({delta}) AS delta
    ON CONFLICT (source, target, job, type, subtype, masking) DO UPDATE SET
        runs = d.runs + excluded.runs,
        first_seen = least(d.first_seen, excluded.first_seen),
        last_seen = greatest(d.last_seen, excluded.last_seen)
    RETURNING d
), drawn AS (
    INSERT INTO provenance."DERIVES" AS e (id, start_id, end_id, properties)
    SELECT lineage.graphid((d).edge), lineage.graphid((d).source), lineage.graphid((d).target),
           lineage.derives_properties(d, j.namespace, j.name)
    FROM counted CROSS JOIN LATERAL (
        SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = (d).job OFFSET 0) AS j
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE e.properties IS DISTINCT FROM excluded.properties
)
"""  # noqa: S608 - of the queries above


_PAIRS = _told(_spread(_ALIKE))
_PAIRS_GIVEN = _told(_spread(_GIVEN))

_DELTA = """
SELECT *
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::boolean[],
            %s::bigint[], %s::timestamptz[], %s::timestamptz[])
     AS delta (source, target, job, type, subtype, masking, runs, first_seen, last_seen)
"""
_COUNT = f"""{_counted(_DELTA)}
SELECT (d).source, (d).target, (d).job, (d).type, (d).subtype, (d).masking, (d).edge FROM counted
"""  # noqa: S608 - as above
_COUNT_TYPES = (numbers, numbers, numbers, texts, texts, flags, numbers, moments, moments)

# Sorted as the pairs of _COUNT are: who waits for another must not do so in a ring.
_SORTED = _spread(_GIVEN) + "ORDER BY source, target, job, type, subtype, masking"
_COUNT_GIVEN = f"{_counted(_SORTED)} SELECT count(*) FROM counted"  # noqa: S608 - as above

_SHRINK = """
UPDATE lineage.derives d SET (first_seen, last_seen) = (
    SELECT (SELECT e.first_seen FROM lineage.execution e
            WHERE e.job = d.job AND lineage.counts_mapped(e.run, e.job, m.mappings)
            ORDER BY e.first_seen LIMIT 1),
           (SELECT e.last_seen FROM lineage.execution e
            WHERE e.job = d.job AND lineage.counts_mapped(e.run, e.job, m.mappings)
            ORDER BY e.last_seen DESC LIMIT 1)
    FROM (SELECT lineage.mappings_of(d) AS mappings OFFSET 0) AS m)
WHERE d.edge = ANY (%s::bigint[])
"""

_FORGET = "SELECT edge FROM lineage.delete_unused_derives(%s::bigint[])"

_DRAW = """
INSERT INTO provenance."DERIVES" AS e (id, start_id, end_id, properties)
SELECT lineage.graphid(d.edge), lineage.graphid(d.source), lineage.graphid(d.target),
       lineage.derives_properties(d, j.namespace, j.name)
FROM lineage.derives d
CROSS JOIN LATERAL (
    SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = d.job OFFSET 0) AS j
WHERE d.edge = ANY (%s::bigint[])
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties
"""

DERIVES = Summary(_PAIRS, _COUNT, _COUNT_TYPES, _SHRINK, _FORGET, _DRAW)


class Change:
    """What a batch changes: made before its mappings are noted, and counted afterwards.

    As with FEEDS a run of which nothing was noted, and one that states the same again, need not be
    read back.
    """

    def __init__(self, conn: psycopg.Connection[Any], runs: Runs, noted: Noted) -> None:
        """``noted`` is of the runs that are known, or moved."""
        self._conn = conn
        self._runs = runs
        self._noted = noted
        self._steady = runs.staying & noted.steady.keys()
        self._before = DERIVES.before(
            conn,
            runs.staying & noted.runs - noted.restating - self._steady,
            (runs.leaving | runs.staying & noted.restating) & noted.runs,
        )

    def count(
        self, stated: Sequence[Stated], times: Mapping[tuple[int, int], tuple[str, str]]
    ) -> None:
        """Count and draw: ``stated`` is what the batch states, ``times`` as ``Alike`` has it."""
        first = self._runs.feeding - self._noted.runs - self._runs.moved
        alike = Alike()
        alike.add((said for said in stated if said.run in first), times, runs=1)
        alike.add((s for run in self._steady for s in self._noted.steady[run]), times, runs=0)
        mapped = self._noted.runs | {said.run for said in stated}
        others = self._runs.after & mapped - self._steady - first
        if self._before.is_empty() and not others:
            alike.count(self._conn)
            return
        after = summary.together(DERIVES.contributions(self._conn, others), alike.pairs(self._conn))
        DERIVES.apply(self._conn, self._before, after)


class Alike:
    """What runs of a job state together: its mappings, how many runs more count for them, when."""

    def __init__(self) -> None:
        self._said: dict[tuple[int, tuple[int, ...]], Contribution] = {}

    def add(
        self,
        stated: Iterable[Stated],
        times: Mapping[tuple[int, int], tuple[str, str]],
        *,
        runs: int,
    ) -> None:
        """Add all that some runs state, each of which counts as ``runs``.

        ``times`` has the first and the last of runs and jobs; without it nothing is to be added.
        """
        mappings: dict[tuple[int, int], tuple[int, ...]] = {}
        for run, job, mapping in stated:
            work = run, job
            mappings[work] = (*mappings[work], mapping) if work in mappings else (mapping,)
        for work, said in mappings.items():
            if period := times.get(work):
                key = work[1], tuple(sorted(said)) if len(said) > 1 else said
                summary.add(self._said, key, runs, *period)

    def pairs(self, conn: psycopg.Connection[Any]) -> Mapping[Pair, Contribution]:
        """Return what they say of each pair."""
        if not self._said:
            return {}
        return summary.contributions(conn, _PAIRS_GIVEN, self._arrays())

    def count(self, conn: psycopg.Connection[Any]) -> None:
        """Count and draw them, where nothing else is to be counted."""
        if self._said:
            conn.execute(_COUNT_GIVEN, self._arrays())

    def _arrays(self) -> list[Array]:
        rows = [
            (job, f"{{{','.join(map(str, mappings))}}}", said.runs, said.first, said.last)
            for (job, mappings), said in self._said.items()
        ]
        return transposed(_GIVEN_TYPES, rows)
