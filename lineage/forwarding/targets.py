"""Read the file of forwarding targets, each with a transport of ``openlineage-python``.

targets:
  marquez:
    from: beginning
    namespaces: ["sales*"]
    transport:
      type: http
      url: https://marquez.example.com
      auth: {type: api_key, apiKey: "${MARQUEZ_KEY}"}

Secrets are in this file, or preferably in the environment. They are written neither into the
database nor into messages.
"""

from __future__ import annotations

import copy
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lineage import naming
from lineage.errors import InvalidEvent, UsageError
from lineage.openlineage import parse_event
from lineage.suggestions import suggest_name
from lineage.text_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from openlineage.client.transport import Transport

_NAME = re.compile(r"[\w.-]{1,60}", re.ASCII)
_VARIABLE = re.compile(r"\$\{(\w+)\}")

_SETTINGS = ("transport", "from", "namespaces")

# Transports whose ``emit`` returns once the event has arrived, and raises if it has not.
_SYNCHRONOUS = ("http", "file", "console")

# The sender retries, and for longer; pending events remain in the log, not in a transport.
_NO_RETRY = {"total": 0, "connect": 0, "read": 0, "status_forcelist": []}

# Settings of a transport that are not secret, at any level.
_OPEN = frozenset(("type", "url", "endpoint", "compression", "log_file_path"))
_MIN_SECRET_LENGTH = 4


@dataclass(frozen=True)
class Target:
    """A backend. ``configuration`` is that of its transport, including secrets.

    With ``namespaces`` it receives only their events: those that a token for these namespaces could
    have posted.
    """

    name: str
    configuration: dict[str, Any]
    from_beginning: bool = False
    namespaces: tuple[str, ...] = ()

    def accepts_event(self, body: str) -> bool:
        """Return whether the event is in the namespaces; an unreadable event is in none."""
        if not self.namespaces:
            return True
        try:
            return naming.covers_namespace(self.namespaces, parse_event(body).namespace)
        except InvalidEvent:
            return False

    def make_transport(self) -> Transport:
        """Create the transport. Raises UsageError if its configuration is invalid."""
        from openlineage.client.transport import get_default_factory

        from lineage.forwarding.http_session import Session

        configuration = copy.deepcopy(self.configuration)
        if configuration["type"] == "http":
            configuration["retry"] = {**_NO_RETRY, **(configuration.get("retry") or {})}
            configuration["session"] = Session()
        try:
            transport = get_default_factory().create(configuration)
        except Exception as error:  # noqa: BLE001 - transports raise any exception
            raise UsageError(
                f'The transport of target "{self.name}" cannot be created:'
                f" {self.describe_error(error)}."
            ) from None
        if transport.kind == "noop":
            raise UsageError(
                f'The transport of target "{self.name}" discards all events.',
                "OPENLINEAGE_DISABLED is true: unset it.",
            )
        return transport

    def describe_error(self, error: Exception) -> str:
        """Format an error without the secrets of the configuration."""
        text = f"{type(error).__name__}: {error}"
        for secret in sorted(_find_secrets(self.configuration), key=len, reverse=True):
            text = text.replace(secret, "***")
        return text[:500].rstrip(".")


def _find_secrets(value: Any, key: str = "") -> Iterator[str]:
    """Yield all texts that may be secret, in case of doubt too many."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _find_secrets(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _find_secrets(inner, key)
    elif isinstance(value, str) and key == "url":
        parts = urlsplit(value)
        yield from (text for text in (parts.password, parts.query) if text)
    elif isinstance(value, str) and key not in _OPEN and len(value) >= _MIN_SECRET_LENGTH:
        yield value


def read_targets(path: Path) -> list[Target]:
    """Read the targets of a file. Raises UsageError that names the invalid target."""
    document = read_yaml(path, f"The file of targets {path}")
    targets = document.get("targets") if isinstance(document, dict) else None
    if isinstance(document, dict) and (unknown := sorted(map(str, set(document) - {"targets"}))):
        raise UsageError(
            f"The file {path} has an unknown key: {unknown[0]}.",
            suggest_name(unknown[0], ["targets"]),
        )
    if not isinstance(targets, dict) or not targets:
        raise UsageError(f"The file {path} has no targets.", "See: lineage forward run --help")
    return [_read_target(str(name), entry) for name, entry in targets.items()]


def _read_target(name: str, entry: Any) -> Target:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a valid target name.",
            "Use up to 60 letters, digits, dots and dashes.",
        )
    if not isinstance(entry, dict) or not isinstance(entry.get("transport"), dict):
        raise UsageError(f'Target "{name}" has no transport.')
    if unknown := sorted(map(str, set(entry) - set(_SETTINGS))):
        raise UsageError(
            f'Target "{name}" has an unknown setting: {unknown[0]}.',
            suggest_name(unknown[0], _SETTINGS),
        )
    start = entry.get("from", "now")
    if start not in ("now", "beginning"):
        raise UsageError(f'Target "{name}": from is neither now nor beginning.')
    configuration = _expand_variables(name, entry["transport"])
    _check_type(name, configuration.get("type"))
    return Target(name, configuration, start == "beginning", _read_namespaces(name, entry))


def _read_namespaces(name: str, configuration: dict[str, Any]) -> tuple[str, ...]:
    """Return the namespaces of a target. Raises UsageError for an empty list."""
    namespaces = configuration.get("namespaces", ())
    texts = isinstance(namespaces, list) and all(
        isinstance(each, str) and each for each in namespaces
    )
    if "namespaces" in configuration and not (texts and namespaces):
        raise UsageError(
            f'Target "{name}": namespaces is not a list of names.',
            'Write namespaces: ["sales*"], or omit it to send all events.',
        )
    return tuple(namespaces)


def _check_type(name: str, kind: object) -> None:
    # A class given by its path cannot be checked.
    if not isinstance(kind, str) or (kind not in _SYNCHRONOUS and "." not in kind):
        raise UsageError(
            f'The transport of target "{name}" is of type {kind!r}, which does not report whether'
            " an event has arrived.",
            f"Use {', '.join(_SYNCHRONOUS)}, or the path of a transport class.",
        )


def _expand_variables(name: str, value: Any) -> Any:
    """Replace ``${VARIABLE}`` in ``value`` by variables of the environment."""
    if isinstance(value, dict):
        return {key: _expand_variables(name, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_expand_variables(name, inner) for inner in value]
    if not isinstance(value, str):
        return value
    for variable in _VARIABLE.findall(value):
        if variable not in os.environ:
            raise UsageError(f'Target "{name}" needs {variable}, which is not set.')
    return _VARIABLE.sub(lambda match: os.environ[match[1]], value)
