"""DAG files read by the real dag-factory with Airflow, and by the real Dagster.

The job graph of the files is that of the plan, and the commands of hostile names print them byte
for byte, after all that the orchestrator does to them.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from clients.conftest import run
from support.events.plans import HOSTILE_NAMES, plan_of
from support.services.client_packages import DAG_FACTORY, DAGSTER

from lineage.orchestration.airflow import write_dag, write_loader
from lineage.orchestration.configuration import Configuration, JobRule, Repository
from lineage.orchestration.dagster import write_module
from lineage.orchestration.tasks import Task, list_tasks, task_ids

if TYPE_CHECKING:
    from pathlib import Path

JOBS = {
    "load": ("raw", "clean"), "rates": ("web", "rates"), "stg": ("clean rates", "stg"),
    "mart": ("stg clean", "mart"),
    **{name: ("mart", f"t{n}") for n, name in enumerate(HOSTILE_NAMES)},
}  # fmt: skip
SETTINGS = Configuration(
    name="nightly.orders",
    schedule="0 3 * * *",
    repositories=(Repository("code", "/srv/code", "git@git.corp:code.git"),),
    jobs=(
        JobRule("etl/load", ("python", "tasks/{name}.py"), "code", owner="ada", retries=0),
        JobRule("*", ("printf", "--", "%s\\n", "{name}")),
    ),
)
READ_DAG = """
import json, sys
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(sys.argv[1])
[dag] = bag.dags.values() if bag.dags else [None]
environment = dag and dag.get_template_env()
tasks = {} if dag is None else {
    task.task_id: [
        sorted(task.upstream_task_ids),
        environment.from_string(task.bash_command).render(),
        task.owner,
        task.retries,
    ]
    for task in dag.tasks
}
print(json.dumps(["read", dag and dag.dag_id, {k: str(v) for k, v in bag.import_errors.items()},
                  tasks, str(dag and dag.schedule)]))
"""
READ_ASSETS = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("dag", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
definitions = module.defs
graph = definitions.resolve_asset_graph()
parents = {
    key.path[0]: sorted(each.path[0] for each in graph.get(key).parent_keys)
    for key in graph.get_all_asset_keys()
}
commands = {task["id"]: task["command"] for task in module.TASKS}
schedules = [each.cron_schedule for each in definitions.schedules]
print(json.dumps(["read", parents, commands, schedules]))
"""


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return list_tasks(plan_of(JOBS), SETTINGS)


def read_last_line(output: str) -> list[object]:
    line = next(line for line in reversed(output.splitlines()) if line.startswith('["read"'))
    _, *values = json.loads(line)
    return values


def run_bash(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    return done.stdout.decode()


def printed(commands: dict[str, str]) -> dict[str, str]:
    """Return what the command of each job with a hostile name prints."""
    ids = task_ids(f"etl/{name}" for name in HOSTILE_NAMES)
    return {name: run_bash(commands[ids[f"etl/{name}"]]) for name in HOSTILE_NAMES}


def test_airflow_reads_the_order_and_prints_hostile_names(
    tasks: list[Task], tmp_path: Path
) -> None:
    dags = tmp_path / "dags"
    dags.mkdir()
    (dags / "nightly.orders.yml").write_text(write_dag(tasks, SETTINGS))
    (dags / "nightly.orders.py").write_text(write_loader(SETTINGS))
    environment = {
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__DAG_FACTORY__STRICT_MODE": "true",
        "DO_NOT_TRACK": "1",
        "HOME": str(tmp_path),
    }
    python = DAG_FACTORY.bin() / "python"
    run([DAG_FACTORY.bin() / "airflow", "db", "migrate"], environment, tmp_path)
    output = run([python, "-c", READ_DAG, dags], environment, tmp_path)
    name, errors, read, schedule = read_last_line(output)
    assert errors == {}
    assert (name, schedule) == ("nightly.orders", "0 3 * * *")
    assert isinstance(read, dict)
    assert {id: after for id, (after, *_) in read.items()} == {
        task.id: list(task.after) for task in tasks
    }
    assert {id: command for id, (_, command, *_) in read.items()} == {
        task.id: f"{task.command} " for task in tasks
    }
    assert printed({id: command for id, (_, command, *_) in read.items()}) == {
        name: f"{name}\n" for name in HOSTILE_NAMES
    }
    load = task_ids(["etl/load"])["etl/load"]
    assert read[load][2:] == ["ada", 0]
    assert read["pull_code"][2:] == ["lineage", 1]


def test_dagster_reads_the_order_and_prints_hostile_names(
    tasks: list[Task], tmp_path: Path
) -> None:
    module = tmp_path / "nightly.orders.py"
    module.write_text(write_module(tasks, SETTINGS))
    environment = {"DAGSTER_HOME": str(tmp_path), "DAGSTER_DISABLE_TELEMETRY": "yes"}
    output = run([DAGSTER.bin() / "python", "-c", READ_ASSETS, module], environment, tmp_path)
    parents, commands, schedules = read_last_line(output)
    assert parents == {task.id: list(task.after) for task in tasks}
    assert isinstance(commands, dict)
    assert printed(commands) == {name: f"{name}\n" for name in HOSTILE_NAMES}
    assert schedules == ["0 3 * * *"]
