"""The blocks and branches of a text of T-SQL, whose IF and WHILE have no end of their own."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from lineage.sql.branches import OpenBlock, leave_arm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.sql.branches import BlockKind, Places
    from lineage.sql.lexer import Token


def join_labels(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield tokens with ``retry:`` at the beginning of a line as one of the kind label."""
    every = list(tokens)
    is_first = True
    place = 0
    while place < len(every):
        token = every[place]
        following = [each.text for each in every[place + 1 : place + 3]]
        is_label = is_first and token.kind in ("word", "quoted") and following[:1] == [":"]
        is_label = is_label and following[1:] != [":"]  # of a method: geometry::Parse
        yield token._replace(kind="label", text=token.text + ":") if is_label else token
        place += 1 + is_label
        is_blank = token.kind in ("space", "comment")
        is_first = "\n" in token.text or token.text == ";" or (is_first and is_blank)


class TsqlBlocks:
    """The branches of the next statement.

    ``_begun`` has those that each open BEGIN is the statement of. ``_chosen`` are those of a single
    statement, and ``_ended`` those of the last one, which ELSE may continue. ``_tried`` are those
    of the last TRY. ``_left`` are the blocks that a jump leaves.
    """

    def __init__(self) -> None:
        self._begun: list[list[OpenBlock]] = []
        self._chosen: list[OpenBlock] = []
        self._ended: list[OpenBlock] = []
        self._tried: list[OpenBlock] = []
        self._left: list[OpenBlock] = []
        self._count = 0

    @property
    def is_conditional(self) -> bool:
        """Whether the next statement may not be executed; one in TRY is."""
        return any(block.kind != "handler" or block.arm for block in self._list_around())

    def place_statement(self, words: Sequence[str]) -> Places:
        """Return the place of a statement, and follow IF and WHILE, whose condition it is."""
        around = self._list_around()
        places = tuple(block.place_statement() for block in around)
        if around and words[:1] in (["RETURN"], ["THROW"], ["BREAK"], ["CONTINUE"]):
            leave_arm(around, is_in_loop=words[0] in ("BREAK", "CONTINUE"))
            self._left.append(around[-1])
        if words[:1] == ["IF"]:
            self._chosen = [*self._chosen, self._open_block("branch")]
        elif words[:1] == ["WHILE"]:
            self._chosen = [*self._chosen, self._open_block("loop")]
        elif words:
            self._chosen, self._ended = [], self._chosen
        return places

    def follow_structure(self, word: str, before: str) -> None:
        """Follow a word around statements; BEGIN TRY and BEGIN CATCH are blocks too."""
        if word == "BEGIN":
            self._begun.append(self._chosen)
            self._chosen = []
        elif word == "TRY" and before == "BEGIN":
            block = self._open_block("handler")
            block.is_handled = True
            self._begun[-1:] = [[*chain.from_iterable(self._begun[-1:]), block]]
        elif word == "TRY":
            self._tried = self._ended
        elif word == "CATCH" and before == "BEGIN":
            self._begun[-1:] = [self._tried or [self._open_block("branch")]]
            self._begun[-1][-1].begin_arm()
        elif word == "END":
            self._ended = self._begun.pop() if self._begun else []
        elif word == "ELSE":
            self._begin_else()
        elif word == "GO":
            self._begun, self._chosen, self._ended = [], [], []
            for block in self._left:  # a jump ends its batch, instead of the text
                block.jumps.clear()

    def undo_begin(self) -> None:
        """Take the last BEGIN for that of a transaction."""
        self._chosen = self._begun.pop() if self._begun else []

    def _begin_else(self) -> None:
        """Continue the last IF that has no ELSE."""
        while self._ended and (self._ended[-1].kind != "branch" or self._ended[-1].has_rest):
            self._ended.pop()
        self._chosen = self._ended or [self._open_block("branch")]
        self._ended = []
        self._chosen[-1].begin_arm(is_rest=True)

    def _list_around(self) -> list[OpenBlock]:
        return [*chain.from_iterable(self._begun), *self._chosen]

    def _open_block(self, kind: BlockKind) -> OpenBlock:
        self._count += 1
        return OpenBlock(kind, self._count)
