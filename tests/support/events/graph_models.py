"""Graph models for tests: generated ones, and the example of a whole platform."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import strategies as st

from lineage.model import EdgeType, LineageEdge, LineageGraph, LineageNode, NodeType, SystemType

START = datetime(2026, 5, 1, 22, 43, 7, tzinfo=timezone.utc)

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12)
NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.just(""), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)  # fmt: skip
TIMES = st.integers(0, 10**12).map(lambda n: START + timedelta(microseconds=n))


def node(
    node_id: str, type: NodeType | str = NodeType.KAFKA_TOPIC, **values: object
) -> LineageNode:
    """A node whose other texts are those of its id."""
    name = node_id.rpartition(":")[2] or node_id
    texts = {"system": "confluent", "qualified_name": name, "display_name": name}
    times = {"first_seen": START, "last_seen": START}
    return LineageNode(**{"node_id": node_id, "node_type": type, **texts, **times, **values})  # type: ignore[arg-type]


def edge(
    src_id: str, dst_id: str, type: EdgeType | str = "produces", **values: object
) -> LineageEdge:
    """An edge that was seen once."""
    times = {"first_seen": START, "last_seen": START}
    return LineageEdge(**{"src_id": src_id, "dst_id": dst_id, "edge_type": type, **times, **values})  # type: ignore[arg-type]


def graph(*entities: LineageNode | LineageEdge) -> LineageGraph:
    """A graph of nodes and edges, added in this order."""
    result = LineageGraph()
    for each in entities:
        if isinstance(each, LineageNode):
            result.add_node(each)
        else:
            result.add_edge(each)
    return result


@st.composite
def periods(draw: st.DrawFn) -> dict[str, datetime]:
    first, last = sorted((draw(TIMES), draw(TIMES)))
    return {"first_seen": first, "last_seen": last}


@st.composite
def nodes(draw: st.DrawFn, ids: st.SearchStrategy[str]) -> LineageNode:
    optional = st.one_of(st.none(), TEXTS)
    return LineageNode(
        node_id=draw(ids),
        system=draw(st.sampled_from([*SystemType, "snowflake"])),
        node_type=draw(st.sampled_from([*NodeType, "dashboard"])),
        qualified_name=draw(TEXTS),
        display_name=draw(TEXTS),
        environment_id=draw(optional),
        environment_name=draw(optional),
        cluster_id=draw(optional),
        cluster_name=draw(optional),
        catalog_type=draw(optional),
        attributes=draw(st.dictionaries(TEXTS, JSON, max_size=3)),
        tags=draw(st.lists(TEXTS, unique=True, max_size=3)),
        url=draw(optional),
        **draw(periods()),
    )


@st.composite
def edges(draw: st.DrawFn, ids: st.SearchStrategy[str]) -> LineageEdge:
    return LineageEdge(
        src_id=draw(ids),
        dst_id=draw(ids),
        edge_type=draw(st.sampled_from(EdgeType)),
        confidence=draw(st.one_of(st.just(1.0), st.floats(0, 1))),
        attributes=draw(st.dictionaries(TEXTS, JSON, max_size=2)),
        **draw(periods()),
    )


@st.composite
def graphs(
    draw: st.DrawFn, names: st.SearchStrategy[str] = TEXTS, dangling: bool = True
) -> LineageGraph:
    """A graph with nodes of all types; with ``dangling`` some edges name no node."""
    ids = draw(st.lists(names, unique=True, min_size=1, max_size=7))
    present = ids[: draw(st.integers(1, len(ids)))] if dangling else ids
    result = LineageGraph()
    for id in present:
        result.add_node(draw(nodes(st.just(id))))
    for each in draw(st.lists(edges(st.sampled_from(ids)), max_size=10)):
        result.add_edge(each)
    return result
