"""A group that imports a command when it is looked up."""

from __future__ import annotations

import importlib
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that imports only the command that runs, for a short start-up time."""

    def __init__(self, *, package: str, places: dict[str, str], **attributes: Any) -> None:
        """Take ``places``, "module:attribute" below ``package`` by the name of each command."""
        super().__init__(**attributes)
        self.package = package
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (place := self.places.get(cmd_name)) is None:
            return None
        module, _, attribute = place.partition(":")
        imported = importlib.import_module(f".{module}", self.package)
        command: click.Command = getattr(imported, attribute)
        return command
