"""Spark commands with the listener added, for ``lineage run``."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LISTENER = "io.lineage.spark.LineageListener"

# The launchers that accept Spark's options. Other commands (python, pytest, a shell script) get
# them through PYSPARK_SUBMIT_ARGS, which pyspark reads when it starts a driver.
LAUNCHERS = {"spark-submit", "spark-shell", "spark-sql", "pyspark"}

# Where documents go: ``lineage run`` reads them there, regardless of the command.
DESTINATION = frozenset({"spark.lineage.spool", "spark.lineage.transport"})

# Options of spark-submit without a value (SparkSubmitOptionParser.switches).
SWITCHES = {"--help", "-h", "--supervise", "--usage-error", "--verbose", "-v", "--version"}


@dataclass(frozen=True)
class SparkCommand:
    """A command line and the environment variables to set for it.

    ``ignored`` are settings of the original command that have no effect.
    """

    arguments: list[str]
    environment: Mapping[str, str]
    ignored: tuple[str, ...] = ()


def with_listener(command: list[str], jar: Path, conf: Mapping[str, str]) -> SparkCommand:
    """Add the jar, the listener and ``conf`` to ``command``.

    Listeners and jars in the command, its properties file or ``spark-defaults.conf`` are preserved:
    spark-submit itself would use only the last value.
    """
    return with_classes(command, jar, {"spark.extraListeners": LISTENER}, conf)


def with_classes(
    command: list[str], jar: Path, classes: Mapping[str, str], conf: Mapping[str, str]
) -> SparkCommand:
    """Add the jar, a class to each of these lists of classes, and ``conf`` to ``command``."""
    is_launcher = Path(command[0]).name in LAUNCHERS
    from_environment = os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    arguments = command[1:] if is_launcher else shlex.split(from_environment)
    added = _add_classes(arguments, jar, classes, conf)
    named = {
        key
        for option, value in _split_arguments(arguments)[0]
        for key, _ in _option_settings(option, value)
    }
    ignored = tuple(sorted(named & DESTINATION & conf.keys()))
    if is_launcher:
        return SparkCommand([command[0], *added], {}, ignored)
    return SparkCommand(command, {"PYSPARK_SUBMIT_ARGS": shlex.join(added)}, ignored)


def _add_classes(
    arguments: list[str], jar: Path, classes: Mapping[str, str], conf: Mapping[str, str]
) -> list[str]:
    options, rest = _split_arguments(arguments)
    named = {
        key: value for option, value in options for key, value in _option_settings(option, value)
    }
    defaults = _read_defaults(named)
    lists = {"spark.jars": str(jar), **classes}
    replaced = {*lists, *(DESTINATION & conf.keys())}
    retained = [
        word
        for option, value in options
        if not any(key in replaced for key, _ in _option_settings(option, value))
        for word in ([option] if value is None else [option, value])
    ]
    joined = {
        key: join_names(named.get(key) or defaults.get(key), added) for key, added in lists.items()
    }
    jars = joined.pop("spark.jars")
    ours = [
        word for key, value in {**joined, **conf}.items() for word in ("--conf", f"{key}={value}")
    ]
    return ["--jars", jars, *ours, *retained, *rest]


def _split_arguments(arguments: list[str]) -> tuple[list[tuple[str, str | None]], list[str]]:
    """Split into Spark's options with their values, and the application with its arguments."""
    options: list[tuple[str, str | None]] = []
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        option, equals, value = arguments[at].partition("=")
        at += 1
        if option in SWITCHES:
            options.append((option, None))
        elif equals and option.startswith("--"):
            options.append((option, value))
        elif at < len(arguments):
            options.append((option, arguments[at]))
            at += 1
        else:
            options.append((option, None))
    return options, arguments[at:]


def _option_settings(option: str, value: str | None) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if option in ("--conf", "-c"):
        key, _, text = value.partition("=")
        yield key, text
    elif option == "--jars":
        yield "spark.jars", value
    elif option == "--properties-file":
        yield "--properties-file", value


def join_names(present: str | None, added: str) -> str:
    """Add a name to a comma-separated list, unless it is already there."""
    names = [name for name in (present or "").split(",") if name]
    return ",".join(names if added in names else [*names, added])


def _read_defaults(named: Mapping[str, str]) -> dict[str, str]:
    """Read the properties that spark-submit uses for settings missing in the command line."""
    home = os.environ.get("SPARK_HOME")
    directory = os.environ.get("SPARK_CONF_DIR") or (f"{home}/conf" if home else None)
    name = named.get("--properties-file") or (directory and f"{directory}/spark-defaults.conf")
    try:
        text = Path(name).read_text() if name else ""
    except OSError:
        return {}  # spark-submit itself reports an unreadable file
    lines = (line.strip() for line in text.splitlines())
    pairs = (re.split(r"\s*[=:\s]\s*", line, maxsplit=1) for line in lines if line[:1] not in "#!")
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
