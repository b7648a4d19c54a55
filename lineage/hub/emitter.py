"""The hub of this process, and the sinks that are installed."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lineage.hub.configuration import LOG, read_settings
from lineage.hub.hub import Hub

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.hub.delivery import LineageSink, MakeSink

GROUP = "lineage.sinks"
# The sinks of this package, each with the variables of which one configures it.
_OWN_SINKS = {
    "graph": ("LINEAGE_DSN",),
    "collector": ("LINEAGE_URL",),
    "openlineage": ("OPENLINEAGE_URL", "OPENLINEAGE_CONFIG", "OPENLINEAGE__TRANSPORT__TYPE"),
    "file": (),
    "logging": (),
}

_lock = threading.Lock()
_emitter: Hub | None = None


def get_emitter() -> Hub:
    """Return the hub of this process, which the environment configures at the first call."""
    global _emitter
    if _emitter is None:
        with _lock:
            if _emitter is None:
                settings = read_settings()
                _emitter = Hub(partial(choose_sinks, settings.sink_ids), settings)
    return _emitter


def configure(sinks: Mapping[str, MakeSink] | None = None, **settings: Any) -> Hub:
    """Replace the hub of this process by one that is enabled, and return it.

    ``sinks``: the function that creates each sink, by its id; by default the installed ones.
    ``settings``: the fields of ``Settings``, before the variables of the environment. The previous
    hub is shut down.
    """
    global _emitter
    if "spool" in settings:
        settings["spool"] = Path(settings["spool"])
    chosen = replace(read_settings(), **{"enabled": True, **settings})
    with _lock:
        previous = _emitter
        _emitter = Hub(sinks or partial(choose_sinks, chosen.sink_ids), chosen)
    if previous is not None:
        previous.shutdown()
    return _emitter


def choose_sinks(sink_ids: tuple[str, ...]) -> dict[str, MakeSink]:
    """Return the installed sinks of these ids; without ids, those of others and configured ones."""
    installed = {entry.name.lower(): entry for entry in entry_points(group=GROUP)}
    chosen = sink_ids or _default_sinks(installed)
    for unknown in [each for each in chosen if each not in installed]:
        LOG.warning(
            'No sink "%s" is installed, which LINEAGE_SINK_IDS names. There are: %s.',
            unknown,
            ", ".join(sorted(installed)),
        )
    return {each: partial(_load_sink, installed[each]) for each in chosen if each in installed}


def _default_sinks(installed: Mapping[str, EntryPoint]) -> tuple[str, ...]:
    configured = tuple(
        name
        for name in installed
        if name not in _OWN_SINKS or any(map(os.environ.get, _OWN_SINKS[name]))
    )
    if not configured:
        LOG.warning(
            "No sink is configured: events are written to files in LINEAGE_HUB_SPOOL. Set"
            " LINEAGE_DSN or LINEAGE_URL."
        )
    return configured or ("file",)


def _load_sink(entry: EntryPoint) -> LineageSink:
    sink: LineageSink = entry.load()()
    return sink
