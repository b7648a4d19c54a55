"""Options that name the database of a dbt project, which the files of dbt do not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.readers.dbt.files import Artifacts


@dataclass(frozen=True)
class DbtServer:
    """The database: its namespace, or the profile and the name of its output."""

    namespace: str | None
    profiles_dir: Path | None
    output: str | None

    def find_namespace(self, target: Path, artifacts: Artifacts) -> str:
        """Return the namespace. Raises UsageError if neither option was given."""
        from lineage.readers.dbt.profiles import read_namespace

        if self.namespace:
            return self.namespace
        if self.profiles_dir is None:
            raise UsageError(
                "The files of dbt do not have the address of the database.",
                "Specify --namespace, for example postgres://HOST:5432, or --profiles-dir.",
            )
        adapter = artifacts.manifest.metadata.adapter_type
        return read_namespace(self.profiles_dir, target.absolute().parent, adapter, self.output)


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the options; the command receives a DbtServer as ``server``."""

    @wraps(command)
    def call_command(
        *arguments: Any,
        namespace: str | None,
        profiles_dir: Path | None,
        output: str | None,
        **more: Any,
    ) -> Any:
        return command(*arguments, server=DbtServer(namespace, profiles_dir, output), **more)

    for option in (
        click.option(
            "--target", "output", metavar="NAME", help="Output of the profile, if not the default."
        ),
        click.option(
            "--profiles-dir",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Directory of profiles.yml, from which the address of the server is read.",
        ),
        click.option(
            "--namespace",
            metavar="NS",
            help="Namespace of the tables, such as postgres://HOST:5432.",
        ),
    ):
        call_command = option(call_command)
    return call_command
