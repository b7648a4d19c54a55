"""Names of datasets and jobs: the tables of the specification, and properties of every name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage import naming


@pytest.mark.parametrize(
    ("path", "namespace", "name"),
    [
        ("file:/a/b", "file", "/a/b"),
        ("file:///a/b/", "file", "/a/b"),
        ("/a//b", "file", "/a/b"),
        ("file:/", "file", "/"),
        ("file:/a/./b/../c/.", "file", "/a/c"),
        ("/a/b/../../../c/..d/e..", "file", "/c/..d/e.."),
        ("../a/../../b", "file", "../../b"),
        ("/a/..", "file", "/"),
        ("s3a://bucket/a/../b", "s3://bucket", "b"),
        ("https://host/a/../b?c=/../d", "https://host", "/b"),
        ("file:/a b/100%", "file", "/a b/100%"),
        ("s3a://bucket/a/b", "s3://bucket", "a/b"),
        ("s3n://bucket/a", "s3://bucket", "a"),
        ("s3://bucket", "s3://bucket", "/"),
        ("gs://bucket/a/", "gs://bucket", "a"),
        ("abfs://c@acc.dfs.core.windows.net/a", "abfss://c@acc.dfs.core.windows.net", "a"),
        ("wasbs://c@acc.blob.core.windows.net/a", "wasbs://c@acc.blob.core.windows.net", "a"),
        ("hdfs://nn:8020/a/b", "hdfs://nn:8020", "/a/b"),
        ("hdfs://nn:8020", "hdfs://nn:8020", "/"),
        ("dbfs:/a/b", "dbfs", "/a/b"),
        ("viewfs://cluster/a", "viewfs://cluster", "/a"),
        ("s3a://KEY:SECRET@bucket/a", "s3://bucket", "a"),
        ("ftp://me:pw@host/a", "ftp://host", "/a"),
        ("https://host/a.csv?sig=abc", "https://host", "/a.csv"),
    ],
)
def test_a_path_is_named_by_its_store(path: str, namespace: str, name: str) -> None:
    assert naming.of_path(path) == (namespace, name)


def test_a_location_is_percent_encoded_and_a_path_is_not() -> None:
    assert naming.of_uri("file:/a%20b") == ("file", "/a b")
    assert naming.of_path("file:/a%20b") == ("file", "/a%20b")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a", ("hdfs://nn:8020", "/a")),
        ("hdfs:/a", ("hdfs://nn:8020", "/a")),
        ("file:/a", ("file", "/a")),
    ],
)
def test_the_default_file_system_completes_a_path(path: str, expected: tuple[str, str]) -> None:
    assert naming.of_path(path, "hdfs://nn:8020") == expected


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("/d/day=2024-01-01", "/d"),
        ("/d/year=2024/month=01", "/d"),
        ("/d/2024-01-31", "/d"),
        ("/d/20240131", "/d"),
        ("/d/31.01.2024", "/d"),
        ("/d/2024-01-31T10:00:00Z", "/d"),
        ("/d/202401", "/d"),
        ("/d/2024-01", "/d"),
        ("/d/2024/01", "/d"),
        ("/d/2024/01/31", "/d"),
        ("/d/day=1/part-00000-6f2c.c000.snappy.parquet", "/d"),
        ("d/day=1", "d"),
        ("/d/flights.csv", "/d/flights.csv"),
        ("/d/v2.1", "/d/v2.1"),
        ("/d/20241399", "/d/20241399"),
        ("/d/parts", "/d/parts"),
        ("/d/part-time", "/d/part-time"),
        ("/day=1", "/day=1"),
        ("/2024/01", "/2024/01"),
        ("/m/pipe/stages/0_VectorAssembler_2181107c16e4/metadata", "/m/pipe"),
        ("/m/pipe/stages/1_LinearRegression_9998fc19fb79", "/m/pipe"),
        (
            "m/day=1/pipe/stages/0_CV_9998fc19fb79/bestModel/stages/1_LR_9998fc19fb7a/data",
            "m/day=1/pipe",
        ),
        ("/m/stages/1_load", "/m/stages/1_load"),
        ("/m/stages/LinearRegression_9998fc19fb79", "/m/stages/LinearRegression_9998fc19fb79"),
        ("/stages/1_LR_9998fc19fb7a", "/stages/1_LR_9998fc19fb7a"),
    ],
)
def test_parts_of_a_dataset_are_trimmed(name: str, whole: str) -> None:
    assert naming.without_partitions(name) == whole


@pytest.mark.parametrize(
    ("url", "table", "expected"),
    [
        ("jdbc:postgresql://h/db", "s.t", ("postgres://h:5432", "db.s.t")),
        ("jdbc:postgresql://u:p@h:6543/db?ssl=on", "t", ("postgres://h:6543", "db.t")),
        ("jdbc:postgresql://h1,h2:6000/db", '"s"."t"', ("postgres://h1:5432,h2:6000", "db.s.t")),
        ("jdbc:mysql://H/db", "t", ("mysql://h:3306", "db.t")),
        ("jdbc:mysql://h/db", "other.t", ("mysql://h:3306", "other.t")),
        ("jdbc:mysql:replication://h/db", "t", ("mysql://h:3306", "db.t")),
        (
            "jdbc:sqlserver://h\\inst:1433;databaseName=Db;user=me;password=pw",
            "dbo.t",
            ("sqlserver://h:1433/inst", "Db.dbo.t"),
        ),
        ("jdbc:oracle:thin:me/pw@//h:1522/svc", "s.t", ("oracle://h:1522", "svc.s.t")),
        ("jdbc:oracle:thin:@h:1521:sid", "t", ("oracle://h:1521", "sid.t")),
        (
            "jdbc:oracle:thin:@(X=(ADDRESS=(HOST=h)(PORT=1523))(DATA=(SERVICE_NAME=svc)))",
            "t",
            ("oracle://h:1523", "svc.t"),
        ),
        ("jdbc:redshift://c.eu:5439/db", "s.t", ("redshift://c.eu:5439", "db.s.t")),
        ("jdbc:sqlite:/data/x.db", "t", ("sqlite:/data/x.db", "t")),
    ],
)
def test_a_jdbc_table_is_named_by_its_url(url: str, table: str, expected: tuple[str, str]) -> None:
    assert naming.of_jdbc(url, table) == expected


def test_a_warehouse_and_a_metastore_are_namespaces_of_tables() -> None:
    assert naming.warehouse_namespace("file:/wh") == "file:/wh"
    assert naming.warehouse_namespace("s3a://bucket/wh/") == "s3://bucket/wh"
    assert naming.hive_namespace("thrift://a:9083,thrift://b:9083") == "hive://a:9083"
    assert naming.hive_namespace("") is None


@pytest.mark.parametrize(
    ("text", "snake"),
    [
        ("InsertIntoHadoopFsRelationCommand", "insert_into_hadoop_fs_relation_command"),
        ("SaveAsV1TableCommand", "save_as_v1_table_command"),
        ("My ETL-job (v2)", "my_etl_job_v2"),
        ("Zähler", "zahler"),
    ],
)
def test_snake_case(text: str, snake: str) -> None:
    assert naming.snake_case(text) == snake


def test_a_job_is_named_by_application_command_and_target() -> None:
    name = naming.job_name("Nightly Load", "AppendData", "/lake/gold/delays")
    assert name == "nightly_load.append_data.gold_delays"
    assert naming.job_name("x", "AppendData", "mart.t") == "x.append_data.mart_t"


def test_a_name_without_any_letter_still_names_an_application() -> None:
    assert naming.application_name("***") == "unknown"


SEGMENT = st.text("abcdefXYZ0123456789=-._ %ä", min_size=1, max_size=12).filter(
    lambda text: text.strip("./") != ""
)
PATHS = st.builds(
    lambda scheme, parts: f"{scheme}/{'/'.join(parts)}",
    st.sampled_from(["file:", "s3a://b", "hdfs://nn:8020", "gs://b", "abfs://c@a.net", ""]),
    st.lists(SEGMENT, min_size=1, max_size=5),
)


@given(PATHS)
def test_naming_a_name_again_changes_nothing(path: str) -> None:
    namespace, name = naming.of_path(path)
    back = f"{namespace}:{name}" if "://" not in namespace else f"{namespace}/{name.lstrip('/')}"
    assert naming.of_path(back) == (namespace, name)


@given(PATHS)
def test_trimming_is_done_once_and_leaves_a_name(path: str) -> None:
    name = naming.of_path(path).name
    trimmed = naming.without_partitions(name)
    assert naming.without_partitions(trimmed) == trimmed
    assert trimmed.strip("/")
    assert name.startswith(trimmed)


SECRET = "hunter2hunter2"
URLS = st.sampled_from(
    [
        f"jdbc:postgresql://me:{SECRET}@h/db",
        f"jdbc:postgresql://h/db?user=me&password={SECRET}",
        f"jdbc:postgresql://me:{SECRET}@h1,me:{SECRET}@h2/db",
        f"jdbc:mysql://h/db?useSSL=false&password={SECRET}",
        f"jdbc:sqlserver://h;user=me;password={SECRET};databaseName=d",
        f"jdbc:oracle:thin:me/{SECRET}@//h/svc",
        f"jdbc:oracle:thin:me/{SECRET}@h:1521:sid",
        f"jdbc:snowflake://a.net/?db=d&token={SECRET}",
        f"jdbc:sqlite:/x.db?password={SECRET}",
        f"jdbc:h2:mem:x;USER=me;PASSWORD={SECRET}",
        f"jdbc:derby:/x;create=true;password={SECRET}",
        f"jdbc:odd:me:{SECRET}@h",
    ]
)


@given(URLS, st.sampled_from(["t", "s.t", "c.s.t"]))
def test_no_secret_gets_into_the_name_of_a_table(url: str, table: str) -> None:
    assert SECRET not in str(naming.of_jdbc(url, table))


@given(st.sampled_from(["s3a", "wasbs", "ftp", "hdfs", "abfss"]), st.sampled_from(["", "/a"]))
def test_no_secret_gets_into_the_name_of_a_path(scheme: str, path: str) -> None:
    assert SECRET not in str(naming.of_path(f"{scheme}://me:{SECRET}@host{path}"))


@pytest.mark.parametrize(
    "text",
    [
        f"url 'jdbc:postgresql://me:{SECRET}@h/db'",
        f"OPTIONS (password={SECRET})",
        f"https://h/x?access_key={SECRET}&b=1",
        f"api_key={SECRET}",
    ],
)
def test_text_is_redacted(text: str) -> None:
    assert SECRET not in naming.redact_url(text)


def test_text_without_secrets_stays_as_it_is() -> None:
    text = "SELECT a FROM t WHERE mail = 'x@y.org' AND n=1 -- file:/d/day=1"
    assert naming.redact_url(text) == text
