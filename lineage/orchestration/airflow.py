"""A DAG file of Airflow: YAML of dag-factory 1.1, and the module that loads it.

Three readers see a command: dag-factory replaces variables of the environment in the text of the
file, YAML parses it, and Airflow renders it as a template of Jinja. Each scalar is a quoted text
without ``$``; braces and carriage returns of templates are written as expressions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.orchestration.configuration import Configuration
    from lineage.orchestration.tasks import Task

OPERATOR = "airflow.providers.standard.operators.bash.BashOperator"

# Jinja also turns carriage returns of a template into line feeds.
_TEMPLATE = re.compile(r"\{[{%#]|\r")
_REPLACED = re.compile(r"[{\r]+")


def write_dag(tasks: Sequence[Task], settings: Configuration) -> str:
    """Return the YAML file."""
    return "\n".join(_dag_lines(tasks, settings)) + "\n"


def write_loader(settings: Configuration) -> str:
    """Return the module that loads the YAML file of the same name beside it.

    Airflow parses only files with the words "airflow" and "dag" in them.
    """
    return f'''"""A DAG of Airflow, from {settings.name}.yml. Written by lineage plan."""

from pathlib import Path

from dagfactory import load_yaml_dags

load_yaml_dags(
    globals_dict=globals(),
    config_filepath=str(Path(__file__).resolve().with_name({settings.name + ".yml"!r})),
)
'''


def _dag_lines(tasks: Sequence[Task], settings: Configuration) -> Iterator[str]:
    schedule = "null" if settings.schedule is None else quote_scalar(settings.schedule)
    yield "# Written by lineage plan. Change lineage-plan.yml, and run it again."
    yield f"{quote_scalar(settings.name)}:"
    yield "  default_args:"
    yield f"    owner: {quote_scalar(settings.owner)}"
    yield f"    retries: {settings.retries}"
    yield f"    retry_delay_sec: {settings.retry_seconds}"
    yield f"    start_date: {quote_scalar(settings.start_date)}"
    yield f"  schedule: {schedule}"
    yield "  catchup: false"
    yield "  max_active_runs: 1"
    yield "  tasks:"
    for task in tasks:
        yield f"    - task_id: {quote_scalar(task.id)}"
        yield f"      operator: {OPERATOR}"
        yield f"      bash_command: {quote_scalar(escape_template(task.command))}"
        if task.owner is not None:
            yield f"      owner: {quote_scalar(task.owner)}"
        if task.retries is not None:
            yield f"      retries: {task.retries}"
        yield f"      dependencies: [{', '.join(map(quote_scalar, task.after))}]"


def escape_template(command: str) -> str:
    """Return a template of Jinja that renders to the command and a blank.

    Without the blank, Airflow would take a command that ends in .sh for the name of a file.
    """
    if _TEMPLATE.search(command):
        command = _REPLACED.sub(_escape_run, command)
    return f"{command} "


def _escape_run(match: re.Match[str]) -> str:
    text = match[0].replace("\r", "\\r")
    return f"{{{{ '{text}' }}}}"


def quote_scalar(text: str) -> str:
    """Return a scalar of YAML in double quotes, of ASCII characters without ``$``."""
    return f'"{"".join(map(_quote_character, text))}"'


def _quote_character(character: str) -> str:
    if " " <= character <= "~" and character not in '"\\$':
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
