"""Compare a DAG file with the one that would be written today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage.errors import UsageError
from lineage.orchestration.dagster import read_module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DagForm: TypeAlias = Literal["airflow", "dagster"]
_ENDINGS: dict[str, DagForm] = {".yml": "airflow", ".yaml": "airflow", ".py": "dagster"}


@dataclass(frozen=True, slots=True)
class DagChanges:
    """The differences: ids of tasks, pairs of ids, and whether settings of the DAG differ.

    ``changed``: tasks with another command, owner or number of retries.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    edges_added: tuple[tuple[str, str], ...]
    edges_removed: tuple[tuple[str, str], ...]
    settings: bool

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.added or self.removed or self.changed or self.edges_added
                    or self.edges_removed or self.settings)  # fmt: skip


def form_of_file(path: Path) -> DagForm:
    """Return the format of a DAG file by its ending. Raises UsageError for another ending."""
    if (form := _ENDINGS.get(path.suffix.lower())) is None:
        raise UsageError(
            f"{path} is not a DAG file.",
            "The name of a DAG file ends in .yml or .yaml (Airflow) or .py (Dagster).",
        )
    return form


def compare_dags(before: str, after: str, form: DagForm) -> DagChanges:
    """Compare the texts of two DAG files. Raises UsageError if ``before`` cannot be read."""
    old, old_settings = _read_tasks(before, form)
    new, new_settings = _read_tasks(after, form)
    edges = [{(each, id) for id, task in tasks.items() for each in _ids_before(task)}
             for tasks in (old, new)]  # fmt: skip
    changed = {
        id for id in old.keys() & new.keys() if _without_edges(old[id]) != _without_edges(new[id])
    }
    return DagChanges(
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(old.keys() - new.keys())),
        tuple(sorted(changed)),
        tuple(sorted(edges[1] - edges[0])),
        tuple(sorted(edges[0] - edges[1])),
        old_settings != new_settings,
    )


def _read_tasks(text: str, form: DagForm) -> tuple[dict[str, dict[str, Any]], Any]:
    """Return the tasks of a file by id, and its other settings."""
    if form == "dagster":
        tasks = read_module(text)
        _, _, rest = text.partition("\n)\n\n\ndef make_asset")
        return {task["id"]: task for task in tasks}, rest
    import yaml

    try:
        [(name, dag)] = yaml.safe_load(text).items()
        listed = {str(task["task_id"]): dict(task) for task in dag["tasks"]}
        for task in listed.values():
            _ids_before(task)
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError):
        raise UsageError("The file has no tasks that lineage plan has written.") from None
    return listed, (name, {key: value for key, value in dag.items() if key != "tasks"})


def _ids_before(task: Mapping[str, Any]) -> list[str]:
    return [str(each) for each in task.get("after", task.get("dependencies") or [])]


def _without_edges(task: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in task.items() if key not in ("after", "dependencies")}
