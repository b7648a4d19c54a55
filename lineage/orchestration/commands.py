"""The shell command that starts a job: words of a rule, with the name of the job in them.

Names of jobs come from events, and so from anyone who may send events. A name is replaced inside a
word, and each word is quoted afterwards, so that no name ends a word. A name that would be an
option of the command, or leave the directory of a path, is refused.
"""

from __future__ import annotations

import re
import shlex
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from lineage.errors import UsageError
from lineage.orchestration.configuration import PLACEHOLDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.orchestration.configuration import Configuration, JobRule, Repository
    from lineage.orchestration.records import PlannedJob
    from lineage.query.records import Job

_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")
# The suffix after the name of the node in the name of a job of dbt, by the type of the job.
_DBT_ENDS = {
    "MODEL": re.compile(r"\.build\.run$"),
    "SEED": re.compile(r"\.seed$"),
    "SNAPSHOT": re.compile(r"(\.build)?\.snapshot$"),
    "TEST": re.compile(r"(\.build)?\.test$"),
}
# The name of a test in the name of a job: test.PROJECT.TEST, for a generic one with a hash.
_TEST = re.compile(r"test\.[^.]+\.([^.]+)(\.[^.]+)?")
# The same after the database and the schema of its target; tests of a table end in .test.
_PLACED_TEST = re.compile(r"(?!.*\.test$).+\.test\.[^.]+\.([^.]+)(\.[^.]+)?", re.DOTALL)
# dbt takes other characters in a name for a part of its selection.
_TEST_NAME = re.compile(r"\w[\w.-]*")
_VERSION = re.compile(r"v\d+")
# The node of a source after its database and schema: source.PROJECT.SOURCE.TABLE.
_SOURCE = re.compile(r"(.+)\.source\.[^.]+\.([^.]+\.[^.]+)", re.DOTALL)


def find_rule(job: Job, rules: Sequence[JobRule]) -> JobRule | None:
    """Return the first rule that matches the full name of a job."""
    return next((rule for rule in rules if fnmatchcase(job.full_name, rule.match)), None)


def job_command(planned: PlannedJob, rule: JobRule, settings: Configuration) -> str:
    """Return the command of bash that starts a job.

    Raises UsageError for a name that would not remain a part of its word, for ``{dataset}`` of a
    job that does not write exactly one dataset, and for ``{tests}`` of a job without tests.
    """
    words = _fill_words(planned, rule)
    if rule.environment is not None:
        words = ["conda", "run", "--no-capture-output", "-n", rule.environment, *words]
    command = shlex.join(words)
    if rule.repository is not None:
        [path] = [each.path for each in settings.repositories if each.name == rule.repository]
        command = f"cd {shlex.quote(path)} && {command}"
    return command


def names_job(rule: JobRule) -> bool:
    """Return whether the command of a rule has a name of the job in it."""
    return any(_PLACEHOLDER.search(word) for word in rule.command)


def pull_command(repository: Repository) -> str:
    """Return the command of bash that updates a working copy, or clones it."""
    path = shlex.quote(repository.path)
    pull = f"git -C {path} pull --ff-only"
    if repository.url is None:
        return pull
    clone = f"git clone -- {shlex.quote(repository.url)} {path}"
    return f"if test -e {path}/.git; then {pull}; else {clone}; fi"


def _fill_words(planned: PlannedJob, rule: JobRule) -> list[str]:
    job, outputs = planned.job, planned.outputs
    values = {
        "name": job.name,
        "namespace": job.namespace,
        "model": model_name(planned),
    }
    words: list[str] = []
    for word in rule.command:
        used = _PLACEHOLDER.findall(word)
        if "dataset" in used:
            if len(outputs) != 1:
                raise UsageError(
                    f"The command of {job} has {{dataset}}, but the job writes {len(outputs)}"
                    " datasets.",
                    "Use another placeholder, or add an entry to jobs that matches only this job.",
                )
            values["dataset"] = outputs[0].name
        if "tests" in used:
            values["tests"] = _names_of_tests(planned)
        for each in used:
            _check_value(job, word, values[each], is_argument="--" in words)
        words.append(_PLACEHOLDER.sub(lambda match: values[match[1]], word))
    return words


def _names_of_tests(planned: PlannedJob) -> str:
    """Return the names of the tests that a job of dbt makes, as one word for ``--select``."""
    name = _TEST.fullmatch(planned.job.name) if planned.type == "TEST" else None
    if planned.type == "TEST" and not planned.tests:
        name = name or _PLACED_TEST.fullmatch(planned.job.name)
    names = [name[1]] if name else planned.tests
    if not names:
        raise UsageError(
            f"The command of {planned.job} has {{tests}}, but no run of the job reports the names"
            " of its tests.",
            "Import the results of dbt test or dbt build, or use another placeholder.",
        )
    if strange := [each for each in names if not _TEST_NAME.fullmatch(each)]:
        raise UsageError(
            f'{planned.job} has a test "{strange[0]}", which dbt cannot select by its name.',
            "Rename the test, or add an entry to jobs that matches only this job.",
        )
    return " ".join(names)


def model_name(planned: PlannedJob) -> str:
    """Return the name after the last dot; of a job of dbt the name that selects its node.

    This has the version of a model: ``customers.v2``. The table of a version is not called ``v2``.
    Tests of a source have ``source:raw.orders``.
    """
    name = planned.job.name
    if end := _DBT_ENDS.get(planned.type or ""):
        name = end.sub("", name)
    tables = [each.name.rpartition(".") for each in (*planned.outputs, *planned.tested)]
    source = _SOURCE.fullmatch(name) if planned.type == "TEST" else None
    if source and any(place == source[1] for place, _, _ in tables):
        return f"source:{source[2]}"
    rest, _, last = name.rpartition(".")
    is_table = any(table == last for _, _, table in tables)
    if planned.type in ("MODEL", "TEST") and _VERSION.fullmatch(last) and not is_table:
        return f"{rest.rpartition('.')[2]}.{last}"
    return last


def _check_value(job: Job, word: str, value: str, *, is_argument: bool) -> None:
    """Raise UsageError if a name would be an option, or leave a directory."""
    if value.startswith("-") and word.startswith("{") and not is_argument:
        raise UsageError(
            f"The name of {job} begins with a dash: the command would take it for an option.",
            "Write the word -- before it, or add an entry to jobs that matches only this job.",
        )
    if "/" in _PLACEHOLDER.sub("", word) and ".." in value.split("/"):
        raise UsageError(
            f"The name of {job} has .. in it: the path {word} would leave its directory.",
            "Add an entry to jobs that matches only this job.",
        )
