"""Datasets and jobs by name, with what a list shows of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from lineage.naming import DatasetName
from lineage.questions.names import Names

if TYPE_CHECKING:
    from collections.abc import Sequence

# What is shown of each is read for those alone that the limit leaves.
_DATASETS = """
WITH listed AS MATERIALIZED (
    SELECT d.id, d.namespace, d.name FROM lineage.dataset d
    WHERE d.id = d.canonical
      AND strpos(lower(lineage.full_name(d.namespace, d.name)), lower(%(text)s)) > 0
      AND (%(namespaces)s::text[] = '{}' OR d.namespace = ANY (%(namespaces)s))
      AND (%(tags)s::text[] = '{}' OR %(tags)s && (
          SELECT lineage.tags_of(lineage.merged_facets(n.facets))
          FROM lineage.dataset n WHERE n.canonical = d.id))
    ORDER BY d.namespace, d.name LIMIT %(limit)s)
SELECT l.namespace, l.name, s.tags, s.last_seen
FROM listed l CROSS JOIN LATERAL (
    SELECT lineage.tags_of(lineage.merged_facets(n.facets)) AS tags,
           lineage.iso(max(n.last_seen)) AS last_seen
    FROM lineage.dataset n WHERE n.canonical = l.id) AS s
ORDER BY l.namespace, l.name
"""

_JOBS = """
SELECT j.namespace, j.name, lineage.tags_of(j.facets), lineage.iso(j.last_seen),
       j.facets #>> '{jobType,1,jobType}'
FROM lineage.job j
WHERE strpos(lower(j.namespace || '/' || j.name), lower(%(text)s)) > 0
  AND (%(namespaces)s::text[] = '{}' OR j.namespace = ANY (%(namespaces)s))
  AND (%(tags)s::text[] = '{}' OR %(tags)s && lineage.tags_of(j.facets))
  AND (%(types)s::text[] = '{}'
       OR lower(coalesce(j.facets #>> '{jobType,1,jobType}', '')) = ANY (%(types)s))
ORDER BY j.namespace, j.name LIMIT %(limit)s
"""


class ListedDataset(Struct, frozen=True):
    """A dataset of a list."""

    namespace: str
    name: str
    tags: tuple[str, ...]
    last_seen: str | None

    @property
    def full_name(self) -> str:
        """Namespace and name in one."""
        return DatasetName(self.namespace, self.name).full


class ListedJob(Struct, frozen=True):
    """A job of a list; ``type`` is its jobType."""

    namespace: str
    name: str
    tags: tuple[str, ...]
    last_seen: str | None
    type: str | None

    @property
    def full_name(self) -> str:
        """Namespace and name in one."""
        return f"{self.namespace}/{self.name}"


class Listing(Names):
    """Lists of datasets and jobs; of several namespaces, tags or types one has to fit."""

    def list_datasets(
        self,
        text: str = "",
        limit: int = 100,
        *,
        namespaces: Sequence[str] = (),
        tags: Sequence[str] = (),
    ) -> tuple[ListedDataset, ...]:
        """Return datasets whose full name contains ``text`` in any case, by name."""
        params = {"text": text, "limit": limit, "namespaces": list(namespaces), "tags": list(tags)}
        return tuple(
            ListedDataset(namespace, name, tuple(labels or ()), last_seen)
            for namespace, name, labels, last_seen in self._rows(_DATASETS, params)
        )

    def list_jobs(
        self,
        text: str = "",
        limit: int = 100,
        *,
        namespaces: Sequence[str] = (),
        tags: Sequence[str] = (),
        types: Sequence[str] = (),
    ) -> tuple[ListedJob, ...]:
        """Return jobs whose full name contains ``text`` in any case, by name."""
        params = {
            "text": text,
            "limit": limit,
            "namespaces": list(namespaces),
            "tags": list(tags),
            "types": [each.lower() for each in types],
        }
        return tuple(
            ListedJob(namespace, name, tuple(labels or ()), last_seen, type_)
            for namespace, name, labels, last_seen, type_ in self._rows(_JOBS, params)
        )
