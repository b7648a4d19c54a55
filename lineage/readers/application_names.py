"""Application names of connections: ``python_task::JOB`` or ``python_task::JOB::RUN_ID``."""

from __future__ import annotations

import re

from lineage.errors import UsageError

PREFIX = "python_task::"
# SQL Server keeps 128 characters of an application name, PostgreSQL 63 bytes.
MAX_NAME_LENGTH = 128
_RUN_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def build_name(job: str, run_id: str | None = None, longest: int = MAX_NAME_LENGTH) -> str:
    """Return an application name of at most ``longest`` bytes; the run is left out if need be.

    Raises UsageError if ``job`` is empty, contains ``::`` or a control character, or is too long,
    or if ``run_id`` is not a UUID.
    """
    if not job.strip() or "::" in job or not job.isprintable():
        raise UsageError(
            f"{job!r} cannot be the name of a job in an application name.",
            "Give a text without :: and control characters.",
        )
    if run_id is not None and not _RUN_ID.fullmatch(run_id):
        raise UsageError(f"{run_id!r} is not a UUID.", "Give the id of an OpenLineage run.")
    name = f"{PREFIX}{job}"
    if len(name.encode()) > longest:
        raise UsageError(f"{name!r} is longer than {longest} bytes.", "Give a shorter name.")
    with_run = f"{name}::{run_id}"
    return with_run if run_id and len(with_run.encode()) <= longest else name


def split_name(name: str, prefix: str = PREFIX) -> tuple[str, str] | None:
    """Return job and run (or "") of an application name; None if it has another prefix."""
    if not name.startswith(prefix) or len(name) == len(prefix):
        return None
    job, separator, run = name[len(prefix) :].rpartition("::")
    if separator and job and _RUN_ID.fullmatch(run):
        return job, run.lower()
    return name[len(prefix) :], ""


def check_prefix(prefix: str) -> str:
    """Return a prefix of application names. Raises UsageError unless it matches [\\w:.-]+."""
    if not re.fullmatch(r"[\w:.-]+", prefix):
        raise UsageError(
            f"{prefix!r} cannot be a prefix of application names.",
            "Use letters, digits and _ : . - only.",
        )
    return prefix
