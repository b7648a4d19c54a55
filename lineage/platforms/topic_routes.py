"""The changes of names of topics by the transforms of a connector."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.platforms.kafka_connect import has_provided_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.platforms.kafka_connect import Connector

_APACHE = "org.apache.kafka.connect.transforms."
_REGEX_ROUTER = f"{_APACHE}RegexRouter"
# Transforms of Kafka that may rename the topic; all others of this package do not.
_ROUTERS = (_REGEX_ROUTER, f"{_APACHE}TimestampRouter")
_UNWRAP = "io.debezium.transforms.ExtractNewRecordState"  # renames only with route.by.field
# Syntax of Java's expressions that means something else in Python, or nothing.
_ONLY_JAVA = re.compile(r"[*+?}]\+|\\[pPQERGXhHv]|&&|\[\[|\(\?[<>]?[^:=!<]")


def read_route(connector: Connector) -> Callable[[str], str] | None:
    """Return the function from the topic before the transforms to that after them.

    None if a transform may rename topics and the configuration does not determine the new names.
    """
    steps: list[tuple[re.Pattern[str], str]] = []
    for alias in connector.split_setting("transforms"):
        prefix = f"transforms.{alias}."
        settings = {
            key.removeprefix(prefix): value
            for key, value in connector.config.items()
            if key.startswith(prefix)
        }
        kind = settings.get("type", "").partition("$")[0]
        if kind == _REGEX_ROUTER:
            step = _read_regex(settings)
            if step is None or "predicate" in settings:
                return None
            steps.append(step)
        elif not _keeps_topics(kind, settings):
            return None
    return lambda topic: _apply_steps(topic, steps)


def _keeps_topics(kind: str, settings: dict[str, str]) -> bool:
    if kind == _UNWRAP:
        return "route.by.field" not in settings
    return kind.startswith(_APACHE) and kind not in _ROUTERS


def _read_regex(settings: dict[str, str]) -> tuple[re.Pattern[str], str] | None:
    pattern = settings.get("regex", "")
    replacement = settings.get("replacement")
    if replacement is None or not pattern or _ONLY_JAVA.search(pattern) or "${" in replacement:
        return None
    if has_provided_value(pattern) or has_provided_value(replacement):
        return None
    literal = replacement.replace("\\$", "\0").replace("\\\\", "\1")
    if "\\" in literal or re.search(r"\$(?![0-9])", literal):
        return None
    try:
        compiled = re.compile(pattern, re.ASCII)
    except re.error:
        return None
    groups = [int(number) for number in re.findall(r"\$([0-9])", literal)]
    if compiled.groups > 9 or any(number > compiled.groups for number in groups):
        return None  # `$12` is group 12 if there is one, else group 1 and a 2
    template = re.sub(r"\$([0-9])", r"\\g<\1>", literal)
    return compiled, template.replace("\0", "$").replace("\1", "\\\\")


def _apply_steps(topic: str, steps: list[tuple[re.Pattern[str], str]]) -> str:
    for pattern, template in steps:
        # As RegexRouter does: the whole name has to match, and then its first match is replaced,
        # which may be a part of the name.
        if pattern.fullmatch(topic):
            topic = pattern.sub(template, topic, count=1)
    return topic
