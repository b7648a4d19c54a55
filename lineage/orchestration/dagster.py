"""A module of Dagster: an asset for each task, with the tasks before it as ``deps``."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.orchestration.configuration import Configuration
    from lineage.orchestration.tasks import Task

_VARIABLE = "TASKS"

_MODULE = '''"""Assets of Dagster. Written by lineage plan from lineage-plan.yml."""

import json
import subprocess

import dagster as dg

{variable} = json.loads(
    {tasks}
)


def make_asset(task):
    retry = dg.RetryPolicy(max_retries=task["retries"], delay={delay})

    @dg.asset(
        key=dg.AssetKey([task["id"]]),
        deps=[dg.AssetKey([each]) for each in task["after"]],
        metadata={{"job": task["job"] or ""}},
        group_name={group!r},
        retry_policy=retry,
    )
    def run_task():
        subprocess.run(["bash", "-c", task["command"]], check=True)

    return run_task


defs = dg.Definitions(
    assets=[make_asset(task) for task in {variable}],
    jobs=[dg.define_asset_job({group!r})],{schedules}
)
'''
_SCHEDULES = """
    schedules=[dg.ScheduleDefinition(job_name={group!r}, cron_schedule={schedule!r})],"""


def write_module(tasks: Sequence[Task], settings: Configuration) -> str:
    """Return the module; the name of a job occurs only in a literal of JSON."""
    objects = [
        {
            "id": task.id,
            "job": task.job,
            "command": task.command,
            "after": list(task.after),
            "retries": settings.retries if task.retries is None else task.retries,
        }
        for task in tasks
    ]
    group = settings.name.replace(".", "_").replace("-", "_")
    schedules = ""
    if settings.schedule is not None:
        schedules = _SCHEDULES.format(group=group, schedule=settings.schedule)
    literals = "\n    ".join(
        repr(f"{line}\n") for line in json.dumps(objects, indent=1).split("\n")
    )
    return _MODULE.format(
        variable=_VARIABLE,
        tasks=literals,
        delay=settings.retry_seconds,
        group=group,
        schedules=schedules,
    )


def read_module(text: str) -> list[dict[str, Any]]:
    """Return the tasks of a module that ``write_module`` returned, without executing it.

    Raises UsageError for another module.
    """
    try:
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == _VARIABLE:
                literal = ast.literal_eval(statement.value.args[0])  # type: ignore[attr-defined]
                tasks: list[dict[str, Any]] = json.loads(literal)
                return tasks
    except (SyntaxError, ValueError, AttributeError, IndexError):
        pass
    raise UsageError("The file has no tasks that lineage plan has written.")
