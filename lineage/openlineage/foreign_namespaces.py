"""Find changes of an event outside the namespaces that its sender may write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Raw

from lineage.openlineage.events import DatasetEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.openlineage.events import Dataset, Event

_NULL = Raw(b"null")


def find_foreign(event: Event, covers: Callable[[str], bool]) -> str | None:
    """Describe the first change of an event in a namespace for which ``covers`` is false.

    An event changes its job, the facets of datasets and the aliases of datasets. Reading or writing
    a dataset does not change it, because the edge belongs to the run.
    """
    if not covers(event.namespace):
        return f'namespace "{event.namespace}"'
    if isinstance(event, DatasetEvent):
        return _of_dataset(event.dataset, covers)
    datasets = (*event.inputs, *event.outputs)
    return next(filter(None, (_of_dataset(each, covers) for each in datasets)), None)


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
