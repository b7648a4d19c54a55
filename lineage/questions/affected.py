"""What is within reach of a dataset or of a column, counted and put in order where it is kept.

Of all of it only owners and numbers are asked for; the rest of what is told alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.questions.runs import LATEST_RUN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.questions.answers import Column, ColumnTrace, Dataset
    from lineage.questions.stated import Ask

_REACHED_FROM_DATASET = (
    "SELECT * FROM lineage.trace(%(root)s, 'downstream', %(depth)s, %(observed)s)"
)
_REACHED_FROM_COLUMN = """
    SELECT * FROM unnest(%(ids)s::bigint[], %(distances)s::int[]) AS r (id, distance)
"""

_READ_FROM_DATASET = """
    SELECT j.job, j.dataset, r.distance + 1 AS distance
    FROM lineage.readers_of(ARRAY(
        SELECT id FROM reached WHERE %(depth)s::int IS NULL OR distance < %(depth)s)) AS j
    JOIN reached r ON r.id = j.dataset
"""
_READ_FROM_COLUMN = """
    SELECT DISTINCT * FROM unnest(%(jobs)s::bigint[], %(read)s::bigint[], %(steps)s::int[])
        AS e (job, dataset, distance)
"""

# How many each owner has. Who the owners are is made out once for all that say the same of it.
_OWNED = """
    (SELECT jsonb_agg(jsonb_build_array(owned.owner, owned.things)) FROM (
        SELECT owner, sum(alike.things) AS things
        FROM (SELECT ownership, count(*) AS things FROM found WHERE distance > 0
              GROUP BY ownership) AS alike
        LEFT JOIN LATERAL unnest(lineage.owners_of(jsonb_build_object(
            'ownership', jsonb_build_array('', alike.ownership)))) AS owner ON true
        GROUP BY owner) AS owned)
"""

# First how many there are, how many of these are in use, and how many each owner has; the dataset
# of the root, which alone is at 0, counts in none of these. Then what is told.
_DATASETS = """
WITH reached AS MATERIALIZED ({reached}
), used AS MATERIALIZED (
    SELECT * FROM lineage.reads_since(
        ARRAY(SELECT id FROM reached), coalesce(%(since)s::timestamptz, '-infinity'))
), found AS MATERIALIZED (
    SELECT d.id, r.distance, d.namespace, d.name, coalesce(u.reads, 0) AS reads,
           (SELECT lineage.merged_facets(n.facets) #> '{ownership,1}'
            FROM lineage.dataset n WHERE n.canonical = d.id) AS ownership
    FROM reached r JOIN lineage.dataset d ON d.id = r.id LEFT JOIN used u ON u.id = r.id
), told AS MATERIALIZED (
    SELECT f.*, row_number() OVER (ORDER BY f.distance, f.reads DESC, f.namespace, f.name) AS place
    FROM found f ORDER BY place LIMIT %(limit)s + 1
)
SELECT 0 AS place, jsonb_build_array(
    (SELECT count(*) FROM found WHERE distance > 0),
    (SELECT count(*) FROM found WHERE distance > 0 AND reads > 0),
    {owned})
UNION ALL
SELECT t.place, jsonb_build_array(
    t.id, t.namespace, t.name, t.distance, lineage.owners_of(m.facets), lineage.tags_of(m.facets),
    lineage.iso(u.last_written), lineage.iso(u.last_read), u.writes, u.reads)
FROM told t
JOIN lineage.usage(ARRAY(SELECT id FROM told), coalesce(%(since)s::timestamptz, '-infinity')) AS u
    ON u.id = t.id
CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                    FROM lineage.dataset n WHERE n.canonical = t.id) AS m
ORDER BY place
"""

# First how many there are, and how many each owner has; then what is told.
_JOBS_FOUND = """
WITH reached AS MATERIALIZED ({reached}
), read AS MATERIALIZED ({read}
), found AS MATERIALIZED (
    SELECT j.id, l.distance, j.namespace, j.name, j.facets #> '{ownership,1}' AS ownership,
           (SELECT count(*) FROM lineage.execution x
            WHERE x.job = j.id AND x.last_seen >= coalesce(%(since)s::timestamptz, '-infinity')
           ) AS runs
    FROM (SELECT job, min(distance) AS distance FROM read GROUP BY job) AS l
    JOIN lineage.job j ON j.id = l.job
), told AS MATERIALIZED (
    SELECT f.*, row_number() OVER (ORDER BY f.distance, f.runs DESC, f.namespace, f.name) AS place
    FROM found f ORDER BY place LIMIT %(limit)s
), input AS MATERIALIZED (
    SELECT i.job, jsonb_agg(jsonb_build_array(d.id, d.namespace, d.name)) AS datasets
    FROM (SELECT DISTINCT r.job, r.dataset FROM read r JOIN told t ON t.id = r.job) AS i
    JOIN lineage.dataset d ON d.id = i.dataset GROUP BY i.job
)
SELECT 0 AS place, jsonb_build_array(
    (SELECT count(*) FROM found),
    {owned})
UNION ALL
SELECT t.place, jsonb_build_array(
    j.id, j.namespace, j.name, t.distance, j.facets #>> '{jobType,1,jobType}',
    lineage.owners_of(j.facets), lineage.tags_of(j.facets), i.datasets, latest.run, t.runs)
FROM told t JOIN lineage.job j ON j.id = t.id JOIN input i ON i.job = t.id
LEFT JOIN LATERAL {latest} ON true
ORDER BY place
"""
_JOBS = _JOBS_FOUND.replace("{latest}", LATEST_RUN)

# What asks for what is behind a dataset, and behind a column: datasets, and jobs.
_OF_DATASET, _OF_COLUMN = (
    tuple(
        statement.replace("{reached}", reached).replace("{read}", read).replace("{owned}", _OWNED)
        for statement in (_DATASETS, _JOBS)
    )
    for reached, read in (
        (_REACHED_FROM_DATASET, _READ_FROM_DATASET),
        (_REACHED_FROM_COLUMN, _READ_FROM_COLUMN),
    )
)


@dataclass(frozen=True, slots=True)
class Within:
    """Things within reach: ``count`` in all, ``in_use`` of them, and how many each owner has.

    With no owner it is what nobody is said to own. ``rows`` are of those to tell; of datasets the
    first is that of the root, which is not counted.
    """

    count: int
    in_use: int
    owned: Mapping[str | None, int]
    rows: Sequence[list[Any]]


@dataclass(frozen=True, slots=True)
class Reach:
    """What is within reach of ``root``; of a column it is ``traced``, of a dataset not yet."""

    root: Dataset | Column
    depth: int | None
    traced: ColumnTrace | None = None
    observed: bool = False

    def datasets(self, ask: Ask, since: str | None, limit: int | None) -> Within:
        """Return the datasets, so many of them told beside that of the root."""
        return self._within(ask, 0, since, limit)

    def jobs(self, ask: Ask, since: str | None, limit: int | None) -> Within:
        """Return the jobs that read these, so many of them told."""
        return self._within(ask, 1, since, limit)

    def _within(self, ask: Ask, place: int, since: str | None, limit: int | None) -> Within:
        statements = _OF_COLUMN if self.traced else _OF_DATASET
        given = {**self._given(), "depth": self.depth, "since": since, "limit": limit}
        [(_, (*counts, owned)), *rows] = ask(statements[place], given)
        return Within(counts[0], counts[-1], dict(owned or ()), [row for _, row in rows])

    def _given(self) -> dict[str, Any]:
        if self.traced is None:
            return {"root": self.root.id, "observed": self.observed}
        distances = self.distances()
        edges = [(edge.job, edge) for edge in self.traced.edges if edge.job]
        return {
            "ids": list(distances),
            "distances": list(distances.values()),
            "jobs": [job.id for job, _ in edges],
            "read": [edge.source.dataset.id for _, edge in edges],
            "steps": [edge.distance for _, edge in edges],
        }

    def distances(self) -> dict[int, int]:
        """Return the datasets of the columns that were traced, by their ids."""
        found: dict[int, int] = {}
        for node in self.traced.nodes if self.traced else ():
            found.setdefault(node.column.dataset.id, node.distance)  # the nearest comes first
        return found

    def columns(self) -> dict[int, tuple[str, ...]]:
        """Return the columns that were traced, by the ids of their datasets."""
        found: dict[int, list[str]] = {}
        for node in self.traced.nodes if self.traced else ():
            found.setdefault(node.column.dataset.id, []).append(node.column.name or "*")
        return {id: tuple(sorted(names)) for id, names in found.items()}
