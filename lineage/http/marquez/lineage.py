"""The lineage graph of a dataset or a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.http.errors import ApiError
from lineage.http.marquez import catalog, jobs, node_ids, representations
from lineage.http.operation import Operation
from lineage.http.parameters import Integer, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.http.marquez.catalog import Conn, Json

NODE = Text("nodeId", "dataset:NAMESPACE:NAME or job:NAMESPACE:NAME.", required=True)
DEPTH = Integer(
    "depth", "Maximum number of steps from dataset to dataset.", 20, minimum=0, maximum=1000
)

# Each node has its facets, and web clients cannot draw larger graphs.
MAX_NODES = 5_000

_TRACED = (
    "SELECT source, target, job FROM lineage.dataset_closure_edges(%s::bigint[], %s, %s, true)"
)


class TouchedRow(NamedTuple):
    """A dataset that a job reads or writes."""

    dataset: int
    output: bool


class AroundRow(NamedTuple):
    """A job that wrote or read a dataset."""

    dataset: int
    job: int
    output: bool


_SQL = StatementFile(__file__)
_SELECT_TOUCHED = _SQL.statement("select_datasets_of_job", TouchedRow)
_SELECT_AROUND = _SQL.statement("select_jobs_around", AroundRow)


class _LineageGraph:
    """Ids of datasets and jobs, and the edges between them as pairs (kind, id)."""

    def __init__(self) -> None:
        self.edges: set[tuple[tuple[str, int], tuple[str, int]]] = set()
        self.nodes: set[tuple[str, int]] = set()

    def add_feeds(self, rows: Iterable[tuple[int, int, int]]) -> None:
        for source, target, job in rows:
            self.add_access(job, source, output=False)
            self.add_access(job, target, output=True)

    def add_access(self, job: int, dataset: int, *, output: bool) -> None:
        ends = ("job", job), ("dataset", dataset)
        self.nodes.update(ends)
        self.edges.add(ends if output else ends[::-1])

    def ids_of_kind(self, kind: str) -> list[int]:
        return sorted(id for each, id in self.nodes if each == kind)


def _get_lineage(conn: Conn, values: Json) -> Json:
    node = node_ids.find_node(conn, values["nodeId"])
    if node.kind == "datasetField":
        raise ApiError(400, "nodeId is the id of a column.", "Use /api/v1/column-lineage.")
    graph = _LineageGraph()
    graph.nodes.add((node.kind, node.id))
    sources, targets = _trace_ends(conn, node, graph)
    for roots, direction in ((sources, "upstream"), (targets, "downstream")):
        graph.add_feeds(conn.execute(_TRACED, (roots, direction, values["depth"])))
    if (count := len(graph.nodes)) > MAX_NODES:
        hint = f"Use a depth below {values['depth']}."
        raise ApiError(400, f"The graph has {count:,} nodes.", hint)
    _add_jobs_at_the_ends(conn, graph)
    return {"graph": _graph_nodes(conn, graph)}


def _trace_ends(
    conn: Conn, node: node_ids.Node, graph: _LineageGraph
) -> tuple[list[int], list[int]]:
    """Return the datasets from which to trace upstream and downstream."""
    if node.kind == "dataset":
        return [node.id], [node.id]
    touched = _SELECT_TOUCHED.fetch(conn, job=node.id)
    for dataset, output in touched:
        graph.add_access(node.id, dataset, output=output)
    return [id for id, output in touched if not output], [id for id, output in touched if output]


def _add_jobs_at_the_ends(conn: Conn, graph: _LineageGraph) -> None:
    """Add the jobs that wrote a dataset without a known input, or only read it."""
    for row in _SELECT_AROUND.fetch(
        conn, datasets=graph.ids_of_kind("dataset"), jobs=graph.ids_of_kind("job")
    ):
        graph.add_access(row.job, row.dataset, output=row.output)


def _graph_nodes(conn: Conn, graph: _LineageGraph) -> list[Json]:
    data: dict[tuple[str, int], Json] = {}
    for kind, of_ids in (("dataset", catalog.of_ids), ("job", jobs.of_ids)):
        ids = graph.ids_of_kind(kind)
        data |= {(kind, id): form for id, form in zip(ids, of_ids(conn, ids), strict=True)}
    names = {
        key: representations.node_id(key[0], *form["id"].values()) for key, form in data.items()
    }
    ins: dict[str, list[Json]] = {name: [] for name in names.values()}
    outs: dict[str, list[Json]] = {name: [] for name in names.values()}
    for origin, destination in sorted((names[o], names[d]) for o, d in graph.edges):
        edge = {"origin": origin, "destination": destination}
        outs[origin].append(edge)
        ins[destination].append(edge)
    return [
        {
            "id": name,
            "type": key[0].upper(),
            "data": data[key],
            "inEdges": ins[name],
            "outEdges": outs[name],
        }
        for key, name in sorted(names.items(), key=lambda item: item[1])
    ]


OPERATIONS = (
    Operation(
        "/api/v1/lineage",
        "Datasets and jobs upstream and downstream of a dataset or a job",
        _get_lineage,
        (NODE, DEPTH),
    ),
)
