"""``lineage import dbt``: recorded files of dbt with both adapters, in the graph."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event
from support.services.dbt_project import DATA, RECORDED

import lineage
from lineage.database.connection import connect
from lineage.ingest.writer import write_events
from lineage.orchestration import plan_jobs
from lineage.orchestration.configuration import Configuration, JobRule
from lineage.orchestration.tasks import list_tasks
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query.session import Session

if TYPE_CHECKING:
    from pathlib import Path

DATABASES = {"duckdb": "store", "postgres": "warehouse"}
# What the project says, table by table; see tests/data/dbt/project.
RAN = {
    ("main.stg_orders", "raw.orders_clean"),
    ("main.revenue", "main.stg_orders"),
    ("main.revenue", "raw.rates"),
    ("main.revenue", "main.regions"),
    ("main.daily", "main.stg_orders"),
    ("main.daily", "raw.rates"),
    ("main.daily", "main.daily"),
    ("main.customers_v1", "main.stg_orders"),
    ("main.customers_v2", "main.stg_orders"),
    ("main.reached_by_name", "raw.bonus"),
    ("history.orders_history", "raw.orders_clean"),
}
ONLY_DECLARED = {("main.broken", "main.revenue"), ("main.after_broken", "main.broken")}


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    monkeypatch.delenv("OPENLINEAGE_NAMESPACE", raising=False)


@dataclass(frozen=True)
class Store:
    """The recorded files of one adapter."""

    adapter: str

    @property
    def namespace(self) -> str:
        return RECORDED[self.adapter]

    def name(self, table: str) -> str:
        return f"{DATABASES[self.adapter]}.{table}"

    def full_name(self, table: str) -> str:
        separator = "" if self.name(table).startswith("/") else "/"
        return f"{self.namespace}{separator}{self.name(table)}"

    def table_of(self, name: str) -> str:
        return name.removeprefix(f"{DATABASES[self.adapter]}.")


@pytest.fixture(params=sorted(RECORDED))
def store(request: pytest.FixtureRequest) -> Store:
    return Store(request.param)


def import_dbt(*words: object) -> Result:
    return CliRunner().invoke(main, ["import", "dbt", *map(str, words)])


def import_store(store: Store, *words: str) -> Result:
    result = import_dbt(DATA / store.adapter, "--namespace", store.namespace, *words)
    assert result.exit_code == 0, result.stderr
    return result


def pairs_upstream(store: Store, table: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return the pairs of target and source that ran, and those that are only declared."""
    with lineage.connect() as graph:
        trace = graph.upstream(store.full_name(table))
    pairs = {
        (store.table_of(edge.target.name), store.table_of(edge.source.name), edge.is_observed)
        for edge in trace.edges
    }
    return (
        {(target, source) for target, source, observed in pairs if observed},
        {(target, source) for target, source, observed in pairs if not observed},
    )


def test_what_ran_and_what_is_only_declared(store: Store):
    import_store(store)
    ran, declared = set(), set()
    for table in sorted({target for target, _ in RAN | ONLY_DECLARED}):
        some_ran, some_declared = pairs_upstream(store, table)
        ran |= some_ran
        declared |= some_declared
    assert ran == RAN
    assert declared == ONLY_DECLARED


def test_an_import_is_done_once(store: Store, dsn: str):
    first = import_store(store).stderr
    with psycopg.connect(dsn, autocommit=True) as conn:
        before = graph_fingerprint(conn)
    again = import_store(store).stderr
    count = first.split()[0]
    assert again.startswith(f"{count} events, {count} of them already stored")
    with psycopg.connect(dsn, autocommit=True) as conn:
        assert graph_fingerprint(conn) == before
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == before


def test_columns_pass_ephemeral_models_and_stars(store: Store):
    import_store(store)
    with lineage.connect() as graph:
        trace = graph.column_lineage(store.full_name("main.revenue"), "revenue")
    columns = {(store.table_of(each.dataset.name), each.name) for each in trace.columns}
    direct = {("main.stg_orders", "amount"), ("raw.orders_clean", "amount"), ("raw.rates", "rate")}
    assert columns >= direct
    assert ("main.regions", "region") not in {
        (store.table_of(edge.source.dataset.name), edge.source.name)
        for edge in trace.edges
        if edge.type == "DIRECT"
    }


def test_facets_are_those_of_the_project_and_of_the_database(store: Store):
    import_store(store)
    with lineage.connect() as graph:
        revenue = graph.dataset(store.full_name("main.revenue"))
        orders = graph.dataset(store.full_name("raw.orders_clean"))
        view = graph.dataset(store.full_name("main.stg_orders"))
    documentation = revenue.facets["documentation"]["description"]
    assert documentation == "Revenue of each customer, in EUR"
    owners = [owner["name"] for owner in revenue.facets["ownership"]["owners"]]
    assert owners == ["finance", "warehouse-team"]
    fields = {each["name"]: each for each in revenue.facets["schema"]["fields"]}
    assert list(fields) == ["customer", "region", "revenue"]
    assert fields["customer"]["type"].lower() == "integer"
    assert fields["customer"]["description"] == "Number of the customer"
    assert {tag["key"] for tag in revenue.facets["tags"]["tags"]} == {"mart"}
    assert orders.facets["documentation"]["description"] == "Orders without duplicates"
    assert orders.facets["ownership"]["owners"][0]["name"] == "loaders"
    assert view.facets["datasetType"]["datasetType"] == "VIEW"
    assert revenue.facets["datasetType"]["datasetType"] == "TABLE"


def test_tests_are_facts_of_the_dataset_that_they_are_about(store: Store):
    import_store(store)
    with lineage.connect() as graph:
        checks = {
            check.name: check for check in graph.quality(store.full_name("main.revenue")).checks
        }
        assert checks["not_null_revenue_customer"].success is True
        assert checks["not_null_revenue_customer"].column == "customer"
        assert checks["revenue_is_positive"].success is True
        rounded = checks["revenue_is_a_round_number"]
        assert (rounded.success, rounded.severity, rounded.actual) == (False, "warn", "2")
        # The relationships test reads regions, but is about stg_orders.
        of_regions = graph.dataset(store.full_name("main.regions")).facets
        assert "dataQualityAssertions" not in of_regions


def test_runs_have_the_state_and_the_times_of_dbt(store: Store):
    import_store(store)
    results = json.loads((DATA / store.adapter / "run_results.json").read_text())
    by_id = {each["unique_id"]: each for each in results["results"]}
    namespace = f"dbt/{DATABASES[store.adapter]}.main.store"
    with lineage.connect() as graph:
        [broken] = graph.job_runs(f"{namespace}.broken")
        [daily] = graph.job_runs(f"{namespace}.daily")
        assert not list(graph.job_runs(f"{namespace}.after_broken"))
        [invocation] = graph.job_runs("dbt/dbt-run-store")
        error = graph.run(broken.run_id).facets["errorMessage"]["message"]
    assert (broken.state, daily.state) == ("FAIL", "COMPLETE")
    assert invocation.state == "FAIL"
    assert invocation.run_id == results["metadata"]["invocation_id"]
    execute = next(t for t in by_id["model.store.daily"]["timing"] if t["name"] == "execute")
    assert daily.started_at == execute["started_at"]
    assert daily.ended_at == execute["completed_at"]
    assert "Error in model broken" in error


@pytest.mark.parametrize(
    ("successful", "failed", "status", "has_fed"),
    [(3, 1, "partial success", True), (0, 4, "error", False), (4, 0, "success", True)],
)
def test_the_batches_that_were_written_have_fed_the_table(
    store: Store, tmp_path: Path, successful: int, failed: int, status: str, has_fed: bool
):
    target = tmp_path / "target"
    shutil.copytree(DATA / store.adapter, target)
    results = json.loads((target / "run_results.json").read_text())
    [daily] = [each for each in results["results"] if each["unique_id"] == "model.store.daily"]
    days = [[f"2026-11-{day}T00:00:00+00:00", f"2026-11-{day + 1}T00:00:00+00:00"]
            for day in range(20, 24)]  # fmt: skip
    daily["status"] = status
    daily["message"] = f"{status.upper()} ({successful}/4)"
    daily["batch_results"] = {"successful": days[:successful], "failed": days[4 - failed :]}
    (target / "run_results.json").write_text(json.dumps(results))
    assert import_dbt(target, "--namespace", store.namespace).exit_code == 0
    ran, declared = pairs_upstream(store, "main.daily")
    edge = ("main.daily", "main.stg_orders")
    assert (edge in ran, edge in declared) == (has_fed, not has_fed)
    with lineage.connect() as graph:
        [run] = graph.job_runs(f"dbt/{DATABASES[store.adapter]}.main.store.daily")
        [invocation] = graph.job_runs("dbt/dbt-run-store")
        facets = graph.run(run.run_id).facets
    assert (run.state, invocation.state) == ("FAIL" if failed else "COMPLETE", "FAIL")
    if failed:
        assert facets["errorMessage"]["message"] == daily["message"]


def test_a_source_is_the_table_that_a_task_writes(store: Store, dsn: str):
    task = json.loads(run_event("task", "COMPLETE", 1, "load_orders", reads=("a.csv",)))
    task["outputs"] = [{"namespace": store.namespace, "name": store.name("raw.orders_clean")}]
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [json.dumps(task)])
    import_store(store)
    with lineage.connect() as graph:
        names = {each.name for each in graph.upstream(store.full_name("main.revenue")).datasets}
    assert "a.csv" in names


def test_an_exposure_is_a_job_that_reads(store: Store):
    import_store(store)
    with lineage.connect() as graph:
        exposure = graph.job("dbt/exposure.store.weekly_report")
        trace = graph.job_lineage("dbt/exposure.store.weekly_report")
    assert exposure.facets["jobType"]["jobType"] == "EXPOSURE"
    assert exposure.facets["ownership"]["owners"][0]["name"] == "Finance"
    assert trace.root.name == "exposure.store.weekly_report"


@pytest.mark.parametrize("text", ["none", "shape", "full"])
def test_the_text_of_models_is_stored_by_option(store: Store, text: str):
    events = [
        json.loads(line)
        for line in import_store(store, "--events", "--text", text).stdout.splitlines()
    ]
    queries = {
        event["job"]["name"]: event["job"]["facets"].get("sql", {}).get("query")
        for event in events
        if "job" in event
    }
    query = queries[store.name("main.store.stg_orders")]
    if text == "none":
        assert query is None
    else:
        assert ("amount > 0" in query) == (text == "full")
        assert ("k-1234567" in query) == (text == "full")


def test_results_of_another_run_are_rejected(tmp_path: Path):
    target = tmp_path / "target"
    shutil.copytree(DATA / "duckdb", target)
    results = json.loads((target / "run_results.json").read_text())
    results["metadata"]["invocation_id"] = "00000000-0000-0000-0000-000000000001"
    (target / "run_results.json").write_text(json.dumps(results))
    result = import_dbt(target, "--namespace", "duckdb://x")
    assert result.exit_code == 2
    assert "are of two runs of dbt" in result.stderr
    assert "00000000-0000-0000-0000-000000000001" in result.stderr


def test_results_of_a_command_without_runs_give_declared_lineage(tmp_path: Path):
    target = tmp_path / "target"
    shutil.copytree(DATA / "duckdb", target)
    results = json.loads((target / "run_results.json").read_text())
    results["args"]["which"] = "generate"
    (target / "run_results.json").write_text(json.dumps(results))
    result = import_dbt(target, "--namespace", RECORDED["duckdb"])
    assert result.exit_code == 0
    assert "is of dbt docs generate, which runs no model" in result.stderr
    ran, declared = pairs_upstream(Store("duckdb"), "main.revenue")
    assert not ran
    assert ("main.revenue", "main.stg_orders") in declared


def test_a_missing_namespace_is_reported():
    result = import_dbt(DATA / "duckdb")
    assert result.exit_code == 2
    assert "do not have the address of the database" in result.stderr
    assert "--profiles-dir" in result.stderr


def test_a_server_must_be_named(dsn: str):
    """Neither the manifest nor the results have the address of the database."""
    result = CliRunner().invoke(main, ["import", "dbt", str(DATA / "duckdb"), "--dsn", dsn])
    assert result.exit_code == 2
    assert "The files of dbt do not have the address of the database." in result.stderr
    assert (
        "Specify --namespace, for example postgres://HOST:5432, or --profiles-dir." in result.stderr
    )


def test_a_dag_runs_each_test_after_all_tables_that_it_reads(store: Store, dsn: str):
    """Also a test of relationships, which dbt selects by either of its models."""
    import_store(store)
    jobs = (
        JobRule("*.test", ("test", "{tests}")),
        JobRule("*test.*", ("test", "{tests}")),
        JobRule("*", ("build", "{model}")),
    )
    with connect(dsn) as conn:
        plan = plan_jobs(Session.over(conn))
    built: dict[str, set[str]] = {}  # by task, the nodes that are built before it and by it
    tests: dict[str, list[tuple[set[str], str]]] = {}
    for task in list_tasks(plan, Configuration(jobs=jobs)):
        kind, *names = " ".join(shlex.split(task.command)).split(" ")
        before = {name for each in task.after for name in built[each]}
        built[task.id] = before | ({names[0].partition(".")[0]} if kind == "build" else set())
        for name in names if kind == "test" else ():
            tests.setdefault(name, []).append((before, task.id))
    manifest = json.loads((DATA / store.adapter / "manifest.json").read_text())
    parents = {
        node["name"]: {each.split(".")[2] for each in node["depends_on"]["nodes"]}
        for node in manifest["nodes"].values()
        # No job writes the source, so its test has no place in the order.
        if node["resource_type"] == "test" and node["name"] != "source_not_null_raw_orders_id"
    }
    assert tests.keys() == parents.keys()
    for name, tasks in tests.items():
        for before, task in tasks:
            assert parents[name] - {"paid"} <= before, task  # paid is ephemeral
