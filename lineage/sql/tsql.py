"""The parts of T-SQL's changes that sqlglot does not parse: OUTPUT, TOP and a second FROM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot.errors import ParseError

from lineage.sql.changes import ChangeReader, kind_of_change
from lineage.sql.inputs import CHANGES, Cte, Env
from lineage.sql.lexer import tokenize_text
from lineage.sql.names import take_name
from lineage.sql.trees import parse_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.sql.changes import Changed
    from lineage.sql.draft import Draft
    from lineage.sql.lexer import Token
    from lineage.sql.records import Name

_CHANGES = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
# Words after the list of OUTPUT, and after its table.
_AFTER_OUTPUT = frozenset(
    {"FROM", "WHERE", "VALUES", "SELECT", "OPTION", "DEFAULT", "EXEC", "EXECUTE", "OUTPUT", "WITH"}
)


def read_prepared(draft: Draft, prepared: Prepared) -> Changed:
    """Read a change, the rows of its OUTPUT clauses, and the changes in its FROM.

    Raises an error of sqlglot if it is not a change.
    """
    env = Env()
    for name, text in prepared.nested.items():
        nested = prepare_change(text, draft.dialect)
        if nested is not None:
            changed = read_prepared(draft, nested)
            env = env.with_cte(name, Cte(_output_sources(changed, nested.outputs)))
            draft.reads.update(dict.fromkeys(changed.targets))
    tree = parse_tree(prepared.text, draft.dialect)
    if not isinstance(tree, CHANGES):
        raise ParseError("not a change")
    draft.kind = kind_of_change(tree) if prepared.is_whole else tree.key.upper()
    changed = ChangeReader(draft).read_change(tree, env)
    for output in prepared.outputs:
        if output.target is not None:
            draft.add_flow(output.target, _output_sources(changed, [output]), "append")
            draft.reads.update(dict.fromkeys(changed.targets))
    return changed


def _output_sources(changed: Changed, outputs: list[Output]) -> tuple[Name, ...]:
    has_sources = any(output.has_sources for output in outputs)
    return tuple(dict.fromkeys(changed.targets) | (changed.sources if has_sources else {}))


@dataclass
class Output:
    """An OUTPUT clause: the table that receives the rows, and whether others flow into it.

    ``text`` is its list. ``target`` is None if the client receives the rows; ``columns`` are those
    of the target that it lists. ``has_sources`` is set if the list has columns of other tables
    than ``inserted`` and ``deleted``.
    """

    text: str
    has_sources: bool
    target: Name | None = None
    columns: tuple[str, ...] = ()


@dataclass
class Prepared:
    """A change that sqlglot parses, with the parts removed from it.

    ``nested`` maps the names that stand for changes in FROM to those changes. ``is_whole``: whether
    no part was removed.
    """

    text: str
    outputs: list[Output] = field(default_factory=list)
    nested: dict[str, str] = field(default_factory=dict)
    is_whole: bool = True


def prepare_change(text: str, dialect: str) -> Prepared | None:
    """Return a change without the clauses that sqlglot does not parse; None for another text."""
    tokens = [t for t in tokenize_text(text, dialect) if t.kind not in ("space", "comment")]
    prepared = Prepared(text)
    cuts = _Cuts(text, tokens)
    verb = cuts.verb
    if verb is None or cuts.words.get(0) not in (*_CHANGES, "WITH"):
        return None
    if not _is_execute(cuts):
        cuts.cut_outputs(dialect, prepared)
    cuts.cut_top(verb)
    if tokens[verb].text.upper() == "DELETE":
        cuts.cut_first_from(verb)
    cuts.cut_nested(prepared, verb)
    prepared.text = cuts.joined_text()
    prepared.is_whole = prepared.text == text
    return prepared


def _is_execute(cuts: _Cuts) -> bool:
    """Return whether it is INSERT … EXEC, where OUTPUT marks an argument."""
    return any(cuts.words.get(place) in ("EXEC", "EXECUTE") for place in cuts.top_level)


class _Cuts:
    """A text and the ranges of it that are replaced."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.words = {
            place: token.text.upper()
            for place, token in enumerate(tokens)
            if token.kind == "word" and (place == 0 or tokens[place - 1].text != ".")
        }
        self.depths = _depths_of(tokens)
        self.top_level = [place for place in self.words if self.depths[place] == 0]
        self.verb = next((p for p in self.top_level if self.words[p] in _CHANGES), None)
        self.ranges: list[tuple[int, int, str]] = []

    def joined_text(self) -> str:
        parts, end = [], 0
        for start, stop, replacement in sorted(self.ranges):
            parts += [self.text[end:start], replacement]
            end = stop
        return "".join([*parts, self.text[end:]])

    def _cut_tokens(self, start: int, stop: int) -> None:
        """Replace the tokens from ``start`` to before ``stop`` by a blank."""
        end = self.tokens[stop].start if stop < len(self.tokens) else len(self.text)
        self.ranges.append((self.tokens[start].start, end, " "))

    def cut_outputs(self, dialect: str, prepared: Prepared) -> None:
        start = next((p for p in self.top_level if self.words[p] == "OUTPUT"), None)
        while start is not None:
            stop, output = self._read_output(start, dialect)
            prepared.outputs.append(output)
            self._cut_tokens(start, stop)
            start = stop if self.words.get(stop) == "OUTPUT" else None

    def _read_output(self, start: int, dialect: str) -> tuple[int, Output]:
        """Return the position after an OUTPUT clause, and the clause."""
        target: Name | None = None
        columns: tuple[str, ...] = ()
        place = start + 1
        ends_list = place
        while place < len(self.tokens):
            word = self.words.get(place) if self.depths[place] == 0 else None
            if self.tokens[place].text == ";" or word in _AFTER_OUTPUT:
                break
            if word == "INTO":
                ends_list = place
                target, place = take_name(self.tokens, place + 1, dialect)
                if place < len(self.tokens) and self.tokens[place].text == "(":
                    stop = self._closing_parenthesis(place)
                    columns = self._listed_names(place + 1, stop)
                    place = stop + 1
                break
            place += 1
            ends_list = place
        end = self.tokens[ends_list].start if ends_list < len(self.tokens) else len(self.text)
        text = self.text[self.tokens[start].start + len("OUTPUT") : end]
        has_sources = self._has_other_columns(start + 1, ends_list)
        return place, Output(text, has_sources, target, columns)

    def _listed_names(self, start: int, stop: int) -> tuple[str, ...]:
        names = self.tokens[start:stop]
        return tuple(each.text.strip('[]"') for each in names if each.kind in ("word", "quoted"))

    def _has_other_columns(self, start: int, stop: int) -> bool:
        """Return whether a part names columns of other tables than inserted and deleted."""
        return any(
            self.tokens[place + 1].text == "."
            and self.tokens[place].kind in ("word", "quoted")
            and self.tokens[place].text.strip('[]"').lower() not in ("inserted", "deleted")
            for place in range(start, min(stop, len(self.tokens) - 1))
        )

    def cut_top(self, verb: int) -> None:
        """Remove ``TOP (n) PERCENT`` after the verb."""
        if self.words.get(verb + 1) != "TOP":
            return
        stop = verb + 2
        if stop < len(self.tokens) and self.tokens[stop].text == "(":
            stop = self._closing_parenthesis(stop)
        stop += 1
        if self.words.get(stop) == "PERCENT":
            stop += 1
        self._cut_tokens(verb + 1, stop)

    def cut_first_from(self, verb: int) -> None:
        """Remove the first FROM of ``DELETE FROM t FROM …``."""
        froms = [p for p in self.top_level if p > verb and self.words[p] == "FROM"]
        if len(froms) > 1 and "WHERE" not in [
            self.words[p] for p in self.top_level if froms[0] < p < froms[1]
        ]:
            self._cut_tokens(froms[0], froms[0] + 1)

    def cut_nested(self, prepared: Prepared, verb: int) -> None:
        """Replace ``(UPDATE … OUTPUT …)`` in FROM by a name."""
        for place in range(verb + 1, len(self.tokens) - 1):
            is_change = self.words.get(place + 1) in _CHANGES
            if self.tokens[place].text != "(" or not is_change or self.depths[place] != 1:
                continue
            stop = self._closing_parenthesis(place)
            name = f"changed_rows_{len(prepared.nested)}"
            start = self.tokens[place + 1].start
            prepared.nested[name] = self.text[start : self.tokens[stop].start]
            self.ranges.append((self.tokens[place].start, self.tokens[stop].start + 1, name))

    def _closing_parenthesis(self, opening: int) -> int:
        """Return the position of the parenthesis that closes the one at a position."""
        depth = self.depths[opening]
        for place in range(opening + 1, len(self.tokens)):
            if self.tokens[place].text == ")" and self.depths[place] == depth:
                return place
        return len(self.tokens) - 1


def _depths_of(tokens: Sequence[Token]) -> list[int]:
    """Return the number of parentheses around each token, with its own if it is one."""
    depths, depth = [], 0
    for token in tokens:
        is_opening, is_closing = token.text == "(", token.text == ")"
        depth += is_opening
        depths.append(depth)
        depth -= is_closing
    return depths
