"""The run that started the application, in each form in which OpenLineage passes it."""

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
    """A run outside this application, such as the task that started it."""

    run: str
    namespace: str
    name: str


@dataclass(frozen=True)
class Parents:
    """The parent run and the root run, and the names of settings that could not be parsed."""

    parent: JobRun | None = None
    root: JobRun | None = None
    unreadable: tuple[str, ...] = ()


def read_parents(configured: Mapping[str, Any], settings: Mapping[str, str]) -> Parents:
    """Return the parent run of the first form that is set and can be parsed.

    Settings of the application (``spark.openlineage.context``, then the six older ones, in
    ``configured``) take precedence over environment variables (``OPENLINEAGE_CONTEXT``, then
    ``OPENLINEAGE_PARENT_ID``). A variable may be inherited from a process that had another parent.
    In a form without a root, the parent is also the root. Forms are not combined.
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
    """Parse ``{"parent": {"run": {"runId"}, "job": {"namespace", "name"}, "root": {…}}}``."""
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
    """Parse ``namespace/name/runId``; the namespace may contain slashes, as a URL does."""
    namespace, name, run = text.strip().rsplit("/", 2)
    return _job_run(run, namespace, name)


def _job_run(run: str, namespace: str, name: str) -> JobRun:
    """Build a JobRun; raise ValueError if a parent facet cannot represent the run or job."""
    if not all(isinstance(part, str) and part for part in (run, namespace, name)):
        raise ValueError
    return JobRun(str(UUID(run)), namespace, name)
