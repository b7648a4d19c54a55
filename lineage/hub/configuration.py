"""The settings of the hub, from arguments and environment variables."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.settings import expand_home, spool_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

LOG = logging.getLogger("lineage.hub")

_TRUE = ("y", "yes", "1", "true", "on")
_FALSE = ("", "n", "no", "0", "false", "off")
# In this order; the first that is set is used.
_NAMESPACES = ("LINEAGE_NAMESPACE", "OPENLINEAGE__NAMESPACE", "OPENLINEAGE_NAMESPACE")


@dataclass(frozen=True)
class Settings:
    """``capacity`` and ``batch_size``: events of each sink. ``linger_ms``: milliseconds.

    ``durable``: whether starts and ends of runs are on disk before ``emit`` returns.
    ``sink_ids``: empty for the default sinks. ``spool``: the directory of undelivered events.
    ``flush_seconds``: how long the end of the program waits for sinks. ``observe``: the ids of
    observers.
    """

    enabled: bool = False
    capacity: int = 10_000
    batch_size: int = 100
    linger_ms: int = 250
    sink_ids: tuple[str, ...] = ()
    spool: Path = Path()
    durable: bool = False
    flush_seconds: float = 5.0
    observe: tuple[str, ...] = ()


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the variables. An invalid value is logged, and the default used."""
    enabled = _read_switch(environment, "LINEAGE_ENABLED")
    if enabled and _read_switch(environment, "OPENLINEAGE_DISABLED"):
        LOG.warning("LINEAGE_ENABLED has no effect, because OPENLINEAGE_DISABLED is true.")
        enabled = False
    return Settings(
        enabled=enabled,
        capacity=_read_number(environment, "LINEAGE_QUEUE_CAPACITY", 1, Settings.capacity),
        batch_size=_read_number(environment, "LINEAGE_BATCH_MAX", 1, Settings.batch_size),
        linger_ms=_read_number(environment, "LINEAGE_BATCH_LINGER_MS", 0, Settings.linger_ms),
        sink_ids=_read_ids(environment, "LINEAGE_SINK_IDS"),
        spool=hub_spool(environment),
        durable=_read_switch(environment, "LINEAGE_DURABLE"),
        flush_seconds=_read_number(environment, "LINEAGE_FLUSH_SECONDS", 0, 5),
        observe=_read_ids(environment, "LINEAGE_OBSERVE"),
    )


def hub_spool(environment: Mapping[str, str] = os.environ) -> Path:
    """Return LINEAGE_HUB_SPOOL, by default ``hub`` beside the listener's spool."""
    configured = environment.get("LINEAGE_HUB_SPOOL")
    return expand_home(configured) if configured else spool_directory().parent / "hub"


def default_namespace() -> str:
    """Return the namespace of jobs that state none."""
    return next((value for name in _NAMESPACES if (value := os.environ.get(name))), "default")


def _read_ids(environment: Mapping[str, str], name: str) -> tuple[str, ...]:
    ids = re.split(r"[,\s]+", environment.get(name, ""))
    return tuple(dict.fromkeys(each.lower() for each in ids if each))


def _read_switch(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "").strip().lower()
    if text not in _TRUE + _FALSE:
        LOG.warning('%s is "%s" and should be Y or N. N is used.', name, environment[name])
    return text in _TRUE


def _read_number(environment: Mapping[str, str], name: str, least: int, default: int) -> int:
    text = environment.get(name, "").strip()
    if not text:
        return default
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least:
        return int(text)
    LOG.warning(
        '%s is "%s" and should be a whole number from %d on. %d is used.',
        name,
        text,
        least,
        default,
    )
    return default
