"""Who started the application: the forms in which OpenLineage hands a parent run down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTEXT = "spark.openlineage.context"
SIX_KEYS = "spark.openlineage.parentRunId"


@dataclass(frozen=True)
class JobRun:
    """A run of somebody else's: of the task that started the application."""

    run: str
    namespace: str
    name: str


@dataclass(frozen=True)
class Parents:
    """The parent run and the topmost known, and the names of settings that could not be read."""

    parent: JobRun | None = None
    root: JobRun | None = None
    unreadable: tuple[str, ...] = ()


def read_parents(configured: Mapping[str, Any], settings: Mapping[str, str]) -> Parents:
    """Return the parent run of the first form that is there and can be read.

    What this application was given (``spark.openlineage.context``, then the six older settings, in
    ``configured``) goes before what its environment has, which may be meant for a process above it
    (``OPENLINEAGE_CONTEXT``, then ``OPENLINEAGE_PARENT_ID``). A form without a root has its parent
    as the root; no form is completed by another.
    """
    forms: list[tuple[str, Callable[[], tuple[JobRun, JobRun]]]] = [
        (CONTEXT, lambda: _of_context(settings[CONTEXT])),
        (SIX_KEYS, lambda: _of_settings(configured)),
        ("OPENLINEAGE_CONTEXT", lambda: _of_context(settings["OPENLINEAGE_CONTEXT"])),
        ("OPENLINEAGE_PARENT_ID", lambda: _of_ids(settings)),
    ]
    unreadable: list[str] = []
    for name, read in forms:
        if name in settings or (name == SIX_KEYS and configured):
            try:
                return Parents(*read(), tuple(unreadable))
            except (KeyError, TypeError, ValueError, AttributeError):
                unreadable.append(name)
    return Parents(unreadable=tuple(unreadable))


def _of_context(text: str) -> tuple[JobRun, JobRun]:
    """``{"parent": {"run": {"runId"}, "job": {"namespace", "name"}, "root": {"run", "job"}}}``."""
    context = json.loads(text)["parent"]
    parent = _of_facet(context)
    return parent, _of_facet(context["root"]) if context.get("root") else parent


def _of_facet(part: Mapping[str, Any]) -> JobRun:
    return _job_run(part["run"]["runId"], part["job"]["namespace"], part["job"]["name"])


def _of_settings(configured: Mapping[str, Any]) -> tuple[JobRun, JobRun]:
    parent = _of_object(configured)
    return parent, _of_object(configured["root"]) if configured.get("root") else parent


def _of_object(part: Mapping[str, Any]) -> JobRun:
    return _job_run(part["run"], part["namespace"], part["name"])


def _of_ids(settings: Mapping[str, str]) -> tuple[JobRun, JobRun]:
    parent = _of_id(settings["OPENLINEAGE_PARENT_ID"])
    root = settings.get("OPENLINEAGE_ROOT_PARENT_ID")
    return parent, _of_id(root) if root else parent


def _of_id(text: str) -> JobRun:
    """``namespace/name/runId``; a slash more belongs to the namespace, which may be a URL."""
    namespace, name, run = text.strip().rsplit("/", 2)
    return _job_run(run, namespace, name)


def _job_run(run: str, namespace: str, name: str) -> JobRun:
    """Raise ValueError for a run or a job that a parent facet cannot name."""
    if not all(isinstance(part, str) and part for part in (run, namespace, name)):
        raise ValueError
    return JobRun(str(UUID(run)), namespace, name)
