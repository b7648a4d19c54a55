"""Patterns that AGE cannot answer rightly, [:A|B] and [:A|B*1..5], as queries that it can.

Which labels an edge joins says which can follow each other. So a pattern of several lengths is a
union of few fixed ones, and what follows the MATCH runs over the rows of that union: ``Plan``.
See docs/decisions/raw-cypher.md.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.query.cypher.clauses import bounds, clauses_of, pieces, unanswerable, union
from lineage.query.cypher.lexer import Edited, refusal, tokens
from lineage.query.cypher.paths import parse, sequences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.query.cypher.clauses import Clause
    from lineage.query.cypher.lexer import Edit, Token
    from lineage.query.cypher.paths import Edge, Path, Step

# Queries of a union; each is planned on its own.
MOST = 200

_OVER_ALL = {"DISTINCT", "ORDER", "SKIP", "LIMIT"}
_AGGREGATES = {
    "COUNT", "COLLECT", "SUM", "AVG", "MIN", "MAX",
    "STDEV", "STDEVP", "PERCENTILECONT", "PERCENTILEDISC",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """``matches`` are queries, of which the rows together count. With a ``rest`` that query runs
    over these rows, which it finds as the parameter ``rows``, each a map of ``carried``."""

    matches: tuple[Edited, ...]
    carried: tuple[str, ...] = ()
    rest: Edited | None = None
    rows: str = "rows"


@dataclass(frozen=True, slots=True)
class Plan:
    """Parts of a UNION; without duplicates where ``distinct``."""

    parts: tuple[Part, ...]
    distinct: bool = False

    @property
    def queries(self) -> tuple[Edited, ...]:
        """All that is given to AGE."""
        return tuple(q for p in self.parts for q in (*p.matches, p.rest) if q is not None)


def rewritten(text: str) -> Plan:
    """Return what to run for ``text``. Raises QueryError for what cannot be rewritten rightly."""
    found = tokens(text)
    if not any(unanswerable(found)):
        return Plan((Part((Edited.whole(text),)),))
    parts, alls = union(found)
    done = [_Rewriting(text, part, start, end).part() for part, start, end in bounds(text, parts)]
    if all(len(part.matches) == 1 and part.rest is None for part in done):
        edits = [edit for part in done for edit in part.matches[0].edits]
        return Plan((Part((Edited.of(text, 0, len(text), edits),)),))
    if len(set(alls)) > 1:
        raise refusal(
            text, parts[-1][0].at, "UNION and UNION ALL cannot be mixed here", "Use one of them."
        )
    return Plan(tuple(done), distinct=alls[:1] == [False])


@dataclass(frozen=True, slots=True)
class _Match:
    """One of the fixed patterns: its edits, and what stands for the lists of its edges."""

    of: _Rewriting
    edits: list[Edit]
    lists: dict[str, str]

    def text(self, end: int, carried: Sequence[str] | None = None) -> Edited:
        """The query up to ``end``; behind it what is ``carried`` is returned."""
        after = ""
        if carried is not None:
            items = ", ".join(f"{self.lists.get(name, name)} AS {name}" for name in carried)
            after = f" RETURN {items or '1 AS one'}"
        edits = [*self.edits, *self.of.in_place_of(self.lists, end)]
        return Edited.of(self.of.text, self.of.start, end, edits, after=after)


class _Rewriting:
    """Of one part of a UNION."""

    def __init__(self, text: str, found: list[Token], start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.clauses = clauses_of(text, found)
        self.found = found
        self.paths: dict[Clause, list[Path]] = {}
        self.conditions: dict[Clause, list[str]] = {}
        self.labels: dict[str, str] = {}
        self.fresh = _fresh({token.text.strip("`") for token in tokens(text)})

    def part(self) -> Part:
        leading = list(itertools.takewhile(lambda clause: clause.word == "MATCH", self.clauses))
        for clause in self.clauses:
            if clause.word in ("MATCH", "OPTIONAL"):
                self.paths[clause] = [parse(self.text, piece) for piece in pieces(clause.pattern)]
        for path in itertools.chain.from_iterable(self.paths.get(c, []) for c in leading):
            self.labels |= {n.name: n.label for n in path.nodes if n.name and n.label}
        edits = self._everywhere(leading)
        unrolled = [e for c in leading for path in self.paths[c] for e in path.edges if e.unrolled]
        choices = [self._choices(edge) for edge in unrolled]
        self._check_number(choices, unrolled)
        behind = self.clauses[len(leading) :]
        if not behind:
            raise refusal(self.text, self.end, "The query returns nothing", "End it with RETURN.")
        edits += self._conditions(behind, {})
        if not choices:
            edits += self._conditions(leading, {})
            return Part((Edited.of(self.text, self.start, self.end, edits),))
        made = self._matches(leading, unrolled, choices, edits)
        if len(behind) == 1 and self._row_by_row(behind[0]):
            return Part(tuple(one.text(self.end) for one in made))
        return self._staged(leading, tuple(made), edits, behind)

    def _staged(
        self,
        leading: list[Clause],
        made: tuple[_Match, ...],
        edits: list[Edit],
        behind: list[Clause],
    ) -> Part:
        """What follows the MATCH runs over the rows of all of them."""
        used = {token.text for clause in behind for token in clause.tokens if token.kind == "word"}
        known = dict.fromkeys(
            name for clause in leading for path in self.paths[clause] for name in path.names
        )
        opening = [token.text for token in behind[0].tokens[:3]]
        everything = behind[0].word == "WITH" and "*" in opening
        carried = tuple(name for name in known if everything or name in used)
        row, rows = next(self.fresh), next(self.fresh)
        given = ", ".join(f"{row}.{name} AS {name}" for name in carried) or row
        rest = Edited.of(
            self.text,
            behind[0].tokens[0].at,
            self.end,
            edits,
            before=f"UNWIND ${rows} AS {row} WITH {given} ",
        )
        end = leading[-1].tokens[-1].end
        matches = tuple(one.text(end, carried) for one in made)
        return Part(matches, tuple(n.strip("`") for n in carried) or ("one",), rest, rows)

    def _matches(
        self,
        leading: list[Clause],
        unrolled: list[Edge],
        choices: list[list[tuple[Step, ...]]],
        edits: list[Edit],
    ) -> Iterator[_Match]:
        """One query for each choice of a sequence for each edge."""
        for choice in itertools.product(*choices):
            made = list(edits)
            lists: dict[str, str] = {}
            further: dict[int, list[str]] = {}
            for edge, steps in zip(unrolled, choice, strict=True):
                names = [next(self.fresh) for _ in steps]
                made.append((edge.start, edge.end, edge.written(steps, names, self.text)))
                if edge.name:
                    lists[edge.name] = f"[{', '.join(names)}]"
                if not edge.direction:
                    # Where both ends are one, both directions find it: once is enough.
                    further[edge.start] = [
                        f"start_id({name}) <> end_id({name})"
                        for name, step in zip(names, steps, strict=True)
                        if not step.forward and step.may_loop
                    ]
            made += self._conditions(leading, further)
            yield _Match(self, made, lists)

    def _conditions(self, clauses: list[Clause], further: dict[int, list[str]]) -> list[Edit]:
        """The conditions of the clauses with those of edges that begin at a place."""
        edits: list[Edit] = []
        for clause in clauses:
            first, end = clause.tokens[0].at, clause.tokens[-1].end
            wanted = list(self.conditions.get(clause, ()))
            wanted += [c for at, found in further.items() if first <= at < end for c in found]
            if wanted and clause.where is None:
                edits.append((end, end, f" WHERE {' AND '.join(wanted)}"))
            elif wanted:
                after = clause.tokens[clause.where or 0].end
                edits += [(after, after, f" {' AND '.join(wanted)} AND ("), (end, end, ")")]
        return edits

    def in_place_of(self, lists: dict[str, str], end: int) -> Iterator[Edit]:
        """Lists of edges have no name in a fixed pattern: they stand where the name stood."""
        found = [token for token in self.found if token.at < end]
        for i, token in enumerate(found):
            before = found[i - 1].text if i else ""
            after = found[i + 1].text if i + 1 < len(found) else ""
            if token.kind != "word" or token.text not in lists or self._in_a_pattern(token):
                continue
            if after == "(" or before in (":", "$") or (after == ":" and before in ("{", ",")):
                continue
            yield token.at, token.end, lists[token.text]

    def _in_a_pattern(self, token: Token) -> bool:
        return any(
            token in clause.pattern
            for clause in self.clauses
            if clause.word in ("MATCH", "OPTIONAL")
        )

    def _everywhere(self, leading: list[Clause]) -> list[Edit]:
        """What needs no union: edges of one length, and patterns in EXISTS()."""
        edits: list[Edit] = []
        handled: set[int] = set()
        for clause, paths in self.paths.items():
            for edge in itertools.chain.from_iterable(path.edges for path in paths):
                handled.add(edge.opened)
                if edge.unrolled and clause not in leading:
                    raise refusal(
                        self.text,
                        edge.star or edge.start,
                        "Patterns of several lengths can only be in the MATCH that begins a query",
                        "Begin with it, before any WITH, UNWIND and OPTIONAL MATCH, or write"
                        " EXISTS((a)-[...]->(b)).",
                    )
                if edge.alternatives and not edge.unrolled:
                    edits.append(self._one_of(edge, clause))
        edits += self._existing(handled)
        for i in unanswerable(self.found):
            if self.found[i].at not in handled:
                raise refusal(
                    self.text,
                    self.found[i].at,
                    "Here a pattern cannot be rewritten",
                    "Use it in MATCH, or in EXISTS((a)-[...]->(b)).",
                )
        return edits

    def _one_of(self, edge: Edge, clause: Clause) -> Edit:
        """An edge of several types as one of any type, and a condition on that."""
        types = sorted({steps[0].type for steps in self._choices(edge)})
        name = edge.name or next(self.fresh)
        if len(types) == 1:
            return edge.start, edge.end, edge.bracket(f"{name}:{types[0]}", self.text)
        among = ", ".join(f"'{type}'" for type in types)
        self.conditions.setdefault(clause, []).append(f"type({name}) IN [{among}]")
        return edge.start, edge.end, edge.bracket(name, self.text)

    def _existing(self, handled: set[int]) -> Iterator[Edit]:
        """EXISTS(pattern) as one of the EXISTS of the patterns that it stands for."""
        for i, token in enumerate(self.found[:-2]):
            opened, inner = self.found[i + 1], self.found[i + 2]
            if token.upper != "EXISTS" or opened.text != "(" or inner.text != "(":
                continue
            closed = next(
                j for j in range(i + 2, len(self.found))
                if self.found[j].text == ")" and self.found[j].depth == opened.depth
            )  # fmt: skip
            path = parse(self.text, self.found[i + 2 : closed])
            todo = [edge for edge in path.edges if edge.unrolled or edge.alternatives]
            if not todo:
                continue
            handled |= {edge.opened for edge in path.edges}
            choices = [self._choices(edge) for edge in todo]
            self._check_number(choices, todo)
            asked = (
                Edited.of(
                    self.text,
                    path.start,
                    path.end,
                    [
                        (edge.start, edge.end, edge.written(steps, [""] * len(steps), self.text))
                        for edge, steps in zip(todo, choice, strict=True)
                    ],
                ).query
                for choice in itertools.product(*choices)
            )
            end = self.found[closed].end
            yield token.at, end, f"({' OR '.join(f'EXISTS({one})' for one in asked)})"

    def _choices(self, edge: Edge) -> list[tuple[Step, ...]]:
        left, right = (
            node.label or self.labels.get(node.name or "") for node in (edge.left, edge.right)
        )
        return sequences(edge, left, right)

    def _check_number(self, choices: list[list[tuple[Step, ...]]], edges: list[Edge]) -> None:
        number = 1
        for found in choices:
            number *= len(found)
        if number > MOST:
            raise refusal(
                self.text,
                edges[0].start,
                f"The pattern stands for {number:,} of fixed length, and may for {MOST}",
                "Name types of edges and labels of nodes, or lower the maximum; a trace of any"
                " length is `lineage query`, or lineage.upstream() in SQL.",
            )

    def _row_by_row(self, clause: Clause) -> bool:
        """Whether a clause is a RETURN whose rows do not depend on each other."""
        for token, after in itertools.pairwise([*clause.tokens, clause.tokens[-1]]):
            if token.upper in _OVER_ALL or (token.upper in _AGGREGATES and after.text == "("):
                return False
        return clause.word == "RETURN"


def _fresh(taken: set[str]) -> Iterator[str]:
    """Names that the query does not have."""
    return (name for i in itertools.count(1) if (name := f"x{i}") not in taken)
