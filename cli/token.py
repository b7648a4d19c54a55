"""``lineage token``: the tokens of the collector."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from . import options
from .output import render

if TYPE_CHECKING:
    from lineage.http.tokens import Scope


@click.group()
def token() -> None:
    """Add, list and remove tokens of the collector."""


@token.command()
@click.argument("name")
@click.option(
    "--scope", type=click.Choice(["read", "write"]), default="write", show_default=True,
    help="Requests that the token permits.",
)  # fmt: skip
@click.option(
    "--namespace", "namespaces", metavar="NAMESPACE", multiple=True,
    help="Namespace of jobs or datasets that the token may change; * matches any text. May be"
    " repeated.",
)  # fmt: skip
@options.dsn
def add(name: str, scope: Scope, namespaces: tuple[str, ...], dsn: str | None) -> None:
    """Create a token with the name NAME and print it.

    The token itself is not stored and cannot be printed again.

    \b
    Examples:
      lineage token add airflow --namespace 'airflow*' --namespace 's3://lake'
      lineage token add grafana --scope read
    """
    from lineage.database.connection import connect_migrated
    from lineage.errors import UsageError
    from lineage.http import tokens

    if scope == "read" and namespaces:
        raise UsageError(
            "A token with the scope read cannot be limited to namespaces, because lineage crosses"
            " namespaces.",
            "Omit --namespace, or use --scope write.",
        )
    with connect_migrated(dsn) as conn:
        click.echo(tokens.add_token(conn, name, scope, namespaces))


@token.command("list")
@options.format_option(*render.ROWS)
@options.dsn
def list_(form: str, dsn: str | None) -> None:
    """List the tokens with their scopes and namespaces.

    \b
    Example:
      lineage token list
    """
    from lineage.database.connection import connect_migrated
    from lineage.http import tokens

    with connect_migrated(dsn) as conn:
        rows = [dataclasses.asdict(each) for each in tokens.list_tokens(conn)]
    if form == "table":
        rows = [{**row, "namespaces": ", ".join(row["namespaces"]) or "all"} for row in rows]
    render.emit_rows(rows, form, ["name", "scope", "namespaces"])


@token.command()
@click.argument("name")
@options.dsn
def remove(name: str, dsn: str | None) -> None:
    """Remove a token.

    Every collector rejects it within ten seconds.

    \b
    Example:
      lineage token remove airflow
    """
    from lineage.database.connection import connect_migrated
    from lineage.http import tokens

    with connect_migrated(dsn) as conn:
        tokens.remove_token(conn, name)
