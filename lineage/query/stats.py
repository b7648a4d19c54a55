"""Statistics of the whole graph: counts, sizes, components and the most used sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.garbage import pause_collection
from lineage.query.archive import read_archive
from lineage.query.arguments import need_in_range
from lineage.query.dataset_pairs import read_pairs
from lineage.query.display import Tabular
from lineage.query.graph_structure import GraphStructure
from lineage.query.source_usage import SourceUsage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.archive import RunArchive
    from lineage.query.session import Session
    from lineage.query.source_usage import Source

_COUNTS = "SELECT label, entities, edge FROM lineage.label_counts()"
_STATES = "SELECT r.state, count(*) FROM lineage.run r GROUP BY r.state ORDER BY 2 DESC, 1"
_SIZES = "SELECT part, bytes FROM lineage.storage_sizes()"
_LOG = """
SELECT (SELECT count(*) FROM lineage.event), lineage.iso8601(lineage.latest_event_time()),
       lineage.iso8601(lineage.latest_event_time() - make_interval(days => %s))
"""


class AssetCountRow(NamedTuple):
    """The number of nodes of graph models with a value of ``key``."""

    key: str
    value: str
    number: int


_SQL = StatementFile(__file__)
_COUNT_ASSETS = _SQL.tuples("count_assets", AssetCountRow)


@dataclass(frozen=True, slots=True, repr=False)
class Stats(Tabular):
    """Statistics of graph and log.

    ``vertices``, ``edges``: counts by label. ``assets_by_…``: counts of the nodes of graph models.
    ``runs``: counts by state; "unknown" if no event reported one. ``sizes``: bytes by part.
    ``components``: number of weakly connected components of FEEDS with at least two datasets.
    ``largest_component``: number of datasets in the largest. ``isolated``: number of datasets in
    none. ``sources``: number of external sources. Reads are counted from ``since``, ``window_days``
    before the latest event, to ``until``. ``archive``: the archive of runs, which are not
    counted; None if no runs are archived.
    """

    vertices: Mapping[str, int]
    edges: Mapping[str, int]
    assets_by_type: Mapping[str, int]
    assets_by_system: Mapping[str, int]
    runs: Mapping[str, int]
    events: int
    sizes: Mapping[str, int]
    components: int
    largest_component: int
    isolated: int
    window_days: int
    since: str | None
    until: str | None
    sources: int
    most_downstream: tuple[Source, ...]
    most_read: tuple[Source, ...]
    archive: RunArchive | None = None


@pause_collection()
def collect_stats(session: Session, window_days: int = 30, limit: int | None = 10) -> Stats:
    """Count vertices, edges, runs and events, measure sizes, and find the most used sources."""
    need_in_range(limit=limit)
    with session.snapshot():
        counts = session.fetch_rows(_COUNTS, ())
        [(events, until, since)] = session.fetch_rows(_LOG, (window_days,))
        archive = read_archive(session)
        shape = GraphStructure(read_pairs(session, observed=True))
        usage = SourceUsage(session, shape, since or "-infinity")
        most_downstream, most_read = usage.most_downstream(limit), usage.most_read(limit)
        vertices = {label: number for label, number, edge in counts if not edge}
        states = {state or "unknown": number for state, number in session.fetch_rows(_STATES, ())}
        sizes = dict(session.fetch_rows(_SIZES, ()))
        assets: dict[str, dict[str, int]] = {"node_type": {}, "system": {}}
        for key, value, number in session.fetch(_COUNT_ASSETS):
            assets[key][value] = number
    parts = [size for size in shape.component_sizes() if size > 1]
    return Stats(
        vertices=vertices,
        assets_by_type=assets["node_type"],
        assets_by_system=assets["system"],
        edges={label: number for label, number, edge in counts if edge},
        runs=states,
        events=events,
        sizes=sizes,
        components=len(parts),
        largest_component=max(parts, default=0),
        isolated=vertices["Dataset"] - sum(parts),
        window_days=window_days,
        since=since,
        until=until,
        sources=len(usage.sources),
        most_downstream=most_downstream,
        most_read=most_read,
        archive=archive,
    )
