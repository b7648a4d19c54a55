"""Which sources matter: the products that depend on each dataset that no run wrote."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.errors import NotFound
from lineage.orchestration.accesses import has_matching_name, read_accesses
from lineage.orchestration.window import read_window
from lineage.query.archive import read_archive_since
from lineage.query.display import Tabular
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from lineage.orchestration.accesses import JobAccesses
    from lineage.query.archive import RunArchive
    from lineage.query.session import Session

Disuse: TypeAlias = Literal["not read", "products not read"]
_COST = re.compile(r"cost:\s*(\d+(?:\.\d+)?)", re.IGNORECASE | re.ASCII)


class SourceRow(NamedTuple):
    """A source, with owners, tags and columns."""

    id: int
    namespace: str
    name: str
    owners: list[str]
    tags: list[str] | None
    last_read: str | None
    columns: int
    columns_used: int
    columns_known: bool


class PairRow(NamedTuple):
    """A dataset that feeds another."""

    source: int
    target: int


class NameRow(NamedTuple):
    """A dataset."""

    id: int
    namespace: str
    name: str


_SQL = StatementFile(__file__)
_SELECT_SOURCES = _SQL.statement("select_source_details", SourceRow)
_SELECT_PAIRS = _SQL.statement("select_fed_pairs", PairRow)
_SELECT_NAMES = _SQL.statement("select_all_names", NameRow)


class RankedSource(Struct, frozen=True, gc=False):
    """A dataset that is read and that no run wrote, except failed runs.

    ``products``: number of products that depend on it. ``alone``: those that depend on no other
    source. ``reads``, ``readers``: numbers of runs in the window that read one of these products,
    and of their jobs; reads by a job that writes the product do not count. ``last_read``: of the
    source, by any run but checks. ``columns``: number in its schema; ``columns_used``: those from
    which column lineage leads on; None if a job that reads it reports no columns. ``cost``: value
    of its tag ``cost``. ``unused``: it was not read in the window, or none of its products was.
    """

    dataset: Dataset
    products: int
    alone: tuple[Dataset, ...]
    reads: int
    readers: int
    last_read: str | None
    columns: int
    columns_used: int | None
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    cost: float | None
    unused: Disuse | None


@dataclass(frozen=True, slots=True, repr=False)
class SourceRanking(Tabular):
    """The sources, those whose products are read most first.

    ``products``: number of all products. Reads are counted from ``since`` to ``until``; reads that
    nobody reports are not in the log. ``omitted``: number of sources over the limit. ``archive``:
    None unless archived runs may have read in the window; they are not counted.
    """

    since: str
    until: str
    products: int
    sources: tuple[RankedSource, ...]
    omitted: int
    archive: RunArchive | None


def rank_sources(
    session: Session,
    *,
    since: str | None = None,
    products: Sequence[str] = (),
    unused: bool = False,
    observed: bool = False,
    limit: int | None = None,
) -> SourceRanking:
    """Rank the sources by the use of the products that depend on them.

    A product is a dataset whose full name, or name without the namespace, matches one of the
    patterns ``products``. Without patterns it is a dataset that a job which writes nothing reads,
    or that feeds no other. ``since``: start of the window, by default 30 days before the newest
    event. ``unused``: only sources that were not read, or of which no product was. ``observed``:
    ignore designs. A job that only checks what it reads, such as a test of dbt, is no reader.
    Raises NotFound if a pattern matches no dataset.
    """
    with session.snapshot():
        since, until = read_window(session, since)
        rows = session.fetch(_SELECT_SOURCES, since=since, observed=observed)
        pairs = session.fetch(_SELECT_PAIRS, observed=observed)
        names = {row.id: Dataset(*row) for row in session.fetch(_SELECT_NAMES)}
        accesses = read_accesses(session, since, observed=observed)
        archive = read_archive_since(session, since)
    accesses.remove_checks()
    targets = {row.target for row in pairs if row.source != row.target}
    sources = [row for row in rows if row.id not in targets]
    chosen = _find_products(names, pairs, accesses, [row.id for row in sources], products)
    roots = find_roots([row.id for row in sources], pairs)
    use = _count_reads(accesses, chosen)
    read_now = {
        dataset
        for of_job in accesses.reads.values()
        for dataset, access in of_job.items()
        if access.runs
    }
    by_source: dict[int, list[int]] = defaultdict(list)
    for product in sorted(chosen):
        for source in roots.get(product, ()):
            by_source[source].append(product)
    ranked = [
        _describe_source(row, by_source[row.id], roots, names, use, is_read=row.id in read_now)
        for row in sources
    ]
    ranked = [each for each in ranked if each.unused or not unused]
    ranked.sort(key=lambda each: (-each.reads, -each.products, each.dataset.full_name))
    listed = ranked if limit is None else ranked[:limit]
    omitted = len(ranked) - len(listed)
    return SourceRanking(since, until, len(chosen), tuple(listed), omitted, archive)


def find_roots(
    sources: Sequence[int], pairs: Iterable[tuple[int, int]]
) -> Mapping[int, tuple[int, ...]]:
    """Return the sources from which each dataset can be reached; a source is its own.

    Sets of sources are bits of a number, and grow until nothing changes: cycles are allowed.
    """
    next_: dict[int, list[int]] = defaultdict(list)
    for source, target in pairs:
        next_[source].append(target)
    bits = {source: 1 << number for number, source in enumerate(sources)}
    pending = deque(bits)
    while pending:
        at = pending.popleft()
        for target in next_[at]:
            before = bits.get(target, 0)
            if (grown := before | bits[at]) != before:
                bits[target] = grown
                pending.append(target)
    members = {mask: _members_of(mask, sources) for mask in set(bits.values())}
    return {dataset: members[mask] for dataset, mask in bits.items()}


def _members_of(mask: int, sources: Sequence[int]) -> tuple[int, ...]:
    members = []
    while mask:
        lowest = mask & -mask
        members.append(sources[lowest.bit_length() - 1])
        mask ^= lowest
    return tuple(members)


def _find_products(
    names: Mapping[int, Dataset],
    pairs: Iterable[PairRow],
    accesses: JobAccesses,
    sources: Collection[int],
    patterns: Sequence[str],
) -> set[int]:
    if patterns:
        return set(chain.from_iterable(_match_names(names, each) for each in patterns))
    ends = {row.target for row in pairs}
    ends.difference_update(row.source for row in pairs if row.source != row.target)
    read = {
        dataset
        for job, of_job in accesses.reads.items()
        if not accesses.writes.get(job)
        for dataset in of_job
    }
    return (ends | read) & names.keys()


def _match_names(names: Mapping[int, Dataset], pattern: str) -> set[int]:
    """Return the datasets whose full name, or name in any namespace, matches a pattern."""
    matching = {id for id, dataset in names.items() if has_matching_name(dataset, pattern)}
    if not matching:
        raise NotFound(
            f'No dataset matches the pattern "{pattern}" of products.',
            "List the names: lineage datasets",
        )
    return matching


def _count_reads(
    accesses: JobAccesses, products: Collection[int]
) -> Mapping[int, Mapping[int, int]]:
    """Return the number of runs of each job that read each product and does not write it."""
    use: dict[int, dict[int, int]] = defaultdict(dict)
    for job, of_job in accesses.reads.items():
        for dataset, access in of_job.items():
            if dataset in products and dataset not in accesses.writes.get(job, ()) and access.runs:
                use[dataset][job] = access.runs
    return use


def _describe_source(
    row: SourceRow,
    products: Sequence[int],
    roots: Mapping[int, tuple[int, ...]],
    names: Mapping[int, Dataset],
    use: Mapping[int, Mapping[int, int]],
    *,
    is_read: bool,
) -> RankedSource:
    alone = [names[each] for each in products if roots[each] == (row.id,)]
    reads = [use[each] for each in products if each in use]
    tags = tuple(row.tags or ())
    costs = [float(match[1]) for tag in tags if (match := _COST.fullmatch(tag))]
    unused: Disuse | None = None
    if not is_read:
        unused = "not read"
    elif not reads:
        unused = "products not read"
    return RankedSource(
        Dataset(row.id, row.namespace, row.name),
        len(products),
        tuple(sorted(alone, key=lambda each: each.full_name)),
        sum(sum(each.values()) for each in reads),
        len({job for each in reads for job in each}),
        row.last_read,
        row.columns,
        row.columns_used if row.columns_known else None,
        tuple(row.owners),
        tags,
        costs[0] if costs else None,
        unused,
    )
