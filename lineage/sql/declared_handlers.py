"""The order of handlers of errors that a block declares before its statements, as in MySQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.sql.branches import Places
    from lineage.sql.splitting import Piece


def order_handlers(placed: Iterable[tuple[Piece, Places]]) -> list[tuple[Piece, Places]]:
    """Return the pieces of a text with declared handlers behind the other statements of a block.

    Values that a CONTINUE handler assigns are also possible from its declaration on.
    """
    placed = list(_repeat_values(placed))
    ends = {
        block.number: index
        for index, (_, places) in enumerate(placed)
        for block, _ in places
        if block.declared_handlers
    }
    if not ends:
        return placed

    def key_of(index: int) -> list[float]:
        key: list[float] = []
        for depth, (block, arm) in enumerate(placed[index][1]):
            if block.declared_handlers and arm:  # inner blocks that end there are first
                key += [ends[block.number] + 0.5, -depth, arm]
        return [*key, index]

    return [placed[index] for index in sorted(range(len(placed)), key=key_of)]


def _repeat_values(placed: Iterable[tuple[Piece, Places]]) -> Iterator[tuple[Piece, Places]]:
    """Yield pieces, and what CONTINUE handlers assign where it may be the value of a variable.

    A handler may be executed within each statement of its block. Its values are added at its
    declaration, and again after each statement that assigns one of the same variables.
    """
    assigned: dict[int, list[tuple[Piece, frozenset[str]]]] = {}
    begins: dict[tuple[int, int], frozenset[str]] = {}
    hiding: frozenset[str] = frozenset()  # variables of inner blocks
    for piece, places in placed:
        yield piece, places
        before, hiding = hiding, hiding.union(piece.declared).difference(piece.released)
        names = hiding.intersection(piece.assigned)
        for depth, (block, arm) in enumerate(places):
            if arm in block.continuing:
                outer = begins.setdefault((block.number, arm), before)
                if piece.assigned and names <= outer:
                    again = piece._replace(adds=True)
                    assigned.setdefault(block.number, []).append((again, outer))
                    yield again, (*places[:depth], (block, 0))
            elif not arm:
                for again, outer in assigned.get(block.number, ()):
                    if names <= outer and not set(again.assigned).isdisjoint(piece.assigned):
                        yield again, places
