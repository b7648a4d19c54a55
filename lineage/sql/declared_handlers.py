"""The order of handlers of errors that a block declares before its statements, as in MySQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.sql.branches import Places
    from lineage.sql.splitting import Piece


def order_handlers(placed: Sequence[tuple[Piece, Places]]) -> list[tuple[Piece, Places]]:
    """Return the pieces of a text with declared handlers behind the other statements of a block."""
    ends = {
        block.number: index
        for index, (_, places) in enumerate(placed)
        for block, _ in places
        if block.declared_handlers
    }
    if not ends:
        return list(placed)

    def key_of(index: int) -> list[float]:
        key: list[float] = []
        for depth, (block, arm) in enumerate(placed[index][1]):
            if block.declared_handlers and arm:  # inner blocks that end there are first
                key += [ends[block.number] + 0.5, -depth, arm]
        return [*key, index]

    return [placed[index] for index in sorted(range(len(placed)), key=key_of)]
