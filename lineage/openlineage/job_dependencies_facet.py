"""Parse the jobDependencies facet: the jobs that run before and after a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lineage.openlineage.interning import InternedParser
from lineage.openlineage.long_names import read_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.openlineage.events import Name

_BYTES_EACH = 300  # estimated memory of a pair


def job_dependencies(facet: bytes, job: Name) -> tuple[tuple[Name, Name], ...]:
    """Return each (upstream, downstream) pair in the facet of a run of ``job``.

    Jobs without a valid name are omitted, and so is a dependency of the job on itself.
    """
    return _FACETS[facet, job]


def _read_facet(facet_and_job: tuple[bytes, Name], _path: str) -> tuple[tuple[Name, Name], ...]:
    facet, job = facet_and_job
    body = json.loads(facet)
    if not isinstance(body, dict) or body.get("_deleted") is True:
        return ()
    pairs = {(name, job) for name in _read_jobs(body.get("upstream"))}
    pairs |= {(job, name) for name in _read_jobs(body.get("downstream"))}
    return tuple(sorted(pair for pair in pairs if pair[0] != pair[1]))


def _facet_size(
    facet_and_job: tuple[bytes, Name], dependencies: tuple[tuple[Name, Name], ...]
) -> int:
    return len(facet_and_job[0]) + _BYTES_EACH * len(dependencies)


_FACETS = InternedParser(_read_facet, size_of=_facet_size)  # runs of a job repeat their facet


def _read_jobs(items: Any) -> Iterator[Name]:
    for item in items if isinstance(items, list) else ():
        job = item.get("job") if isinstance(item, dict) else None
        if (name := read_key(job)) is not None:
            yield name
