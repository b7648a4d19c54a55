"""Events of every unmodified client: one graph, whose parts are joined by name.

A file is loaded by openlineage-python (http), staged by Airflow, and aggregated by dbt, which
Airflow calls. Spark exports the result with openlineage-spark, and joins it with our listener. It
is published by openlineage-python (async_http).
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from clients.conftest import Served, Shop, run
from lineage_cli import main
from support.services.client_packages import AIRFLOW, DBT, OPENLINEAGE_SPARK, POSTGRESQL, PYTHON

from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.spark import SparkSubmit

HERE = Path(__file__).parent
TELL = HERE / "jobs" / "tell.py"
INCOMING = ("file", "/incoming/orders.csv")
DASHBOARD = ("bi", "revenue")


@dataclass(frozen=True)
class Told:
    """The collector after the run of all clients, with the names of datasets."""

    served: Served
    shop: Shop
    lake: Path

    def names(self) -> set[tuple[str, str]]:
        """Return the names of all datasets."""
        tables = ("raw.orders", "staging.orders", "mart.daily", "mart.top")
        return {
            INCOMING,
            DASHBOARD,
            *((self.shop.namespace, self.shop.table(table)) for table in tables),
            *(("file", f"{self.lake}/{name}") for name in ("daily", "report")),
        }

    def full(self, table: str) -> str:
        return f"{self.shop.namespace}/{self.shop.table(table)}"


def transport(kind: str, served: Served, token: str, **more: Any) -> dict[str, Any]:
    auth = {"type": "api_key", "apiKey": token}
    return {"type": kind, "url": served.url, "auth": auth, **more}


def tell(kind: str, served: Served, directory: Path, job: str, *ends: tuple[str, str]) -> None:
    """Emit a run by the Python client, whose transport is configured by a file."""
    config = directory / f"{job}.yml"
    token = served.token(job, "python", *{namespace for namespace, _ in ends})
    config.write_text(json.dumps({"transport": transport(kind, served, token)}))
    words = [" ".join(end) for end in ends]
    environment = {"OPENLINEAGE_CONFIG": str(config)}
    run([PYTHON.bin() / "python", TELL, job, *words], environment, directory)


def orchestrate(served: Served, shop: Shop, directory: Path) -> None:
    """Run the DAG by Airflow: one SQL task, and one that calls dbt."""
    project = directory / "shop"
    shutil.copytree(HERE / "shop", project)
    dbt = DBT.bin()
    # The client reports the run of the command in the namespace of its parent.
    token = served.token("dbt", "dbt", "airflow", shop.namespace)
    (project / "openlineage.yml").write_text(
        json.dumps({"transport": transport("http", served, token, compression="gzip")})
    )
    build = f"cd {project} && PATH={dbt}:$PATH dbt-ol build --no-send-anonymous-usage-stats"
    environment = {
        **shop.environment,
        "AIRFLOW_HOME": str(directory / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(HERE / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__OPENLINEAGE__NAMESPACE": "airflow",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(
            transport("http", served, served.token("airflow", "airflow", shop.namespace))
        ),
        "SHOP_DBT": f"{build} --profiles-dir . --project-dir .",
        "OPENLINEAGE_NAMESPACE": "dbt",
    }
    airflow = AIRFLOW.bin() / "airflow"
    run([airflow, "db", "migrate"], environment, directory)
    said = run([airflow, "dags", "test", "shop"], environment, directory)
    assert "state=success" in said, said[-5000:]


def export(spark_submit: SparkSubmit, served: Served, shop: Shop, lake: Path) -> None:
    """Run Spark with openlineage-spark."""
    settings = {
        "spark.jars.packages": f"{OPENLINEAGE_SPARK},{POSTGRESQL}",
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": "theirs",
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": served.url,
        "spark.openlineage.transport.compression": "gzip",
        "spark.openlineage.transport.auth.type": "api_key",
        "spark.openlineage.transport.auth.apiKey": served.token(
            "theirs", "theirs", "file", shop.namespace
        ),
    }
    submit(spark_submit, "export.py", shop, lake, settings)


def report(spark_submit: SparkSubmit, served: Served, shop: Shop, lake: Path) -> None:
    """Run Spark with our listener."""
    settings = {
        "spark.jars.packages": POSTGRESQL,
        "spark.lineage.namespace": "ours",
        "spark.lineage.url": served.url,
    }
    submit(
        spark_submit,
        "report.py",
        shop,
        lake,
        settings,
        served.token("ours", "ours", "file", shop.namespace),
    )


def submit(
    spark: SparkSubmit, name: str, shop: Shop, lake: Path, settings: dict[str, str], token: str = ""
) -> None:
    path = str(HERE / "jobs" / name)
    job = spark.start(path, shop.jdbc, str(lake), conf=settings, env={"LINEAGE_TOKEN": token})
    assert job.finish(900) == 0, job.log[-5000:]


@pytest.fixture(scope="module")
def told(
    served: Served, shop: Shop, spark_submit: SparkSubmit, tmp_path_factory: pytest.TempPathFactory
) -> Told:
    directory = tmp_path_factory.mktemp("clients")
    lake = directory / "lake"
    raw = (shop.namespace, shop.table("raw.orders"))
    tell("http", served, directory, "load", INCOMING, raw)
    orchestrate(served, shop, directory)
    export(spark_submit, served, shop, lake)
    report(spark_submit, served, shop, lake)
    tell("async_http", served, directory, "publish", ("file", f"{lake}/report"), DASHBOARD)
    return Told(served, shop, lake)


@pytest.fixture
def graph(told: Told) -> Iterator[Graph]:
    with told.served.drawn() as conn:
        yield Graph.over(conn)


def test_nothing_is_rejected(told: Told) -> None:
    with told.served.drawn() as conn:
        refused = conn.execute("SELECT reason FROM lineage.rejected_event").fetchall()
        aside = conn.execute("SELECT reason FROM lineage.plan_document_queue").fetchall()
    assert (refused, aside) == ([], [])


def test_each_dataset_is_one_vertex(told: Told, graph: Graph) -> None:
    found = [(each.namespace, each.name) for each in graph.datasets()]
    assert sorted(found) == sorted(told.names())


def test_the_last_dataset_comes_from_the_first(told: Told, graph: Graph) -> None:
    trace = graph.upstream("bi/revenue")
    assert {(each.namespace, each.name) for each in trace.datasets} == told.names() - {DASHBOARD}
    namespaces = {edge.target.name: edge.job.namespace for edge in trace.edges}
    assert namespaces == {
        told.shop.table("raw.orders"): "python",
        told.shop.table("staging.orders"): "airflow",
        told.shop.table("mart.daily"): "dbt",
        told.shop.table("mart.top"): "dbt",
        f"{told.lake}/daily": "theirs",
        f"{told.lake}/report": "ours",
        "revenue": "python",
    }


def test_a_column_is_followed_through_four_of_them(told: Told, graph: Graph) -> None:
    trace = graph.column_lineage(f"file:{told.lake}/report", "revenue")
    made_of = {(column.dataset.name, column.name) for column in trace.columns}
    assert made_of >= {
        (f"{told.lake}/daily", "revenue"),
        (told.shop.table("mart.daily"), "revenue"),
        (told.shop.table("staging.orders"), "amount"),
        (told.shop.table("raw.orders"), "amount"),
    }


def test_a_model_of_dbt_belongs_to_the_run_of_the_dag(told: Told, graph: Graph) -> None:
    daily = told.full("mart.daily")
    [run_id] = {access.run.run_id for access in graph.dataset_runs(daily) if access.committed}
    above = []
    while parents := graph.run(run_id).parents:
        [run_id] = parents
        above += [job.full_name for job in graph.run(run_id).jobs]
    assert above == ["airflow/dbt-run-shop", "airflow/shop.build", "airflow/shop"]


def test_what_ended_is_at_its_end(told: Told) -> None:
    with told.served.drawn() as conn:
        rows = conn.execute(
            "SELECT DISTINCT j.namespace, r.state FROM lineage.run r"
            " JOIN lineage.execution e ON e.run = r.id JOIN lineage.job j ON j.id = e.job"
        ).fetchall()
    namespaces = ("python", "airflow", "dbt", "theirs", "ours")
    assert set(rows) == {(namespace, "COMPLETE") for namespace in namespaces}


def test_the_command_says_what_dbt_documents(told: Told) -> None:
    words = ["show", told.full("mart.daily"), "--format", "json", "--dsn", told.served.dsn]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.stderr
    facets = json.loads(done.stdout)["facets"]
    assert facets["documentation"]["description"] == "What each customer paid"
    passed = {(a["assertion"], a["success"]) for a in facets["dataQualityAssertions"]["assertions"]}
    assert passed == {("not_null", True), ("unique", True)}


def test_the_command_reports_it_all(told: Told) -> None:
    words = ["query", "bi/revenue", "--format", "json", "--dsn", told.served.dsn]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.stderr
    steps = {(step["source"], step["target"]) for step in json.loads(done.stdout)}
    assert steps == {
        ("file:/incoming/orders.csv", told.full("raw.orders")),
        (told.full("raw.orders"), told.full("staging.orders")),
        (told.full("staging.orders"), told.full("mart.daily")),
        (told.full("mart.daily"), told.full("mart.top")),
        (told.full("mart.daily"), f"file:{told.lake}/daily"),
        (told.full("mart.top"), f"file:{told.lake}/report"),
        (f"file:{told.lake}/daily", f"file:{told.lake}/report"),
        (f"file:{told.lake}/report", "bi/revenue"),
    }


def test_a_rebuild_restores_the_graph_from_the_log(told: Told) -> None:
    with told.served.drawn() as conn:
        before = graph_fingerprint(conn)
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == before
