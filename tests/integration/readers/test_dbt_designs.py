"""``lineage import dbt`` of one manifest after another: what is removed, and what is left out."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import job_event, run_event

import lineage
from lineage.ingest.writer import write_events
from lineage.orchestration import plan_jobs
from lineage.orchestration.configuration import Configuration, JobRule
from lineage.orchestration.tasks import list_tasks
from lineage.query.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SERVER = "postgres://db:5432"


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    monkeypatch.delenv("OPENLINEAGE_NAMESPACE", raising=False)


def model(name: str, *parents: str, schema: str = "prod", **fields: Any) -> dict[str, Any]:
    """Return a model whose compiled SQL, if it has no other, reads its parents."""
    tables = [f'"db"."{schema}"."{parent}"' for parent in parents]
    sql = f"select id from {' join '.join(tables)} using (id)" if tables else "select 1 as id"
    return {
        "unique_id": f"model.shop.{name}", "resource_type": "model", "name": name,
        "package_name": "shop", "database": "db", "schema": schema, "alias": name,
        "original_file_path": f"models/{name}.sql", "config": {"materialized": "table"},
        "depends_on": {"nodes": [f"model.shop.{parent}" for parent in parents]},
        "checksum": {"name": "sha256", "checksum": f"code of {name}"}, "compiled_code": sql,
        **fields,
    }  # fmt: skip


def import_manifest(
    place: Path, day: int, models: Sequence[dict[str, Any]], project: str = "shop", *words: str
) -> str:
    """Import the manifest of a day, and return the message."""
    place /= f"{day}-{project}"
    place.mkdir(parents=True, exist_ok=True)
    exposures = [each for each in models if each["resource_type"] == "exposure"]
    manifest = {
        "metadata": {
            "dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json",
            "generated_at": f"2026-01-{day:02}T00:00:00.5Z", "invocation_id": f"{day}",
            "project_name": project, "adapter_type": "postgres",
        },
        "nodes": {each["unique_id"]: each for each in models if each not in exposures},
        "exposures": {each["unique_id"]: each for each in exposures},
    }  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(manifest))
    result = CliRunner().invoke(main, ["import", "dbt", str(place), "--namespace", SERVER, *words])
    assert result.exit_code == 0, result.stderr
    return result.stderr


def declared(dsn: str) -> set[str]:
    """Return the pairs that designs declare, as ``target < source``."""
    with psycopg.connect(dsn) as conn:
        return {
            f"{target.removeprefix('db.')} < {source.removeprefix('db.')}"
            for target, source in conn.execute(
                "SELECT t.name, s.name FROM lineage.declared d"
                " JOIN lineage.dataset s ON s.id = d.source"
                " JOIN lineage.dataset t ON t.id = d.target"
            ).fetchall()
        }


OLD = [model("stg"), model("orders", "stg"), model("report", "orders")]
# The report was removed, and another one was written.
NEW = [model("stg"), model("orders", "stg"), model("board", "orders")]


@pytest.mark.parametrize("days", [*permutations((1, 2, 3))], ids=str)
def test_a_removed_model_is_no_longer_declared(dsn: str, tmp_path: Path, days: list[int]) -> None:
    """Whatever is imported first, the newest manifest decides."""
    for day in days:
        import_manifest(tmp_path, day, {1: OLD, 2: NEW, 3: NEW}[day])
    assert declared(dsn) == {"prod.orders < prod.stg", "prod.board < prod.orders"}
    with psycopg.connect(dsn) as conn:
        jobs = {each.job.name for each in plan_jobs(Session.over(conn)).jobs}
    assert jobs == {"db.prod.shop.stg", "db.prod.shop.orders", "db.prod.shop.board"}


def exposure(name: str, *parents: str, schema: str = "prod") -> dict[str, Any]:
    return model(name, *parents, schema=schema) | {
        "unique_id": f"exposure.shop.{name}",
        "resource_type": "exposure",
        "type": "dashboard",
    }


@pytest.mark.parametrize("days", [*permutations((1, 2, 3))], ids=str)
def test_a_removed_exposure_or_source_of_models_is_no_longer_declared(
    dsn: str, tmp_path: Path, days: list[int]
) -> None:
    old = [*OLD, model("codes"), exposure("weekly", "orders"), exposure("daily", "orders")]
    new = [*OLD, exposure("daily")]
    for day in days:
        import_manifest(tmp_path, day, {1: old, 2: new, 3: new}[day])
    with lineage.connect(dsn) as graph:
        assert {each.job.name for each in graph.impact("db.prod.orders").jobs} == {
            "db.prod.shop.report"
        }
        assert {each.job.name for each in plan_jobs(graph.session).jobs} == {
            f"db.prod.shop.{name}" for name in ("stg", "orders", "report")
        }


@pytest.mark.parametrize("days", [*permutations((1, 2, 3))], ids=str)
def test_a_model_that_came_back_is_declared(dsn: str, tmp_path: Path, days: list[int]) -> None:
    for day in days:
        import_manifest(tmp_path, day, {1: OLD, 2: NEW, 3: OLD}[day])
    assert declared(dsn) == {"prod.orders < prod.stg", "prod.report < prod.orders"}


def test_the_same_manifests_are_stored_once(dsn: str, tmp_path: Path) -> None:
    import_manifest(tmp_path, 1, OLD)
    import_manifest(tmp_path, 2, NEW)
    for day, models in ((2, NEW), (1, OLD)):
        count, *_ = message = import_manifest(tmp_path, day, models).split()
        assert message[2] == count, message
    assert declared(dsn) == {"prod.orders < prod.stg", "prod.board < prod.orders"}


def test_other_manifests_remove_nothing(dsn: str, tmp_path: Path) -> None:
    """Of another target, project, namespace of jobs, or server. All targets share a snapshot."""
    shared = model("history", resource_type="snapshot", schema="history")
    import_manifest(tmp_path, 1, [*OLD, shared])
    before = declared(dsn)
    dev = [
        model("stg", schema="dev"), model("orders", "stg", schema="dev"),
        model("board", "orders", schema="dev"), shared,
    ]  # fmt: skip
    import_manifest(tmp_path, 2, dev)
    import_manifest(tmp_path, 3, NEW, "other")
    import_manifest(tmp_path, 4, NEW, "shop", "--job-namespace", "elsewhere")
    import_manifest(tmp_path, 5, NEW, "shop", "--namespace", "postgres://standby:5432")
    assert before == {"prod.orders < prod.stg", "prod.report < prod.orders"}
    assert declared(dsn) >= before


def test_a_design_of_another_producer_remains(dsn: str, tmp_path: Path) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        event = json.loads(job_event(1, "db.prod.shop.made_by_hand", ("a",), ("b",)))
        event["job"]["namespace"] = "dbt"
        write_events(conn, [json.dumps(event)])
    import_manifest(tmp_path, 2, OLD)
    assert "b < a" in declared(dsn)


def columns_of(table: str) -> set[str]:
    with lineage.connect() as graph:
        trace = graph.column_lineage(f"{SERVER}/db.prod.{table}", "id")
    return {f"{each.dataset.name}.{each.name}" for each in trace.columns}


READS_MORE = {"compiled_code": "select s.id from db.prod.stg s join db.raw.hard h on h.id = s.id"}


def test_a_command_for_other_models_leaves_inputs_and_columns(dsn: str, tmp_path: Path) -> None:
    """dbt run --select stg writes a manifest in which orders has no compiled SQL."""
    import_manifest(tmp_path, 1, [model("stg"), model("orders", "stg", **READS_MORE)])
    before = declared(dsn), columns_of("orders")
    assert before[0] == {"prod.orders < prod.stg", "prod.orders < raw.hard"}
    assert len(before[1]) > 1
    partial = [model("stg"), model("orders", "stg", compiled_code=None, description="all orders")]
    for _ in range(2):
        import_manifest(tmp_path, 2, partial)
        assert (declared(dsn), columns_of("orders")) == before
    again = import_manifest(tmp_path, 2, partial).split()
    assert again[2] == again[0], again
    with lineage.connect() as graph:
        facets = graph.dataset(f"{SERVER}/db.prod.orders").facets
    assert facets["documentation"]["description"] == "all orders"


def test_a_changed_model_without_compiled_code_has_the_declared_inputs(
    dsn: str, tmp_path: Path
) -> None:
    import_manifest(tmp_path, 1, [model("stg"), model("orders", "stg", **READS_MORE)])
    changed = {"checksum": {"name": "sha256", "checksum": "new code"}, "compiled_code": None}
    import_manifest(tmp_path, 2, [model("stg"), model("orders", "stg", **changed)])
    assert declared(dsn) == {"prod.orders < prod.stg"}


def test_a_renamed_parent_is_the_input_without_compiled_code(dsn: str, tmp_path: Path) -> None:
    import_manifest(tmp_path, 1, [model("stg"), model("orders", "stg")])
    renamed = model("stg", alias="staging")
    import_manifest(tmp_path, 2, [renamed, model("orders", "stg", compiled_code=None)])
    assert declared(dsn) == {"prod.orders < prod.staging"}


def test_a_model_that_was_never_compiled_has_the_declared_inputs(dsn: str, tmp_path: Path) -> None:
    parsed = [model("stg", compiled_code=None), model("orders", "stg", compiled_code=None)]
    import_manifest(tmp_path, 1, parsed)
    again = import_manifest(tmp_path, 1, parsed).split()
    assert again[2] == again[0], again
    assert declared(dsn) == {"prod.orders < prod.stg"}


def jobs_reading(dsn: str, table: str) -> set[str]:
    with lineage.connect(dsn) as graph:
        return {each.job.name for each in graph.impact(table).jobs}


def of_schema(schema: str, *exposures: str) -> list[dict[str, Any]]:
    """Return the models of a target, with exposures of their orders."""
    shared = model("history", resource_type="snapshot", schema="history")
    models = [model("stg", schema=schema), model("orders", "stg", schema=schema), shared]
    return [*models, *(exposure(each, "orders", schema=schema) for each in exposures)]


@pytest.mark.parametrize("days", [*permutations((1, 2, 3))], ids=str)
def test_each_target_has_its_exposures(dsn: str, tmp_path: Path, days: list[int]) -> None:
    """The name of an exposure has no schema. The first target has the short one."""
    targets = {1: "prod", 2: "dev", 3: "ci"}
    for day in days:
        import_manifest(tmp_path, day, of_schema(targets[day], "weekly"))
    names = {day: f"db.{targets[day]}.exposure.shop.weekly" for day in days}
    names[days[0]] = "exposure.shop.weekly"
    for day in days:
        assert jobs_reading(dsn, f"db.{targets[day]}.orders") == {names[day]}
        again = import_manifest(tmp_path, day, of_schema(targets[day], "weekly")).split()
        assert again[2] == again[0], again


def test_an_exposure_ends_in_the_target_that_has_removed_it(dsn: str, tmp_path: Path) -> None:
    import_manifest(tmp_path, 1, of_schema("prod", "weekly"))
    import_manifest(tmp_path, 2, of_schema("dev", "weekly"))
    import_manifest(tmp_path, 3, of_schema("dev"))
    assert jobs_reading(dsn, "db.prod.orders") == {"exposure.shop.weekly"}
    assert jobs_reading(dsn, "db.dev.orders") == set()
    import_manifest(tmp_path, 4, of_schema("dev", "weekly"))
    import_manifest(tmp_path, 5, of_schema("prod"))
    assert jobs_reading(dsn, "db.prod.orders") == set()
    assert jobs_reading(dsn, "db.dev.orders") == {"db.dev.exposure.shop.weekly"}


def import_build(place: Path, day: int, models: Sequence[dict[str, Any]], *built: str) -> None:
    """Import a build with the results of the nodes ``built``."""
    at = f"2026-01-{day:02}T00:00:01.5Z"
    timing = [{"name": "execute", "started_at": at, "completed_at": at}]
    results = {
        "metadata": {
            "dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json",
            "generated_at": at, "invocation_id": f"{day}",
        },
        "results": [
            {"unique_id": each, "status": "pass" if each.startswith("test.") else "success",
             "timing": timing}
            for each in built
        ],
        "args": {"which": "build"},
    }  # fmt: skip
    target = place / f"{day}-shop"
    target.mkdir(parents=True, exist_ok=True)
    (target / "run_results.json").write_text(json.dumps(results))
    import_manifest(place, day, models)


def test_a_project_without_models_has_one_job_for_an_exposure(dsn: str, tmp_path: Path) -> None:
    for day in (1, 2):
        import_manifest(tmp_path, day, [exposure("weekly")])
    with lineage.connect(dsn) as graph:
        assert [each.name for each in graph.jobs()] == ["exposure.shop.weekly"]


def test_a_test_keeps_its_job_when_the_models_of_its_target_change(
    dsn: str, tmp_path: Path
) -> None:
    """The schema of most models changes, and models are moved, between the runs of a test."""
    test = singular_test("prod", '"db"."prod"."stg"')
    models = [model("stg"), model("codes"), model("a", schema="marts")]
    import_build(tmp_path, 1, [*models, test], test["unique_id"])
    import_build(tmp_path, 2, [*models, test])
    models += [model(name, schema="marts") for name in "bcd"]
    import_build(tmp_path, 3, [*models, test])
    models[1] = model("codes", schema="marts")
    import_build(tmp_path, 4, [*models, test])
    import_build(tmp_path, 5, [*models, test], test["unique_id"])
    with lineage.connect(dsn) as graph:
        [job] = [each for each in graph.jobs() if "no_negative" in each.name]
        assert job.name == "test.shop.no_negative"
        assert len(graph.job_runs(f"dbt/{job.name}")) == 2


def singular_test(schema: str, table: str) -> dict[str, Any]:
    """Return a test with SQL of its own."""
    return model("no_negative", "orders", schema=f"{schema}_failures") | {
        "unique_id": "test.shop.no_negative", "resource_type": "test",
        "compiled_code": f"select * from {table} where id < 0",
    }  # fmt: skip


def build_target(place: Path, day: int, schema: str, *, with_tests: bool) -> None:
    """Import a build of a target, with the result of a test that has SQL of its own."""
    test = singular_test(schema, f'"db"."{schema}"."orders"')
    import_build(place, day, [*of_schema(schema), test], *([test["unique_id"]] * with_tests))


def test_each_target_has_its_tests(dsn: str, tmp_path: Path) -> None:
    """Also if a later manifest of the target comes without results."""
    build_target(tmp_path, 1, "prod", with_tests=True)
    build_target(tmp_path, 2, "prod", with_tests=False)
    for day in (3, 4):
        build_target(tmp_path, day, "ci", with_tests=True)
    with lineage.connect(dsn) as graph:
        for schema, name in (("prod", ""), ("ci", "db.ci.")):
            readers = graph.impact(f"db.{schema}.orders").jobs
            stale = {each.job.name: read.stale for each in readers for read in each.inputs}
            assert stale == {
                f"{name}test.shop.no_negative": False, f"db.{schema}.shop.orders.test": False,
            }  # fmt: skip


BUILD = Configuration(jobs=(JobRule("*", ("dbt", "build", "--select", "{model}")),))
MODELS = ("raw", "stg", "orders", "report")


def moved_models(schema: str, *parents: str) -> list[dict[str, Any]]:
    """Return models, one of which is in a schema of its own."""
    sources = " join ".join(f'"db"."prod"."{each}"' for each in parents)
    return [
        model("raw"), model("report", "orders"),
        model("stg", *parents, schema=schema, compiled_code=f"select 1 from {sources}"),
        model("orders", "stg", compiled_code=f'select id from "db"."{schema}"."stg"'),
    ]  # fmt: skip


def test_a_model_that_was_moved_is_one_task(dsn: str, tmp_path: Path) -> None:
    """It waits for what the model reads in its new place. What was removed is no task."""
    import_build(tmp_path, 1, moved_models("stg", "raw"), *(f"model.shop.{m}" for m in MODELS))
    models = [each for each in moved_models("staging", "raw", "limits") if each["name"] != "report"]
    models += [model("limits")]
    built = ("raw", "limits", "stg", "orders")
    import_build(tmp_path, 2, models, *(f"model.shop.{m}" for m in built))
    with lineage.connect(dsn) as graph:
        plan = plan_jobs(graph.session)
    omitted = [(each.job.name, each.reason) for each in plan.omitted_jobs]
    assert omitted == [("db.prod.shop.report", "removed")]
    tasks = {each.command.split()[-1]: each for each in list_tasks(plan, BUILD)}
    assert sorted(each.split()[-1] for each in (t.command for t in tasks.values())) == sorted(built)
    assert set(tasks["stg"].after) == {tasks["raw"].id, tasks["limits"].id}
    assert len(list_tasks(plan, BUILD)) == len(built)


def test_a_removed_model_that_ran_again_is_a_task(dsn: str, tmp_path: Path) -> None:
    """Someone has built an older state of the project."""
    old = moved_models("stg", "raw")
    new = [each for each in old if each["name"] != "report"]
    for day, models in ((1, old), (2, new)):
        import_build(tmp_path, day, models, *(each["unique_id"] for each in models))
    event = json.loads(run_event("again", "COMPLETE", 0, "", ("in",), ("out",)))
    event["eventTime"] = "2026-01-03T00:00:00Z"
    event["job"] |= {"namespace": "dbt", "name": "db.prod.shop.report"}

    def list_planned() -> set[str]:
        with lineage.connect(dsn) as graph:
            return {each.job.name for each in plan_jobs(graph.session).jobs}

    assert "db.prod.shop.report" not in list_planned()
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [json.dumps(event)])
    assert "db.prod.shop.report" in list_planned()
