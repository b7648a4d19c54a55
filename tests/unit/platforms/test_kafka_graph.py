"""Nodes and edges of connectors: what their settings and topics tell, and what they do not."""

from __future__ import annotations

from typing import Any

import pytest

from lineage.model.events import events_of_graph
from lineage.platforms.connector_datasets import ExternalData
from lineage.platforms.external_data import read_external_data
from lineage.platforms.kafka_connect import ConnectCluster, Connector, replace_placeholders
from lineage.platforms.kafka_graph import KafkaGraph
from lineage.platforms.schema_registry import RegisteredSchema
from lineage.platforms.topic_routes import read_route

DEBEZIUM = "io.debezium.connector."
JDBC = "io.confluent.connect.jdbc."
S3 = "io.confluent.connect.s3.S3SinkConnector"
APACHE = "org.apache.kafka.connect.transforms."


def connector(
    kind: str, direction: str, topics: tuple[str, ...] | None = (), /, **config: str
) -> Connector:
    settings = {
        key.replace("__", "."): replace_placeholders(value) for key, value in config.items()
    }
    return Connector("c", direction, {"connector.class": kind, **settings}, "RUNNING", topics)


def regex(pattern: str, replacement: str, **more: str) -> dict[str, str]:
    return {
        "transforms": "route",
        "transforms__route__type": f"{APACHE}RegexRouter",
        "transforms__route__regex": pattern,
        "transforms__route__replacement": replacement,
        **more,
    }


@pytest.mark.parametrize(
    ("settings", "topic", "routed"),
    [
        ({}, "shop.orders", "shop.orders"),
        (regex(r"(.*)\.(.*)", "$1_$2"), "shop.orders", "shop_orders"),
        (regex(r"([^.]+)\.([^.]+)\.([^.]+)", "$3"), "pg.public.orders", "orders"),
        # The whole name has to match, and otherwise the topic stays.
        (regex("orders", "x"), "orders.v1", "orders.v1"),
        (regex("(.*)", r"\$1-$1"), "a", "$1-a"),
        (regex("(a)(b)?", "$1x$2"), "ab", "axb"),
        # The first match is replaced, which is found anew: `a` before `ab`, and an empty group.
        (regex("a|ab", "x"), "ab", "xb"),
        (regex("shop(.*?)", "$1-x"), "shop-orders", "-x-orders"),
    ],
)
def test_topics_are_renamed_as_the_router_does(settings: Any, topic: str, routed: str):
    route = read_route(connector(S3, "sink", **settings))
    assert route is not None
    assert route(topic) == routed


@pytest.mark.parametrize(
    "settings",
    [
        regex("(.*)", "$2"),
        regex("(a)" * 12, "$12"),
        regex("(.*", "x"),
        regex("(.*)", "${name}"),
        regex(r"\p{Alpha}+", "x"),
        regex("a*+b", "x"),
        regex("(?<name>a)", "x"),
        regex("(?P<name>a)", "x"),
        regex("[a-z&&[^b]]", "x"),
        regex("(.*)", r"\x"),
        regex("(.*)", "${env:PREFIX}-$1"),
        regex("${env:PREFIX}-(.*)", "$1"),
        regex("(.*)", "x", transforms__route__predicate="some"),
        {"transforms": "t", "transforms__t__type": f"{APACHE}TimestampRouter"},
        {"transforms": "t", "transforms__t__type": "io.debezium.transforms.outbox.EventRouter"},
        {"transforms": "t", "transforms__t__type": "com.example.Anything"},
        {"transforms": "t"},
        {
            "transforms": "t", "transforms__t__route__by__field": "kind",
            "transforms__t__type": "io.debezium.transforms.ExtractNewRecordState",
        },
    ],
)  # fmt: skip
def test_a_router_that_is_not_understood_is_no_guess(settings: dict[str, str]):
    assert read_route(connector(S3, "sink", **settings)) is None
    data = read_external_data(connector(S3, "sink", s3__bucket__name="b", **settings), ["t"])
    assert (data.urls, bool(data.unknown)) == ((), True)


@pytest.mark.parametrize(
    "kind",
    [f"{APACHE}InsertField$Value", f"{APACHE}ReplaceField$Key",
     "io.debezium.transforms.ExtractNewRecordState"],
)  # fmt: skip
def test_transforms_of_values_keep_topics(kind: str):
    route = read_route(connector(S3, "sink", transforms="a", transforms__a__type=kind))
    assert route is not None
    assert route("t") == "t"


MYSQL = {"database__hostname": "db", "topic__prefix": "shop"}
POSTGRES = {**MYSQL, "database__dbname": "store", "database__port": "5433"}


@pytest.mark.parametrize(
    ("given", "topics", "urls", "unknown"),
    [
        # The topics of Debezium have the names of the tables; others of its topics do not.
        (
            connector(f"{DEBEZIUM}mysql.MySqlConnector", "source", **MYSQL),
            ["shop", "shop.inventory.orders", "shop.transaction", "__debezium-heartbeat.shop"],
            ["mysql://db:3306/inventory.orders"],
            None,
        ),
        (
            connector(f"{DEBEZIUM}postgresql.PostgresConnector", "source",
                      table__include__list=r"public.orders,public\.customers", **POSTGRES),
            [],
            ["postgres://db:5433/store.public.orders", "postgres://db:5433/store.public.customers"],
            None,
        ),
        (
            connector(f"{DEBEZIUM}postgresql.PostgresConnector", "source",
                      table__include__list=r"public.orders,public\.c.*", **POSTGRES),
            [],
            ["postgres://db:5433/store.public.orders"],
            "the tables that patterns select",
        ),
        (
            connector(f"{DEBEZIUM}postgresql.PostgresConnector", "source", **MYSQL),
            ["shop.public.orders"],
            [],
            "the name of the database",
        ),
        (
            connector(f"{DEBEZIUM}sqlserver.SqlServerConnector", "source",
                      database__names="erp", table__include__list="dbo.orders", **MYSQL),
            [],
            ["sqlserver://db:1433/erp.dbo.orders"],
            None,
        ),
        (
            connector(f"{DEBEZIUM}sqlserver.SqlServerConnector", "source",
                      database__names="erp,hr", **MYSQL),
            ["shop.hr.dbo.people"],
            ["sqlserver://db:1433/hr.dbo.people"],
            None,
        ),
        (
            connector(f"{DEBEZIUM}oracle.OracleConnector", "source", database__dbname="CDB",
                      **MYSQL),
            ["shop.SALES.ORDERS"],
            ["oracle://db:1521/CDB.SALES.ORDERS"],
            None,
        ),
        # The tables are those of the pluggable database.
        (
            connector(f"{DEBEZIUM}oracle.OracleConnector", "source", database__dbname="CDB",
                      database__pdb__name="PDB1", **MYSQL),
            ["shop.SALES.ORDERS"],
            ["oracle://db:1521/PDB1.SALES.ORDERS"],
            None,
        ),
        # After a transform the topics do not tell the tables.
        (
            connector(f"{DEBEZIUM}mysql.MySqlConnector", "source", **MYSQL,
                      **regex(r"(.*)\.(.*)\.(.*)", "shop.x.$3")),
            ["shop.x.orders"],
            [],
            "the tables",
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", topic__prefix="pg-",
                      connection__url="jdbc:postgresql://db/store?user=ann&password=hunter2"),
            ["pg-orders"],
            ["postgres://db:5432/store.orders"],
            None,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", table__whitelist="public.orders",
                      connection__url="jdbc:postgresql://db/store"),
            [],
            ["postgres://db:5432/store.public.orders"],
            None,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", topic__prefix="x",
                      query="SELECT o.id FROM orders o JOIN crm.people USING (id)",
                      connection__url="jdbc:postgresql://db/store"),
            ["x"],
            ["postgres://db:5432/store.orders", "postgres://db:5432/store.crm.people"],
            None,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", topic__prefix="x",
                      query="SELECT password='hunter2' FROM",
                      connection__url="jdbc:postgresql://db/store"),
            ["x"],
            [],
            "the tables of its query: the text cannot be parsed",
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", topic__prefix="x",
                      query="SELECT o.id FROM orders o JOIN srv.erp.dbo.people p ON p.id = o.id",
                      connection__url="jdbc:sqlserver://db;databaseName=store"),
            ["x"],
            ["sqlserver://db/store.orders"],
            "the tables of srv.erp.dbo.people in its query",
        ),
        # FINAL is a keyword of ClickHouse only.
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", topic__prefix="x",
                      query="SELECT o.id FROM orders o FINAL JOIN crm.people p ON p.id = o.id",
                      connection__url="jdbc:ch://db/store"),
            ["x"],
            ["clickhouse://db:8123/store.orders", "clickhouse://db:8123/crm.people"],
            None,
        ),
        (
            connector(f"{JDBC}JdbcSinkConnector", "sink",
                      connection__url="jdbc:mysql://ann:hunter2@db/mart",
                      table__name__format="kafka_${topic}"),
            ["orders", "customers"],
            ["mysql://db:3306/mart.kafka_orders", "mysql://db:3306/mart.kafka_customers"],
            None,
        ),
        # Entries of this list are expressions in newer versions.
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", table__include__list="store.*",
                      topic__prefix="pg-", connection__url="jdbc:postgresql://db/store"),
            ["pg-orders"],
            ["postgres://db:5432/store.orders"],
            None,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", table__include__list="store.*",
                      connection__url="jdbc:postgresql://db/store"),
            [],
            [],
            "the tables that patterns select",
        ),
        # With another strategy, a topic may have the rows of several tables.
        (
            connector(f"{DEBEZIUM}mysql.MySqlConnector", "source", **MYSQL,
                      topic__naming__strategy="io.debezium.schema.DefaultRegexTopicNamingStrategy"),
            ["shop.inventory.all_orders"],
            [],
            "the tables",
        ),
        (
            connector("io.aiven.connect.jdbc.JdbcSinkConnector", "sink",
                      connection__url="jdbc:postgresql://db/mart", table__name__normalize="true"),
            ["shop.orders-v1"],
            ["postgres://db:5432/mart.shop_orders_v1"],
            None,
        ),
        (
            connector("io.aiven.connect.jdbc.JdbcSinkConnector", "sink",
                      connection__url="jdbc:postgresql://db/mart",
                      topics__to__tables__mapping="orders:sales.orders, unused:x",
                      **regex(r".*\.(.*)", "$1")),
            ["shop.orders", "shop.clicks"],
            ["postgres://db:5432/mart.sales.orders"],
            "the tables of topics without a map",
        ),
        (
            connector(S3, "sink", s3__bucket__name="lake", **regex(r".*\.(.*)", "$1")),
            ["shop.orders"],
            ["s3://lake/topics/orders"],
            None,
        ),
        (
            connector("io.confluent.connect.gcs.GcsSinkConnector", "sink",
                      gcs__bucket__name="lake", topics__dir="raw/"),
            ["orders"],
            ["gs://lake/raw/orders"],
            None,
        ),
        (
            connector("com.mongodb.kafka.connect.MongoSinkConnector", "sink", database="shop",
                      connection__uri="mongodb://ann:hunter2@m1:27017,m2:27017/?w=1"),
            ["orders"],
            ["mongodb://m1:27017,m2:27017/shop.orders"],
            None,
        ),
        (
            connector("com.mongodb.kafka.connect.MongoSinkConnector", "sink", database="shop",
                      connection__uri="mongodb://m1:27017", collection="rest",
                      topic__override__orders__collection="sales"),
            ["orders", "clicks"],
            ["mongodb://m1:27017/shop.sales", "mongodb://m1:27017/shop.rest"],
            None,
        ),
        (
            connector("com.mongodb.kafka.connect.MongoSinkConnector", "sink", database="shop",
                      connection__uri="mongodb://m1:27017",
                      namespace__mapper="com.mongodb.x.FieldPathNamespaceMapper"),
            ["orders"],
            [],
            "the collections that its mapper chooses",
        ),
        (
            connector("com.mongodb.kafka.connect.MongoSourceConnector", "source",
                      database="shop", connection__uri="mongodb://m1:27017"),
            [],
            [],
            "the collections",
        ),
        (
            connector("com.snowflake.kafka.connector.SnowflakeSinkConnector", "sink",
                      snowflake__url__name="https://org-acme.snowflakecomputing.com:443",
                      snowflake__database__name="RAW", snowflake__schema__name="KAFKA",
                      snowflake__topic2table__map="orders:ORDERS"),
            ["orders", "clicks"],
            ["snowflake://org-acme/RAW.KAFKA.ORDERS"],
            "the tables of topics without a map",
        ),
        (
            connector("com.snowflake.kafka.connector.SnowflakeSinkConnector", "sink",
                      snowflake__url__name="https://org-acme.snowflakecomputing.com:443",
                      snowflake__database__name="RAW", snowflake__schema__name="KAFKA",
                      snowflake__topic2table__map="orders:ORDERS,old_orders:OLD_ORDERS"),
            ["orders"],
            ["snowflake://org-acme/RAW.KAFKA.ORDERS"],
            None,
        ),
        # The account as it is in the namespaces of other producers.
        (
            connector("com.snowflake.kafka.connector.SnowflakeSinkConnector", "sink",
                      snowflake__url__name="xy12345.us-east-1.snowflakecomputing.com:443",
                      snowflake__database__name="RAW", snowflake__schema__name="KAFKA",
                      snowflake__topic2table__map="orders:ORDERS"),
            ["orders"],
            ["snowflake://xy12345.us-east-1.aws/RAW.KAFKA.ORDERS"],
            None,
        ),
        (
            connector("org.apache.kafka.connect.file.FileStreamSinkConnector", "sink",
                      file="/data/out.txt"),
            ["orders"],
            ["file:///data/out.txt"],
            None,
        ),
        (
            connector("org.apache.kafka.connect.file.FileStreamSourceConnector", "source",
                      file="in.txt"),
            [],
            [],
            "the directory of its file",
        ),
        (connector("com.example.Sink", "sink"), ["a"], [], "what com.example.Sink writes"),
    ],
)  # fmt: skip
def test_datasets_outside_of_kafka(
    given: Connector, topics: list[str], urls: list[str], unknown: str | None
):
    data = read_external_data(given, topics)
    assert data == ExternalData(tuple(urls), unknown)
    assert "hunter2" not in str(data)


ON_SHOP = {"connection__url": "jdbc:sqlserver://db;databaseName=shop"}


@pytest.mark.parametrize(
    "given",
    [
        connector(f"{JDBC}JdbcSourceConnector", "source", table__whitelist="old.dbo.orders",
                  **ON_SHOP),
        connector(f"{JDBC}JdbcSourceConnector", "source",
                  query="SELECT * FROM old.dbo.orders o", **ON_SHOP),
        connector(f"{JDBC}JdbcSinkConnector", "sink", table__name__format="old.dbo.${topic}",
                  **ON_SHOP),
    ],
)  # fmt: skip
def test_a_table_with_a_database_is_not_of_that_in_the_address(given: Connector) -> None:
    assert read_external_data(given, ["orders"]).urls == ("sqlserver://db/old.dbo.orders",)


@pytest.mark.parametrize(
    ("url", "patterns", "urls", "unknown"),
    [
        ("postgresql://db/shop", {"schema": "sales"}, ["shop.sales.orders", "shop.crm.people"],
         None),
        ("sqlserver://db;database=shop", {"schema": "sales", "catalog": "old"},
         ["old.sales.orders", "old.crm.people"], None),
        ("sqlserver://db;database=shop", {"catalog": "old"}, ["old.orders", "old.crm.people"],
         None),
        ("mariadb://db/shop", {}, ["shop.orders", "crm.people"], None),
        # Databases of MySQL are catalogs, and it has no schemas.
        ("mysql://db/shop", {"catalog": "old", "schema": "x"}, ["old.orders", "crm.people"], None),
        ("postgresql://db/shop", {"schema": "s%"}, ["shop.crm.people"], "the schema of each table"),
        ("postgresql://db/shop", {"schema": "s_"}, ["shop.crm.people"], "the schema of each table"),
        ("postgresql://db/shop", {"catalog": "%"}, [], "the database of each table"),
        ("mysql://db/shop", {"catalog": "old_eu"}, ["old_eu.orders", "crm.people"], None),
        ("postgresql://db/shop", {"schema": "", "catalog": ""}, ["shop.orders", "shop.crm.people"],
         None),
    ],
)  # fmt: skip
def test_patterns_of_schema_and_catalog_qualify_tables(
    url: str, patterns: dict[str, str], urls: list[str], unknown: str | None
) -> None:
    settings = {f"{key}__pattern": value for key, value in patterns.items()}
    given = connector(f"{JDBC}JdbcSourceConnector", "source", connection__url=f"jdbc:{url}",
                      table__whitelist="orders,crm.people", **settings)  # fmt: skip
    data = read_external_data(given, [])
    assert ([each.rpartition("/")[2] for each in data.urls], data.unknown) == (urls, unknown)


PROVIDED = "the datasets whose names a config provider has"
ON_STORE = {"connection__url": "jdbc:postgresql://db/store"}


@pytest.mark.parametrize(
    ("given", "urls", "unknown"),
    [
        (
            connector(f"{DEBEZIUM}mysql.MySqlConnector", "source", database__hostname="${env:H}",
                      topic__prefix="shop"),
            [],
            PROVIDED,
        ),
        # The list names the tables if the prefix of the topics is not known.
        (
            connector(f"{DEBEZIUM}mysql.MySqlConnector", "source", database__hostname="db",
                      topic__prefix="${env:P}", table__include__list="shop.orders"),
            ["mysql://db:3306/shop.orders"],
            None,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", table__whitelist="a",
                      connection__url="${file:/opt/x.properties:jdbc.url}"),
            [],
            PROVIDED,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", table__whitelist="a,${env:TABLE}",
                      **ON_STORE),
            ["postgres://db:5432/store.a"],
            PROVIDED,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", **ON_STORE,
                      query="SELECT * FROM orders JOIN ${env:TABLE} USING (id) WHERE k = ${env:K}"),
            ["postgres://db:5432/store.orders"],
            PROVIDED,
        ),
        # The names do not depend on user and password.
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", table__whitelist="a",
                      connection__url="jdbc:postgresql://db/store?password=${file:/opt/x:pw}"),
            ["postgres://db:5432/store.a"],
            None,
        ),
        (
            connector("com.mongodb.kafka.connect.MongoSinkConnector", "sink", database="shop",
                      connection__uri="mongodb://${file:/x:user}:${file:/x:pw}@m1:27017"),
            ["mongodb://m1:27017/shop.shop.inventory.orders"],
            None,
        ),
        (
            connector(f"{JDBC}JdbcSinkConnector", "sink", **ON_STORE,
                      table__name__format="${topic}_${env:SUFFIX}"),
            [],
            PROVIDED,
        ),
        (
            connector("io.aiven.connect.jdbc.JdbcSinkConnector", "sink", **ON_STORE,
                      table__name__normalize="${env:NORMALIZE}"),
            [],
            "whether it changes the names of tables",
        ),
        (connector(S3, "sink", s3__bucket__name="${secretManager:bucket}"), [], PROVIDED),
        (
            connector("com.snowflake.kafka.connector.SnowflakeSinkConnector", "sink",
                      snowflake__url__name="${vault:sf:url}",
                      snowflake__database__name="RAW", snowflake__schema__name="KAFKA",
                      snowflake__topic2table__map="shop.inventory.orders:ORDERS"),
            [],
            PROVIDED,
        ),
    ],
)  # fmt: skip
def test_values_of_config_providers_are_no_names(
    given: Connector, urls: list[str], unknown: str | None
) -> None:
    """The interface has the placeholder; only the worker has the value."""
    data = read_external_data(given, ["shop.inventory.orders"])
    assert data == ExternalData(tuple(urls), unknown)


def test_a_platform_is_a_graph_with_the_names_of_other_producers():
    source = Connector(
        "mysql-source",
        "source",
        {
            "connector.class": f"{DEBEZIUM}mysql.MySqlConnector",
            "database.hostname": "db",
            "database.password": "hunter2",
            "topic.prefix": "shop",
            "tasks.max": "1",
        },
        "RUNNING",
        ("shop", "shop.inventory.orders", "__debezium-heartbeat.shop"),
    )
    sink = Connector(
        "lake",
        "sink",
        {
            "connector.class": S3,
            "topics": "shop.inventory.orders,shop.inventory.new",
            "s3.bucket.name": "lake",
            "errors.deadletterqueue.topic.name": "lake-dlq",
        },
        "RUNNING",
        None,
    )
    strange = Connector(
        "strange", "sink", {"connector.class": "x.Y", "topics.regex": "a.*"}, "FAILED", ()
    )
    model = KafkaGraph("prod", cluster_id="kc", servers="broker:9092,b2:9092")
    model.add_connect_cluster(ConnectCluster("kc", (source, sink, strange), ("connector z: 400",)))
    fields = [{"name": "id", "type": "long"}]
    model.add_schemas([
        RegisteredSchema("shop.inventory.orders-value", 3, 7, "AVRO", "{}", fields),
        RegisteredSchema("Order", 1, 8, "PROTOBUF", "", None),
    ])  # fmt: skip
    graph = model.graph
    topic = "kafka:kafka_topic:prod:shop.inventory.orders"
    node = graph.get_node("kafka:connector:prod:mysql-source")
    assert node is not None
    assert node.attributes == {
        "connector_class": f"{DEBEZIUM}mysql.MySqlConnector",
        "direction": "source",
        "state": "RUNNING",
        "tasks_max": "1",
        # No data of tables: they are no outputs.
        "internal_topics": ["shop", "__debezium-heartbeat.shop"],
    }
    assert {each.edge_key for each in graph.edges} == {
        ("kafka:external_dataset:prod:mysql://db:3306/inventory.orders",
         "kafka:connector:prod:mysql-source", "produces"),
        ("kafka:connector:prod:mysql-source", topic, "produces"),
        (topic, "kafka:connector:prod:lake", "consumes"),
        ("kafka:kafka_topic:prod:shop.inventory.new", "kafka:connector:prod:lake", "consumes"),
        ("kafka:connector:prod:lake", "kafka:kafka_topic:prod:lake-dlq", "produces"),
        ("kafka:connector:prod:lake",
         "kafka:external_dataset:prod:s3://lake/topics/shop.inventory.orders", "produces"),
        ("kafka:connector:prod:lake",
         "kafka:external_dataset:prod:s3://lake/topics/shop.inventory.new", "produces"),
        (topic, "kafka:schema:prod:shop.inventory.orders-value", "has_schema"),
    }  # fmt: skip
    assert model.unknown == [
        "connector z: 400",
        "connector strange: the topics that its pattern selects",
        "connector strange: what x.Y writes",
        "subject Order: its columns",
    ]
    events = list(events_of_graph(graph))
    assert "hunter2" not in str(events)
    datasets = {(e["dataset"]["namespace"], e["dataset"]["name"]) for e in events if "dataset" in e}
    assert datasets >= {
        ("kafka://broker:9092", "shop.inventory.orders"),
        ("mysql://db:3306", "inventory.orders"),
        ("s3://lake", "topics/shop.inventory.orders"),
    }
    [columns] = [
        event["dataset"]["facets"]["schema"]["fields"]
        for event in events
        if event.get("dataset", {}).get("name") == "shop.inventory.orders"
        and event["dataset"]["namespace"].startswith("kafka://")
    ]
    assert columns == [{"name": "id", "type": "long"}]


@pytest.mark.parametrize(
    ("given", "topics", "unknown"),
    [
        # Without active topics, only one topic of the settings is certain.
        (connector("x.Y", "source", None, topic="t"), ["t"], 1),
        (connector("x.Y", "source", None, kafka__topic="k"), ["k"], 1),
        (connector("x.Y", "source", None, topic="t", transforms="a"), [], 2),
        # With a query, the prefix of a JDBC source is the topic, and otherwise it is not.
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", None, topic__prefix="t",
                      query="SELECT 1", connection__url="jdbc:postgresql://db/store"),
            ["t"],
            0,
        ),
        (
            connector(f"{JDBC}JdbcSourceConnector", "source", None, topic__prefix="t",
                      table__whitelist="a", connection__url="jdbc:postgresql://db/store"),
            [],
            1,
        ),
        (connector("x.Y", "source", None), [], 2),
        (connector("x.Y", "source", ("a", "b"), topic="t"), ["a", "b"], 1),
        (connector("x.Y", "sink", ("a",), topics="b"), ["a", "b"], 1),
        (connector("x.Y", "sink", ("a",), topics__regex="a.*"), ["a"], 1),
        (connector("x.Y", "unknown", ("a",)), [], 1),
        # Placeholders of config providers are no names.
        (connector("x.Y", "source", None, topic="${env:TOPIC}"), [], 2),
        (connector("x.Y", "sink", None, topics="a,${env:TOPIC}"), ["a"], 2),
        (
            connector("x.Y", "sink", None, topics="a",
                      errors__deadletterqueue__topic__name="${env:DLQ}"),
            ["a"],
            2,
        ),
    ],
)  # fmt: skip
def test_topics_of_a_connector(given: Connector, topics: list[str], unknown: int):
    model = KafkaGraph("prod")
    model.add_connect_cluster(ConnectCluster(None, (given,)))
    names = [node.qualified_name for node in model.graph.filter_by_type("kafka_topic")]
    assert sorted(names) == topics
    assert len(model.unknown) == unknown
