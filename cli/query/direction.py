"""``--direction`` and its short forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.query.records import OneWay

    F = TypeVar("F", bound="Callable[..., Any]")

_NAMES = ("upstream", "downstream")


def direction_options(command: F) -> F:
    """Declare the options whose values ``read_directions`` takes."""
    for name in reversed(_NAMES):
        short = f"Short for --direction {name}. Both flags together select both directions."
        command = click.option(f"--{name}", is_flag=True, help=short)(command)
    return click.option(
        "--direction",
        type=click.Choice([*_NAMES, "both"]),
        help="Direction to follow.  [default: upstream]",
    )(command)


def read_directions(direction: str | None, upstream: bool, downstream: bool) -> list[OneWay]:
    """Return the directions that the options name, upstream if they name none."""
    directions: list[OneWay] = []
    if upstream or direction in ("upstream", "both"):
        directions.append("upstream")
    if downstream or direction in ("downstream", "both"):
        directions.append("downstream")
    return directions or ["upstream"]
