"""Remove the entities that filters and a limit exclude from a trace, for datasets and for jobs.

A filter decides on the entities of the result, not on the path of the trace: the trace passes
through filtered entities and counts them. Stale edges, in contrast, can be excluded from the graph;
then the trace does not reach entities that only such edges lead to.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from lineage.query.filters import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.query.filters import Filters


class Entity(Protocol):
    """A dataset or a job."""

    @property
    def id(self) -> int: ...
    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...


class Passed(Protocol):
    """An edge of a trace."""

    @property
    def stale(self) -> bool: ...


T = TypeVar("T", bound=Entity)
E = TypeVar("E", bound=Passed)
# The ids of the ends of an edge, and of its job or dataset, in the sort order of edges.
EntityIds: TypeAlias = tuple[int | None, int | None, int | None]
_DISTANCE = attrgetter("distance")


class Step(Struct, Generic[E], frozen=True, gc=False):
    """An edge of a trace, from id ``near`` to id ``far``. ``fits``: it matches the filters."""

    edge: E
    far: int
    distance: int
    entity_ids: EntityIds
    near: int
    upstream: bool
    fits: bool


@dataclass(frozen=True, slots=True)
class Steps(Generic[E]):
    """The steps of a trace, column by column.

    The columns after ``entity_ids`` are read only with filters, and only once.
    """

    edges: Sequence[E] = ()
    far: Sequence[int] = ()
    distances: Sequence[int] = ()
    entity_ids: Sequence[EntityIds] = ()
    near: Iterable[int] = ()
    upstream: Iterable[bool] = ()
    fits: Iterable[bool] = ()

    def list_steps(self) -> list[Step[E]]:
        """Build the steps."""
        columns = (self.edges, self.far, self.distances, self.entity_ids)
        return [
            Step(*step) for step in zip(*columns, self.near, self.upstream, self.fits, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Traversal(Generic[T, E]):
    """A complete trace before pruning.

    ``entities``: entities of the trace by id. ``tied``: entities of its edges by id. ``fitting``:
    ids of the entities that match the filters.
    """

    root: T
    depth: int | None
    steps: Steps[E]
    entities: Mapping[int, T]
    tied: Mapping[int, Entity]
    fitting: frozenset[int]


@dataclass(frozen=True, slots=True)
class PrunedTrace(Generic[T, E]):
    """The fields of ``records.Trace``, with datasets or jobs as entities.

    ``nodes``: entity, distance and number of omitted neighbours. ``collapsed_paths``: near, far and
    number of filtered entities between them.
    """

    nodes: tuple[tuple[T, int, int], ...]
    edges: tuple[E, ...]
    collapsed_paths: tuple[tuple[T, T, int], ...]
    filtered_out: int
    omitted: int
    omitted_adjacent: int


def prune(walk: Traversal[T, E], filters: Filters) -> PrunedTrace[T, E]:
    """Apply ``filters`` to a trace."""
    # The database has applied the other two.
    if dataclasses.replace(filters, observed=False, min_confidence=0) == ALL:
        return _keep_all(walk)
    steps = walk.steps.list_steps()
    if not filters.stale:
        steps = _without_stale(walk, steps)
    return _Pruning(walk, steps, filters).pruned_trace()


def _keep_all(walk: Traversal[T, E]) -> PrunedTrace[T, E]:
    """Return the complete trace. This is the most frequent case, so it skips all filter checks."""
    order = _by_name({**walk.tied, **walk.entities})
    steps, least = walk.steps, {walk.root.id: 0}
    for far, distance in zip(steps.far, steps.distances, strict=True):
        if least.get(far, distance) >= distance:
            least[far] = distance
    nearest = sorted([(distance, order[id], id) for id, distance in least.items()])
    return PrunedTrace(
        tuple([(walk.entities[id], distance, 0) for distance, _, id in nearest]),
        tuple(_sort_edges(steps, order)),
        (), filtered_out=0, omitted=0, omitted_adjacent=0,
    )  # fmt: skip


def _sort_edges(steps: Steps[E], order: Mapping[int | None, int]) -> Iterable[E]:
    """Return each edge once, at its least distance, by distance and then by names."""
    size = len(order) ** 3
    places = _edge_places(steps.entity_ids, order)
    edges = {
        distance * size + place: edge
        for distance, place, edge in zip(steps.distances, places, steps.edges, strict=True)
    }
    each: dict[int, E] = {}
    for number in sorted(edges):
        each.setdefault(number % size, edges[number])
    return each.values()


def _without_stale(walk: Traversal[T, E], steps: Sequence[Step[E]]) -> list[Step[E]]:
    """Return the steps of a trace that does not follow stale edges."""
    reached = []
    for upstream in (True, False):
        next_steps: dict[int, list[Step[E]]] = defaultdict(list)
        for step in steps:
            if step.upstream == upstream and not step.edge.stale:
                next_steps[step.near].append(step)
        met, front, distance = {walk.root.id}, [walk.root.id], 0
        while front and distance != walk.depth:
            distance += 1
            passed = [step for near in front for step in next_steps[near]]
            reached += [replace(step, distance=distance) for step in passed]
            front = list(dict.fromkeys(step.far for step in passed if step.far not in met))
            met.update(front)
    return reached


class _Pruning(Generic[T, E]):
    """The state of one call of ``prune``."""

    def __init__(self, walk: Traversal[T, E], steps: Sequence[Step[E]], filters: Filters) -> None:
        self.walk = walk
        self.steps = sorted(steps, key=_DISTANCE)
        self.order = _by_name({**walk.tied, **walk.entities})
        root = walk.root.id
        self.distances = {root: 0}
        for step in self.steps:
            self.distances.setdefault(step.far, step.distance)
        of_edges = bool(filters.jobs or filters.types or filters.since)
        led_to = {step.far for step in steps if step.fits} if of_edges else self.distances.keys()
        fitting = [id for id in self.distances if id != root]
        fitting = [id for id in fitting if id in walk.fitting and id in led_to]
        fitting.sort(key=self._sort_position)
        self.fitting = {root, *fitting}
        self.retained = {root: 0, **{id: self.distances[id] for id in fitting[: filters.limit]}}

    def _sort_position(self, id: int) -> tuple[int, int]:
        return self.distances[id], self.order[id]

    def pruned_trace(self) -> PrunedTrace[T, E]:
        """Return the filtered and limited trace."""
        reached: set[int] = set()
        edges: dict[int, tuple[int, E]] = {}
        omitted: dict[int, set[int]] = defaultdict(set)
        places = _edge_places([step.entity_ids for step in self.steps], self.order)
        for step, place in zip(self.steps, places, strict=True):
            if step.fits and step.near in self.retained and step.far in self.fitting:
                reached.add(step.far)
                if step.far in self.retained:
                    edges.setdefault(place, (step.distance, step.edge))
                else:
                    omitted[step.near].add(step.far)
        entities, paths = self.walk.entities, []
        for near, far, hidden in self._collapsed_paths(
            self.fitting - reached - {self.walk.root.id}
        ):
            if far in self.retained:
                paths.append((entities[near], entities[far], hidden))
            elif near in self.retained:
                omitted[near].add(far)
        return PrunedTrace(
            tuple((entities[id], distance, len(omitted.get(id, ())))
                  for id, distance in self.retained.items()),
            tuple(edges[place][1] for place in sorted(edges, key=lambda p: (edges[p][0], p))),
            tuple(paths),
            filtered_out=len(self.distances) - len(self.fitting),
            omitted=len(self.fitting) - len(self.retained),
            omitted_adjacent=len(set().union(*omitted.values())),
        )  # fmt: skip

    def _collapsed_paths(self, unreached: set[int]) -> list[tuple[int, int, int]]:
        """Return (near, far, number of entities between them) for each id of ``unreached``.

        ``near`` is the last matching entity before it on a shortest path. A path has one direction.
        """
        if not unreached:
            return []
        before: dict[tuple[int, bool], tuple[int, int]] = {}
        for step in sorted(
            self.steps, key=lambda step: (step.distance, self._sort_position(step.near))
        ):
            before.setdefault((step.far, step.upstream), (step.distance, step.near))
        paths = []
        for far in sorted(unreached, key=self._sort_position):
            upstream = min(way for way in (True, False) if (far, way) in before
                           and before[far, way][0] == self.distances[far])  # fmt: skip
            near, hidden = before[far, upstream][1], 0
            while near not in self.fitting:
                near, hidden = before[near, upstream][1], hidden + 1
            paths.append((near, far, hidden))
        return paths


def _by_name(entities: Mapping[int, Entity]) -> dict[int | None, int]:
    """Return the rank of each entity by name, from 1; numbers are faster to compare than names.

    The rank of None is 0.
    """
    names = sorted([(entity.namespace, entity.name, id) for id, entity in entities.items()])
    return {None: 0, **{id: place for place, (_, _, id) in enumerate(names, start=1)}}


def _edge_places(ids: Iterable[EntityIds], order: Mapping[int | None, int]) -> list[int]:
    """Return a number for each edge that sorts edges by the names of their entities.

    It is below the cube of the length of ``order``, and different edges have different numbers.
    """
    ranks = len(order)
    return [(order[a] * ranks + order[b]) * ranks + order[c] for a, b, c in ids]
