"""``lineage token``: who may use the collector."""

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
    """Make, list and remove the tokens of the collector."""


@token.command()
@click.argument("name")
@click.option(
    "--scope", type=click.Choice(["read", "write"]), default="write", show_default=True,
    help="What it is good for.",
)  # fmt: skip
@click.option(
    "--namespace", "namespaces", metavar="NAMESPACE", multiple=True,
    help="Namespace of jobs or datasets that it may change; * stands for any text. Repeatable.",
)  # fmt: skip
@options.dsn
def add(name: str, scope: Scope, namespaces: tuple[str, ...], dsn: str | None) -> None:
    """Make a token called NAME and print it: it is not kept, and cannot be shown again.

    \b
    Examples:
      lineage token add airflow --namespace 'airflow*' --namespace 's3://lake'
      lineage token add grafana --scope read
    """
    from lineage.database.connection import connect
    from lineage.errors import UsageError
    from lineage.http import tokens

    if scope == "read" and namespaces:
        raise UsageError(
            "A token to read cannot be limited to namespaces: lineage leads through all of them.",
            "Leave out --namespace, or give the token --scope write.",
        )
    with connect(dsn, autocommit=True) as conn:
        click.echo(tokens.add_token(conn, name, scope, namespaces))


@token.command("list")
@options.format_option(*render.ROWS)
@options.dsn
def list_(form: str, dsn: str | None) -> None:
    """List tokens: what each is good for.

    \b
    Example:
      lineage token list
    """
    from lineage.database.connection import connect
    from lineage.http import tokens

    with connect(dsn, autocommit=True) as conn:
        rows = [dataclasses.asdict(each) for each in tokens.all_of(conn)]
    render.emit_rows(rows, form, ["name", "scope", "namespaces"])


@token.command()
@click.argument("name")
@options.dsn
def remove(name: str, dsn: str | None) -> None:
    """Remove a token. Within ten seconds every collector refuses it.

    \b
    Example:
      lineage token remove airflow
    """
    from lineage.database.connection import connect
    from lineage.http import tokens

    with connect(dsn, autocommit=True) as conn:
        tokens.remove_token(conn, name)
