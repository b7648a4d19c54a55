"""The checks of ``lineage doctor`` for the hub of Python programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lineage.errors import LineageError, UsageError
from lineage.naming import redact_url

from .output import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lineage.hub.configuration import Settings
    from lineage.hub.delivery import MakeSink


def hub_checks() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield a layer and its check for each sink, the observers and the spool.

    A sink is started as a program would do, with the variables of this environment, and receives
    no event. Nothing but the spool is checked if recording is off.
    """
    from lineage.hub.configuration import read_settings
    from lineage.hub.emitter import choose_sinks

    settings = read_settings()
    if settings.enabled:
        sinks = choose_sinks(settings.sink_ids)
        for sink_id in dict.fromkeys([*sinks, *settings.sink_ids]):
            yield "hub sink", _sink_check(sink_id, sinks.get(sink_id))
        if settings.observe:
            yield "observers", lambda: _check_observers(settings)
    yield "hub spool", lambda: _check_spool(settings)


def is_hub_enabled() -> bool:
    """Return whether programs with this environment record their runs."""
    from lineage.hub.configuration import read_settings

    return read_settings().enabled


def _sink_check(sink_id: str, make: MakeSink | None) -> Callable[[], str]:
    def start_sink() -> str:
        if make is None:
            raise UsageError(
                f'No sink "{sink_id}" is installed.', "Remove it from LINEAGE_SINK_IDS."
            )
        try:
            sink = make()
            sink.init(os.environ)
            sink.shutdown()
        except LineageError:
            raise
        except Exception as error:
            message = redact_url(" ".join(str(error).split())) or type(error).__name__
            raise UsageError(
                f'Sink "{sink_id}" cannot be started: {message}',
                "Events wait in the spool until it can.",
            ) from error
        return f"{sink_id} can be started"

    return start_sink


def _check_observers(settings: Settings) -> str:
    from importlib.metadata import entry_points

    from lineage.hub.observers import GROUP

    installed = {entry.name.lower() for entry in entry_points(group=GROUP)}
    if unknown := [each for each in settings.observe if each not in installed]:
        raise UsageError(
            f"LINEAGE_OBSERVE has {', '.join(unknown)}, which cannot be observed.",
            f"There are: {', '.join(sorted(installed))}.",
        )
    return ", ".join(settings.observe)


def count_spooled_files(spool: Path) -> int:
    """Return the number of files of events in the hub's spool."""
    return len(list(spool.glob("*.jsonl"))) if spool.is_dir() else 0


def _check_spool(settings: Settings) -> str:
    if count := count_spooled_files(settings.spool):
        raise UsageError(
            f"{render.count_of(count, 'file')} of events in the spool.",
            "Ingest them, then delete those of programs that have ended:"
            f" lineage ingest {settings.spool}",
        )
    return f"no events in {settings.spool}"
