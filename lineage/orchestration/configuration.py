"""Read ``lineage-plan.yml``: how the jobs of an order are started.

name: nightly
schedule: "0 3 * * *"
repositories:
  loaders: {url: "git@git.corp:data/loaders.git", path: /srv/loaders}
jobs:
  - match: "python/*"
    repository: loaders
    environment: loaders
    command: [python, "tasks/{name}.py"]
units: [{match: "spark/*", unit: parent}]
feedback: [lake/z]
ignore: ["postgres://*/psql"]

Secrets are refused: no password in an address, none in a command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NoReturn

from lineage.errors import UsageError
from lineage.orchestration.units import FOLDS, UnitRule
from lineage.redaction import redact_text
from lineage.suggestions import nearest_name, suggest_name
from lineage.text_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FILE = "lineage-plan.yml"
# What a command may have in braces.
PLACEHOLDERS = ("name", "namespace", "model", "dataset", "tests")

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}", re.ASCII)
# Keys of a file of dag-factory that are no DAG.
_RESERVED = ("default", "task_groups")
_USER_INFO = re.compile(
    r"(?i)https?://[^/?#]*@|[a-z][a-z0-9+.-]*://[^/?#@]*:[^/?#]*@|[^/@]*:[^/@]*@"
)
_BRACED = re.compile(r"(?<!\$)\{(\w+)\}")  # ${name} is a variable of the shell
_USER = re.compile(r"(?<=://)[^/?#@]*@")

_KEYS = ("name", "schedule", "start_date", "owner", "retries", "retry_seconds", "repositories",
         "jobs", "units", "feedback", "ignore")  # fmt: skip
_JOB_KEYS = ("match", "command", "repository", "environment", "owner", "retries")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of git: ``path`` of the working copy, and ``url`` to clone it from."""

    name: str
    path: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class JobRule:
    """How jobs are started whose full name matches ``match``.

    ``command``: words with placeholders. ``environment``: of conda.
    """

    match: str
    command: tuple[str, ...]
    repository: str | None = None
    environment: str | None = None
    owner: str | None = None
    retries: int | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The file. ``name``: of the DAG. ``retry_seconds``: the pause before a job is retried.

    ``ignore``: patterns of the names, full or alone, of jobs that are left out of the order.
    """

    name: str = "lineage"
    schedule: str | None = None
    start_date: str = "2026-01-01"
    owner: str = "lineage"
    retries: int = 1
    retry_seconds: int = 300
    repositories: tuple[Repository, ...] = ()
    jobs: tuple[JobRule, ...] = ()
    units: tuple[UnitRule, ...] = ()
    feedback: tuple[str, ...] = field(default=())
    ignore: tuple[str, ...] = ()


def read_configuration(path: Path) -> Configuration:
    """Read the file. Raises UsageError that names the invalid key."""
    document = read_yaml(path, str(path))
    return _Reader(path).read_document({} if document is None else document)


class _Reader:
    """Checks the values of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read_document(self, document: Any) -> Configuration:
        self._check_keys(document, _KEYS, "The file")
        values: dict[str, Any] = {}
        if (name := self._read_text(document, "name")) is not None:
            if not _NAME.fullmatch(name) or name in _RESERVED:
                self._refuse_value(f"name is {name!r}", "Use letters, digits, dots, dashes and _.")
            values["name"] = name
        values["schedule"] = self._read_text(document, "schedule")
        if isinstance(start := document.get("start_date"), date):
            document = {**document, "start_date": start.isoformat()[:10]}
        if (start := self._read_text(document, "start_date")) is not None:
            if not re.fullmatch(r"\d{4}-\d\d-\d\d", start, re.ASCII):
                self._refuse_value(f"start_date is {start!r}", "Write it as 2026-01-31.")
            values["start_date"] = start
        if (owner := self._read_text(document, "owner")) is not None:
            values["owner"] = owner
        for key in ("retries", "retry_seconds"):
            if (number := self._read_number(document, key)) is not None:
                values[key] = number
        repositories = document.get("repositories") or {}
        if not isinstance(repositories, dict):
            self._refuse_value(
                "repositories is not a map of names", "Write NAME: {path: /srv/NAME}."
            )
        values["repositories"] = tuple(
            self._read_repository(str(name), each) for name, each in repositories.items()
        )
        names = [each.name for each in values["repositories"]]
        values["jobs"] = tuple(
            self._read_job(each, names) for each in self._read_list(document, "jobs")
        )
        values["units"] = tuple(map(self._read_unit, self._read_list(document, "units")))
        for key in ("feedback", "ignore"):
            values[key] = tuple(map(str, self._read_list(document, key)))
        return Configuration(**values)

    def _read_repository(self, name: str, entry: Any) -> Repository:
        self._check_keys(entry, ("path", "url"), f"repository {name}")
        if not re.fullmatch(r"\w{1,60}", name, re.ASCII):
            self._refuse_value(
                f"The repository {name!r} has other characters", "Use letters, digits, _."
            )
        path, url = self._read_text(entry, "path"), self._read_text(entry, "url")
        if path is None or not PurePosixPath(path).is_absolute():
            self._refuse_value(f"The path of repository {name} is not absolute")
        if url is not None and _has_secret(url):
            raise UsageError(
                f"The address of repository {name} has a password in it.",
                "Use an SSH key, or a credential helper of git.",
            )
        return Repository(name, path, url)

    def _read_job(self, entry: Any, repositories: Sequence[str]) -> JobRule:
        self._check_keys(entry, _JOB_KEYS, "an entry of jobs")
        match = self._read_text(entry, "match")
        if match is None:
            self._refuse_value("An entry of jobs has no match", 'Write match: "NAMESPACE/*".')
        command = entry.get("command")
        if not isinstance(command, list) or not command:
            self._refuse_value(
                f"The command of {match} is not a list of words",
                'Write command: [python, "tasks/{name}.py"].',
            )
        words = tuple(str(word) for word in command)
        if any(redact_text(word) != word for word in (*words, " ".join(words))):
            raise UsageError(
                f"The command of {match} has a secret in it.",
                "Let the job read it from its environment or a file.",
            )
        if any("\0" in word for word in words):
            self._refuse_value(f"The command of {match} has a NUL character in it")
        for each in _BRACED.findall(" ".join(words)):
            if each not in PLACEHOLDERS and nearest_name(each, PLACEHOLDERS):
                self._refuse_value(
                    f"The command of {match} has an unknown placeholder: {{{each}}}",
                    suggest_name(each, PLACEHOLDERS),
                )
        repository = self._read_text(entry, "repository")
        if repository is not None and repository not in repositories:
            self._refuse_value(
                f"The repository {repository} of {match} is not one of repositories",
                suggest_name(repository, repositories),
            )
        environment = self._read_text(entry, "environment")
        if environment is not None and environment.startswith("-"):
            self._refuse_value(f"The environment of {match} begins with a dash")
        return JobRule(
            match, words, repository, environment,
            self._read_text(entry, "owner"), self._read_number(entry, "retries"),
        )  # fmt: skip

    def _read_unit(self, entry: Any) -> UnitRule:
        self._check_keys(entry, ("match", "unit"), "an entry of units")
        match, unit = self._read_text(entry, "match"), self._read_text(entry, "unit")
        if match is None or unit not in FOLDS:
            self._refuse_value(
                "An entry of units has no match, or no unit",
                'Write {match: "NAMESPACE/*", unit: parent}, or unit: self.',
            )
        return UnitRule(match, unit)

    def _check_keys(self, entry: Any, keys: Sequence[str], what: str) -> None:
        if not isinstance(entry, dict):
            self._refuse_value(f"{what} is not a map", f"Its keys are {', '.join(keys)}.")
        if unknown := sorted(map(str, set(entry) - set(keys))):
            self._refuse_value(
                f"{what} has an unknown key: {unknown[0]}", suggest_name(unknown[0], keys)
            )

    def _read_text(self, entry: dict[str, Any], key: str) -> str | None:
        value = entry.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            self._refuse_value(f"{key} is {value!r}; expected a non-empty string")
        return value

    def _read_number(self, entry: dict[str, Any], key: str) -> int | None:
        value = entry.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)
                                  or not 0 <= value <= 1_000_000):  # fmt: skip
            self._refuse_value(f"{key} is {value!r}; expected an integer from 0 to 1,000,000")
        return value

    def _read_list(self, document: dict[str, Any], key: str) -> list[Any]:
        value = document.get(key) or []
        if not isinstance(value, list):
            self._refuse_value(f"{key} is not a list")
        return value

    def _refuse_value(self, message: str, hint: str | None = None) -> NoReturn:
        raise UsageError(f"{self._path}: {message[0].lower()}{message[1:]}.", hint)


def _has_secret(url: str) -> bool:
    """Return whether an address has a password, or over HTTP a user, which may be a token."""
    rest = _USER.sub("", url)
    return bool(_USER_INFO.match(url)) or redact_text(rest) != rest
