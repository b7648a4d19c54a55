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

    ``declared`` are the variables of the block. ``jumps`` has the arms that a jump leaves: see
    `Branch.leads_to`. ``declared_handlers`` is the number of its handlers that are declared before
    its statements, and ``continuing`` are their arms after which the block goes on.
    """

    kind: BlockKind
    number: int
    arm: int = 0
    has_rest: bool = False
    is_handled: bool = False
    label: str = ""
    declared: dict[str, None] = field(default_factory=dict)
    jumps: dict[int, int] = field(default_factory=dict)
    declared_handlers: int = 0
    continuing: set[int] = field(default_factory=set)
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
        if self.kind == "block" and not self.is_handled:
            return None
        has_all = (self.has_rest or self.is_handled) and len(self._executed) > self.arm
        return Branch(self.number, arm, not has_all, self.is_handled, self.jumps.get(arm))


class OpenBlocks:
    """The blocks around a place of a text, and the variables that they declare.

    ``_pending`` are the variables that are declared before the BEGIN of their block; None between
    BEGIN and DECLARE.
    """

    def __init__(self) -> None:
        self.blocks: list[OpenBlock] = []
        self.label = ""  # of the next block
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
        is_handler = "handler" in kinds
        return any(
            block.kind in kinds or (is_handler and block.declared_handlers and block.arm)
            for block in self.blocks
        )

    def begin_block(self, kind: BlockKind, arm: int = 0) -> None:
        self._count += 1
        block = OpenBlock(kind, self._count, arm, label=self.label)
        self.label = ""
        if kind == "block" and self._pending is not None:
            block.declared = self._pending
            self._pending = None
        self.blocks.append(block)

    def end_block(self) -> tuple[str, ...]:
        """End the last block; return its variables that may hide others.

        A jump that leaves a block without handlers leaves the arm around it.
        """
        if not self.blocks:
            return ()
        block = self.blocks.pop()
        if self.blocks and block.kind == "block" and not block.is_handled and 0 in block.jumps:
            self.blocks[-1].jumps[self.blocks[-1].arm] = block.jumps[0]
        return tuple(block.declared) if self.blocks else ()

    def declare_handler(self, *, continues: bool) -> None:
        """Begin a handler that is declared before the statements of the last block, as its arm."""
        if self.blocks:
            last = self.blocks[-1]
            last.is_handled = True
            last.declared_handlers += 1
            last.arm = last.declared_handlers
            if continues:
                last.continuing.add(last.arm)
        self.begin_block("block")

    def end_handler(self) -> None:
        """Go on with the first arm if the block that has ended was a declared handler."""
        if self.blocks and self.blocks[-1].declared_handlers:
            self.blocks[-1].arm = 0

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


def leave_arm(blocks: Sequence[OpenBlock], *, is_in_loop: bool, label: str = "") -> None:
    """Record that a jump leaves the innermost arm: to the end of a loop, or of the text.

    A jump to the end of an inner block, by its label, is not followed.
    """
    if not is_in_loop:
        target = 0
    elif label:
        outer = next((block for block in reversed(blocks) if block.label == label), None)
        if outer is None or (outer.kind != "loop" and outer is not blocks[0]):
            return
        target = outer.number if outer.kind == "loop" else 0
    else:
        target = next((block.number for block in reversed(blocks) if block.kind == "loop"), 0)
    if blocks:
        blocks[-1].jumps[blocks[-1].arm] = target


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
    """A branch in which a statement was, the state before it, and those after its other arms.

    ``is_left``: whether no way leads to it. ``errors`` are the states in which the first arm may
    have failed.
    """

    branch: Branch
    before: S
    is_left: bool
    ends: list[S] = field(default_factory=list)
    errors: list[S] = field(default_factory=list)


class BranchedState(Generic[S]):
    """Follows a state through branches: after them, it joins those of all ways to that place.

    No state is changed by ``join_states``. ``_returned`` are those in which a jump ended the text.
    ``_is_left``: whether no way leads to the current place.
    """

    def __init__(self, copy: Callable[[S], S], join_states: Callable[[Sequence[S]], S]) -> None:
        self._copy = copy
        self._join_states = join_states
        self._entered: list[_Entered[S]] = []
        self._returned: list[S] = []
        self._is_left = False

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
            self._end_arm(state)
            is_next = len(self._entered) == same + 1 and len(branches) > same
            if is_next and branches[same].number == last.branch.number:
                return self._enter_new(branches, same + 1, self._begin_arm(branches[same]))
            self._entered.pop()
            is_passed = last.branch.is_optional and not last.is_left
            states = [last.before, *last.ends] if is_passed else last.ends
            self._is_left = not states and bool(self._entered)
            state = self._join_states(states or [state])
        return self._enter_new(branches, same, state)

    def leave_text(self, state: S) -> S:
        """Return the state after a text, which a jump may have ended before."""
        state = self.enter_branches((), state)
        if not self._returned:
            return state
        states = [state, *self._returned]
        self._returned = []
        return self._join_states(states)

    def _end_arm(self, state: S) -> None:
        """Add the state after the last arm to those at the place where it goes on."""
        *around, last = self._entered
        leads_to = last.branch.leads_to
        if last.branch.arm == 0:
            last.errors.append(state)
        if leads_to is not None:
            for outer in around:
                if outer.branch.arm == 0:
                    outer.errors.append(state)
        if self._is_left:
            return
        if leads_to is None:
            last.ends.append(state)
        elif leads_to == 0:
            self._returned.append(state)
        else:
            for entered in self._entered:
                if entered.branch.number == leads_to:
                    entered.ends.append(state)

    def _begin_arm(self, branch: Branch) -> S:
        """Begin another arm; that of a handler begins after any part of the first."""
        last = self._entered[-1]
        last.branch = branch
        self._is_left = last.is_left
        if branch.is_handled:
            return self._join_states([last.before, *last.errors])
        return self._copy(last.before)

    def _enter_new(self, branches: tuple[Branch, ...], start: int, state: S) -> S:
        for branch in branches[start:]:
            self._entered.append(_Entered(branch, state, self._is_left))
            state = self._copy(state)
        return state
