"""Branches of a text: what is executed not at all or several times, and what is known after it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from lineage.sql.records import Branch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lineage.sql.records import Statement

S = TypeVar("S")
BlockKind: TypeAlias = Literal["block", "branch", "loop", "handler"]


@dataclass(eq=False)
class OpenBlock:
    """A block while the statements in it are split; ``arm`` is the number of the current arm.

    ``declared`` are the variables of the block.
    """

    kind: BlockKind
    number: int
    arm: int = 0
    has_rest: bool = False
    is_handled: bool = False
    declared: dict[str, None] = field(default_factory=dict)
    _executed: set[int] = field(default_factory=set)

    def begin_arm(self, *, is_rest: bool = False) -> None:
        """Begin the next arm; that of ELSE is executed if no other is."""
        self.arm += 1
        self.has_rest = self.has_rest or is_rest

    def begin_handler(self) -> None:
        """Begin the handlers of errors of the block; each is an arm."""
        self.kind = "handler"
        self.is_handled = True

    def place_statement(self) -> tuple[OpenBlock, int]:
        """Return the current arm as the place of a statement."""
        self._executed.add(self.arm)
        return self, self.arm

    def to_branch(self, arm: int) -> Branch | None:
        """Return an arm when all are known; None if it is executed in any case."""
        if self.kind == "block":
            return None
        has_all = (self.has_rest or self.is_handled) and len(self._executed) > self.arm
        return Branch(self.number, arm, not has_all, self.is_handled)


class OpenBlocks:
    """The blocks around a place of a text, and the variables that they declare.

    ``_pending`` are the variables that are declared before the BEGIN of their block; None between
    BEGIN and DECLARE.
    """

    def __init__(self) -> None:
        self.blocks: list[OpenBlock] = []
        self._pending: dict[str, None] | None = {}
        self._count = 0

    @property
    def is_declaring(self) -> bool:
        """Whether what follows are declarations before a BEGIN."""
        return self._pending is not None

    @property
    def current_places(self) -> Places:
        """The place of the next statement in each block."""
        return tuple(block.place_statement() for block in self.blocks)

    def has_any(self, *kinds: BlockKind) -> bool:
        return any(block.kind in kinds for block in self.blocks)

    def begin_block(self, kind: BlockKind, arm: int = 0) -> None:
        self._count += 1
        block = OpenBlock(kind, self._count, arm)
        if kind == "block" and self._pending is not None:
            block.declared = self._pending
            self._pending = None
        self.blocks.append(block)

    def end_block(self) -> tuple[str, ...]:
        """End the last block; return its variables that may hide others."""
        names = tuple(self.blocks.pop().declared) if self.blocks else ()
        return names if self.blocks else ()

    def begin_declarations(self) -> None:
        self._pending = {} if self._pending is None else self._pending

    def declare_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Declare variables in the block that begins, else in the last; return which hide others.

        A variable of the first block hides none.
        """
        blocks = [block for block in self.blocks if block.kind in ("block", "handler")]
        is_inner = len(blocks) > (self._pending is None)
        own = self._pending
        if own is None:
            own = blocks[-1].declared if blocks else {}
        hiding = tuple(name for name in names if name not in own) if is_inner else ()
        own.update(dict.fromkeys(names))
        return hiding


Places: TypeAlias = "tuple[tuple[OpenBlock, int], ...]"


def place_statements(
    statements: Iterable[Statement], branches: tuple[Branch, ...]
) -> list[Statement]:
    """Return the statements of a piece with the branches in which they are."""
    if not branches:
        return list(statements)
    return [replace(statement, branches=branches) for statement in statements]


def branches_of(places: Places) -> tuple[Branch, ...]:
    """Return the branches of a statement."""
    branches = (block.to_branch(arm) for block, arm in places)
    return tuple(branch for branch in branches if branch is not None)


@dataclass
class _Entered(Generic[S]):
    """A branch in which a statement was, the state before it, and those after its other arms."""

    branch: Branch
    before: S
    ends: list[S] = field(default_factory=list)


class BranchedState(Generic[S]):
    """Follows a state through branches: after them, it joins those of all ways to that place.

    No state is changed by ``join_states``.
    """

    def __init__(self, copy: Callable[[S], S], join_states: Callable[[Sequence[S]], S]) -> None:
        self._copy = copy
        self._join_states = join_states
        self._entered: list[_Entered[S]] = []

    def enter_branches(self, branches: tuple[Branch, ...], state: S) -> S:
        """Return the state before a statement; ``state`` is that after the last one."""
        if not branches and not self._entered:
            return state
        same = 0
        for entered, branch in zip(self._entered, branches, strict=False):
            if entered.branch[:2] != branch[:2]:
                break
            same += 1
        while len(self._entered) > same:
            last = self._entered[-1]
            is_next = len(self._entered) == same + 1 and len(branches) > same
            if is_next and branches[same].number == last.branch.number:
                return self._enter_new(branches, same + 1, self._begin_arm(branches[same], state))
            self._entered.pop()
            before = [last.before] if last.branch.is_optional else []
            state = self._join_states([*before, *last.ends, state])
        return self._enter_new(branches, same, state)

    def _begin_arm(self, branch: Branch, state: S) -> S:
        """Begin another arm; that of a handler begins after any part of the first."""
        last = self._entered[-1]
        last.branch = branch
        last.ends.append(state)
        if branch.is_handled:
            return self._join_states([last.before, last.ends[0]])
        return self._copy(last.before)

    def _enter_new(self, branches: tuple[Branch, ...], start: int, state: S) -> S:
        for branch in branches[start:]:
            self._entered.append(_Entered(branch, state))
            state = self._copy(state)
        return state
