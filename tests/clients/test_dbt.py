"""dbt with PostgreSQL and DuckDB: the files that it writes, imported, beside openlineage-dbt.

``RECORD_DBT=1`` stores the files for the tests that run without dbt.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.services.dbt_project import RECORDED, DbtRun, record_target

if TYPE_CHECKING:
    from pathlib import Path

    from clients.conftest import Shop
    from support.fixtures.database import Server

TRANSPORT = "OPENLINEAGE__TRANSPORT__"


@dataclass(frozen=True)
class Built:
    """A project that was built twice, and the namespace of its tables."""

    adapter: str
    run: DbtRun
    namespace: str
    database: str

    def import_events(self) -> list[dict[str, Any]]:
        """Return the events of the import of the target directory."""
        words = ["import", "dbt", str(self.run.target), "--events"]
        done = CliRunner().invoke(
            main, [*words, "--profiles-dir", str(self.run.directory)], env=self.run.environment
        )
        assert done.exit_code == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def built(
    request: pytest.FixtureRequest,
    server: Server,
    shop: Shop,
    tmp_path_factory: pytest.TempPathFactory,
) -> Built:
    with psycopg.connect(server.dsn(shop.database), autocommit=True) as conn:
        # AGE, which the server loads, needs its schema when a table is truncated.
        conn.execute("CREATE EXTENSION IF NOT EXISTS age")
        conn.execute("GRANT USAGE ON SCHEMA ag_catalog TO PUBLIC")
        conn.execute("GRANT SELECT ON ALL TABLES IN SCHEMA ag_catalog TO PUBLIC")
    directory = tmp_path_factory.mktemp(request.param) / "store"
    warehouse = directory.parent / "store.duckdb"
    environment = {
        "STORE_TARGET": request.param,
        "STORE_HOST": shop.host,
        "STORE_PORT": shop.port,
        "STORE_USER": shop.user,
        "STORE_PASSWORD": shop.environment["SHOP_PASSWORD"],
        "STORE_DATABASE": shop.database,
        "STORE_PATH": str(warehouse),
    }
    run = DbtRun.prepare(directory, environment)
    run.call("build", fails=True)
    run.build()
    if request.param == "duckdb":
        replaced = {str(warehouse): "/warehouse/store.duckdb"}
        built = Built("duckdb", run, f"duckdb://{warehouse}", "store")
    else:
        replaced = {shop.user: "owner", shop.database: "warehouse"}
        built = Built("postgres", run, shop.namespace, shop.database)
    if os.environ.get("RECORD_DBT"):
        record_target(run, request.param, replaced)
    return built


def names_of(events: list[dict[str, Any]], key: str) -> set[tuple[str, str]]:
    """Return the names of all datasets below ``key``."""
    listed = [each for event in events for each in event.get(key, ())]
    return {(each["namespace"], each["name"]) for each in listed}


def test_names_are_those_of_openlineage_dbt(built: Built, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    environment = {
        **built.run.environment,
        f"{TRANSPORT}TYPE": "file",
        f"{TRANSPORT}LOG_FILE_PATH": str(log),
        f"{TRANSPORT}APPEND": "true",
    }
    run = DbtRun(built.run.directory, environment)
    kept = run.save("manifest.json", "run_results.json")
    run.call("run", program="dbt-ol", fails=True)
    theirs = [json.loads(line) for line in log.read_text().splitlines()]
    ours = built.import_events()
    for name, content in kept.items():
        (run.target / name).write_bytes(content)

    jobs = {(event["job"]["namespace"], event["job"]["name"]) for event in theirs}
    assert ("dbt", "dbt-run-store") in jobs
    assert ("dbt", f"{built.database}.main.store.customers.v2") in jobs
    assert jobs <= {(e["job"]["namespace"], e["job"]["name"]) for e in ours if "run" in e}

    outputs = names_of([e for e in theirs if e["eventType"] == "COMPLETE"], "outputs")
    assert (built.namespace, f"{built.database}.main.revenue") in outputs
    assert outputs == names_of([e for e in ours if e.get("eventType") == "COMPLETE"], "outputs")

    # It names a source by the name that dbt has for it, and not by that of its table.
    read = names_of(theirs, "inputs")
    wrong = {(built.namespace, f"{built.database}.raw.orders")}
    assert wrong <= read
    right = {(built.namespace, f"{built.database}.raw.orders_clean")}
    # It omits seeds, leaves ephemeral models as tables, and does not read the SQL.
    ephemeral = {(built.namespace, f"{built.database}.main.paid")}
    known = names_of(ours, "inputs")
    assert read - wrong - ephemeral <= known
    assert right <= known
    assert not (wrong | ephemeral) & known


def test_a_table_that_dbt_does_not_know_is_read(built: Built) -> None:
    bonus = (built.namespace, f"{built.database}.raw.bonus")
    assert bonus in names_of(built.import_events(), "inputs")


def test_no_password_is_in_an_event(built: Built) -> None:
    password = built.run.environment["STORE_PASSWORD"]
    assert password not in json.dumps(built.import_events())


def test_the_recorded_files_are_those_of_this_version(built: Built) -> None:
    """The results of all nodes are those that the recorded files have."""
    from support.services.dbt_project import DATA

    recorded = json.loads((DATA / built.adapter / "run_results.json").read_text())
    now = json.loads((built.run.target / "run_results.json").read_text())

    def statuses(results: dict[str, Any]) -> dict[str, str]:
        return {each["unique_id"]: each["status"] for each in results["results"]}

    assert statuses(recorded) == statuses(now)
    assert built.adapter in RECORDED
