"""Find changes of an event outside the namespaces that its sender may write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Raw

from lineage.openlineage.events import DatasetEvent
from lineage.openlineage.lineage_facet import explicit_lineage

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.openlineage.events import Dataset, Event, Job

_NULL = Raw(b"null")


def find_foreign(event: Event, covers: Callable[[str], bool]) -> str | None:
    """Describe the first change of an event in a namespace for which ``covers`` is false.

    An event changes its job, the facets of datasets, the aliases of datasets, and the jobs that its
    lineage facet connects. Reading or writing a dataset does not change it, because the edge
    belongs to the run.
    """
    if not covers(event.namespace):
        return f'namespace "{event.namespace}"'
    if isinstance(event, DatasetEvent):
        return _of_dataset(event.dataset, covers)
    datasets = (*event.inputs, *event.outputs)
    changes = (_of_dataset(each, covers) for each in datasets)
    return next(filter(None, changes), None) or _of_job(event.job, covers)


def _of_job(job: Job, covers: Callable[[str], bool]) -> str | None:
    body = job.facets.get("lineage", _NULL)
    pairs = () if body == _NULL else explicit_lineage(job.key, bytes(body), ()).dependencies
    foreign = (target for _, target in pairs if target != job.key and not covers(target[0]))
    for namespace, name in foreign:
        return f'the lineage of job "{name[:100]}" in namespace "{namespace}"'
    return None


def _of_dataset(dataset: Dataset, covers: Callable[[str], bool]) -> str | None:
    namespace, name = dataset.key
    if not covers(namespace):
        facet = next((facet for facet, body in dataset.facets.items() if body != _NULL), None)
        if facet is not None:
            return f'the facet "{facet[:40]}" of dataset "{name[:100]}" in namespace "{namespace}"'
    for alias_namespace, alias in dataset.aliases:
        if not covers(alias_namespace):
            return f'the name "{alias[:100]}" in namespace "{alias_namespace}"'
    return None
