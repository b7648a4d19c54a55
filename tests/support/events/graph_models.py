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


def bookshop() -> dict[str, list[dict[str, object]]]:
    """Return the JSON of a platform with the types and edges of LineageBridge's sample.

    It has 38 nodes and 39 edges. Times are spelled in two ways, as there.
    """
    made: list[LineageNode] = []

    def add(system: str, segment: str, type: NodeType, names: str, **values: object) -> list[str]:
        ids = [f"{system}:{segment}:env-1:{name}" for name in names.split()]
        made.extend(node(id, type, system=system, environment_id="env-1", **values) for id in ids)
        return ids

    cluster = {"cluster_id": "lkc-1", "cluster_name": "books"}
    topics = add(
        "confluent",
        "kafka_topic",
        NodeType.KAFKA_TOPIC,
        "loans returns readers fines late_loans loan_stats mails",
        **cluster,
    )
    schemas = add(
        "confluent",
        "schema",
        NodeType.SCHEMA,
        "loans-key loans-value readers-value late_loans-value fines-value",
        attributes={
            "schema_type": "AVRO",
            "version": 2,
            "schema_string": '{"fields": [{"name": "id", "type": "long"}]}',
        },
    )
    connectors = add(
        "confluent",
        "connector",
        NodeType.CONNECTOR,
        "library-source readers-source lake-sink search-sink",
        **cluster,
    )
    queries = add("confluent", "ksqldb_query", NodeType.KSQLDB_QUERY, "CSAS_LATE_0 CTAS_STATS_0")
    flink = add(
        "confluent",
        "flink_job",
        NodeType.FLINK_JOB,
        "fine-detector mailer",
        attributes={"sql": "INSERT INTO fines SELECT * FROM loans", "retries": None},
    )
    tableflow = add(
        "confluent",
        "tableflow_table",
        NodeType.TABLEFLOW_TABLE,
        "lkc-1.loans lkc-1.fines lkc-1.late_loans",
    )
    groups = add("confluent", "consumer_group", NodeType.CONSUMER_GROUP, "web app audit flink-1")
    external = add(
        "external",
        "external_dataset",
        NodeType.EXTERNAL_DATASET,
        "mysql://library:3306/shop.loans s3://lake/raw/loans opensearch.loans",
    )
    unity = add(
        "databricks",
        "uc_table",
        NodeType.CATALOG_TABLE,
        "main.shop.loans main.shop.late_loans main.reports.daily",
        catalog_type="UNITY_CATALOG",
        attributes={"workspace_url": "https://dbc-1.example.com"},
    )
    glue = add(
        "aws",
        "glue_table",
        NodeType.CATALOG_TABLE,
        "shop.fines shop.mails",
        catalog_type="AWS_GLUE",
        attributes={"aws_region": "eu-central-1"},
    )
    google = add(
        "google",
        "google_table",
        NodeType.CATALOG_TABLE,
        "project.shop.late_loans",
        catalog_type="GOOGLE_DATA_LINEAGE",
    )
    notebook = add("databricks", "notebook", NodeType.NOTEBOOK, "42")
    scheduled = add("google", "catalog_query", NodeType.CATALOG_QUERY, "hourly")
    pairs = {
        EdgeType.HAS_SCHEMA: [(0, 0), (0, 1), (2, 2), (4, 3), (3, 4)],
        EdgeType.MEMBER_OF: [(0, 0), (0, 1), (1, 2), (0, 3)],
    }
    links = [(topics[t], schemas[s], EdgeType.HAS_SCHEMA) for t, s in pairs[EdgeType.HAS_SCHEMA]]
    links += [(topics[t], groups[g], EdgeType.MEMBER_OF) for t, g in pairs[EdgeType.MEMBER_OF]]
    flows = f"""
        produces {external[0]} {connectors[0]}
        produces {connectors[0]} {topics[0]}
        produces {connectors[0]} {topics[1]}
        produces {connectors[1]} {topics[2]}
        consumes {topics[0]} {queries[0]}
        consumes {topics[2]} {queries[0]}
        produces {queries[0]} {topics[4]}
        consumes {topics[0]} {queries[1]}
        produces {queries[1]} {topics[5]}
        consumes {topics[0]} {flink[0]}
        produces {flink[0]} {topics[3]}
        consumes {topics[3]} {flink[1]}
        produces {flink[1]} {topics[6]}
        consumes {topics[0]} {connectors[2]}
        produces {connectors[2]} {external[1]}
        consumes {topics[4]} {connectors[3]}
        produces {connectors[3]} {external[2]}
        materializes {topics[0]} {tableflow[0]}
        materializes {topics[3]} {tableflow[1]}
        materializes {topics[4]} {tableflow[2]}
        materializes {tableflow[0]} {unity[0]}
        materializes {tableflow[2]} {unity[1]}
        materializes {tableflow[1]} {glue[0]}
        materializes {tableflow[2]} {google[0]}
        materializes {topics[6]} {glue[1]}
        transforms {unity[1]} {unity[2]}
        consumes {unity[1]} {notebook[0]}
        produces {notebook[0]} {unity[2]}
        transforms {unity[0]} {scheduled[0]}
        transforms {scheduled[0]} {google[0]}
    """.split()
    links += [(s, t, EdgeType(type)) for type, s, t in zip(*[iter(flows)] * 3, strict=True)]
    result = graph(*made, *(edge(s, t, type) for s, t, type in links)).to_dict()
    for each in result["nodes"][::2]:
        each["last_seen"] = each["last_seen"].replace("Z", "+00:00")
    return result
