"""Rewriting of patterns that AGE does not support or answers wrongly, [:A|B] and [:A|B*1..5].

The labels that an edge connects determine which edges can follow each other. A pattern of several
lengths is therefore a union of a few patterns of fixed length. The clauses after the MATCH run over
the rows of that union: ``Plan``.
See docs/decisions/raw-cypher.md.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.query.cypher.clauses import (
    clauses_of,
    part_bounds,
    split_paths,
    split_union,
    unanswerable_brackets,
)
from lineage.query.cypher.lexer import Edited, syntax_error, tokenize
from lineage.query.cypher.paths import parse_path, step_sequences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.query.cypher.clauses import Clause
    from lineage.query.cypher.lexer import Edit, Token
    from lineage.query.cypher.paths import Edge, Path, Step

# Maximum number of queries in a union, because each is planned separately.
MOST = 200

_OVER_ALL = {"DISTINCT", "ORDER", "SKIP", "LIMIT"}
_AGGREGATES = {
    "COUNT", "COLLECT", "SUM", "AVG", "MIN", "MAX",
    "STDEV", "STDEVP", "PERCENTILECONT", "PERCENTILEDISC",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a plan: the union of the queries ``matches``.

    If there is a ``rest``, that query runs over their rows. It gets them as the parameter ``rows``,
    each a map with the keys ``carried``.
    """

    matches: tuple[Edited, ...]
    carried: tuple[str, ...] = ()
    rest: Edited | None = None
    rows: str = "rows"


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts of a UNION, without duplicates if ``distinct``."""

    parts: tuple[Part, ...]
    distinct: bool = False

    @property
    def all_queries(self) -> tuple[Edited, ...]:
        """All queries that AGE runs."""
        return tuple(q for p in self.parts for q in (*p.matches, p.rest) if q is not None)


def rewrite_query(text: str) -> Plan:
    """Return the plan for the query ``text``. Raises QueryError if it cannot be rewritten."""
    tokens = tokenize(text)
    if not any(unanswerable_brackets(tokens)):
        return Plan((Part((Edited.unedited(text),)),))
    parts, alls = split_union(tokens)
    done = [
        _Rewriting(text, part, start, end).rewrite_part()
        for part, start, end in part_bounds(text, parts)
    ]
    if all(len(part.matches) == 1 and part.rest is None for part in done):
        edits = [edit for part in done for edit in part.matches[0].edits]
        return Plan((Part((Edited.from_edits(text, 0, len(text), edits),)),))
    if len(set(alls)) > 1:
        raise syntax_error(
            text, parts[-1][0].at, "UNION and UNION ALL cannot be mixed here", "Use one of them."
        )
    return Plan(tuple(done), distinct=alls[:1] == [False])


@dataclass(frozen=True, slots=True)
class _Match:
    """A pattern of fixed length: its edits, and the expressions for its lists of edges."""

    of: _Rewriting
    edits: list[Edit]
    lists: dict[str, str]

    def query_text(self, end: int, carried: Sequence[str] | None = None) -> Edited:
        """Return the query up to ``end``, followed by a RETURN of ``carried`` if that is set."""
        after = ""
        if carried is not None:
            items = ", ".join(f"{self.lists.get(name, name)} AS {name}" for name in carried)
            after = f" RETURN {items or '1 AS one'}"
        edits = [*self.edits, *self.of.in_place_of(self.lists, end)]
        return Edited.from_edits(self.of.text, self.of.start, end, edits, after=after)


class _Rewriting:
    """The rewriting of one part of a UNION."""

    def __init__(self, text: str, tokens: list[Token], start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.clauses = clauses_of(text, tokens)
        self.tokens = tokens
        self.paths: dict[Clause, list[Path]] = {}
        self.conditions: dict[Clause, list[str]] = {}
        self.labels: dict[str, str] = {}
        self.fresh = _unused_names({token.text.strip("`") for token in tokenize(text)})

    def rewrite_part(self) -> Part:
        leading = list(itertools.takewhile(lambda clause: clause.word == "MATCH", self.clauses))
        for clause in self.clauses:
            if clause.word in ("MATCH", "OPTIONAL"):
                self.paths[clause] = [
                    parse_path(self.text, piece) for piece in split_paths(clause.match_pattern)
                ]
        for path in itertools.chain.from_iterable(self.paths.get(c, []) for c in leading):
            self.labels |= {n.name: n.label for n in path.nodes if n.name and n.label}
        edits = self._local_edits(leading)
        expanded = [
            e for c in leading for path in self.paths[c] for e in path.edges if e.is_variable_length
        ]
        choices = [self._step_choices(edge) for edge in expanded]
        self._check_number(choices, expanded)
        following = self.clauses[len(leading) :]
        if not following:
            raise syntax_error(
                self.text, self.end, "The query returns nothing", "End it with RETURN."
            )
        edits += self._condition_edits(following, {})
        if not choices:
            edits += self._condition_edits(leading, {})
            return Part((Edited.from_edits(self.text, self.start, self.end, edits),))
        matches = self._expanded_matches(leading, expanded, choices, edits)
        if len(following) == 1 and self._row_by_row(following[0]):
            return Part(tuple(one.query_text(self.end) for one in matches))
        return self._stage_rows(leading, tuple(matches), edits, following)

    def _stage_rows(
        self,
        leading: list[Clause],
        unions: tuple[_Match, ...],
        edits: list[Edit],
        following: list[Clause],
    ) -> Part:
        """Run the clauses after the MATCH over the rows of all ``unions``."""
        used = {
            token.text for clause in following for token in clause.tokens if token.kind == "word"
        }
        known = dict.fromkeys(
            name for clause in leading for path in self.paths[clause] for name in path.bound_names
        )
        opening = [token.text for token in following[0].tokens[:3]]
        everything = following[0].word == "WITH" and "*" in opening
        carried = tuple(name for name in known if everything or name in used)
        row, rows = next(self.fresh), next(self.fresh)
        returned = ", ".join(f"{row}.{name} AS {name}" for name in carried) or row
        rest = Edited.from_edits(
            self.text,
            following[0].tokens[0].at,
            self.end,
            edits,
            before=f"UNWIND ${rows} AS {row} WITH {returned} ",
        )
        end = leading[-1].tokens[-1].end_position
        matches = tuple(one.query_text(end, carried) for one in unions)
        return Part(matches, tuple(n.strip("`") for n in carried) or ("one",), rest, rows)

    def _expanded_matches(
        self,
        leading: list[Clause],
        expanded: list[Edge],
        choices: list[list[tuple[Step, ...]]],
        edits: list[Edit],
    ) -> Iterator[_Match]:
        """Yield a query for each combination of step sequences of the edges."""
        for choice in itertools.product(*choices):
            all_edits = list(edits)
            lists: dict[str, str] = {}
            further: dict[int, list[str]] = {}
            for edge, steps in zip(expanded, choice, strict=True):
                names = [next(self.fresh) for _ in steps]
                all_edits.append(
                    (edge.start, edge.end, edge.expanded_text(steps, names, self.text))
                )
                if edge.name:
                    lists[edge.name] = f"[{', '.join(names)}]"
                if not edge.direction:
                    # Both directions match an edge whose ends are the same vertex: exclude one.
                    further[edge.start] = [
                        f"start_id({name}) <> end_id({name})"
                        for name, step in zip(names, steps, strict=True)
                        if not step.forward and step.may_loop
                    ]
            all_edits += self._condition_edits(leading, further)
            yield _Match(self, all_edits, lists)

    def _condition_edits(self, clauses: list[Clause], further: dict[int, list[str]]) -> list[Edit]:
        """Add the conditions of the clauses, and of the edges in them by position."""
        edits: list[Edit] = []
        for clause in clauses:
            first, end = clause.tokens[0].at, clause.tokens[-1].end_position
            conditions = list(self.conditions.get(clause, ()))
            conditions += [c for at, more in further.items() if first <= at < end for c in more]
            if conditions and clause.where is None:
                edits.append((end, end, f" WHERE {' AND '.join(conditions)}"))
            elif conditions:
                after = clause.tokens[clause.where or 0].end_position
                edits += [(after, after, f" {' AND '.join(conditions)} AND ("), (end, end, ")")]
        return edits

    def in_place_of(self, lists: dict[str, str], end: int) -> Iterator[Edit]:
        """Replace the names of lists of edges, which a pattern of fixed length does not bind."""
        tokens = [token for token in self.tokens if token.at < end]
        for i, token in enumerate(tokens):
            before = tokens[i - 1].text if i else ""
            after = tokens[i + 1].text if i + 1 < len(tokens) else ""
            if token.kind != "word" or token.text not in lists or self._in_a_pattern(token):
                continue
            if after == "(" or before in (":", "$") or (after == ":" and before in ("{", ",")):
                continue
            yield token.at, token.end_position, lists[token.text]

    def _in_a_pattern(self, token: Token) -> bool:
        return any(
            token in clause.match_pattern
            for clause in self.clauses
            if clause.word in ("MATCH", "OPTIONAL")
        )

    def _local_edits(self, leading: list[Clause]) -> list[Edit]:
        """Rewrite the patterns that need no union: edges of one length, and EXISTS()."""
        edits: list[Edit] = []
        handled: set[int] = set()
        for clause, paths in self.paths.items():
            for edge in itertools.chain.from_iterable(path.edges for path in paths):
                handled.add(edge.opened)
                if edge.is_variable_length and clause not in leading:
                    raise syntax_error(
                        self.text,
                        edge.star or edge.start,
                        "Patterns of several lengths can only be in the MATCH that begins a query",
                        "Begin with it, before any WITH, UNWIND and OPTIONAL MATCH, or write"
                        " EXISTS((a)-[...]->(b)).",
                    )
                if edge.has_alternatives and not edge.is_variable_length:
                    edits.append(self._one_of(edge, clause))
        edits += self._exists_edits(handled)
        for i in unanswerable_brackets(self.tokens):
            if self.tokens[i].at not in handled:
                raise syntax_error(
                    self.text,
                    self.tokens[i].at,
                    "A pattern cannot be rewritten here",
                    "Use it in MATCH, or in EXISTS((a)-[...]->(b)).",
                )
        return edits

    def _one_of(self, edge: Edge, clause: Clause) -> Edit:
        """Rewrite an edge of several types as one of any type, with a condition on the type."""
        types = sorted({steps[0].type for steps in self._step_choices(edge)})
        name = edge.name or next(self.fresh)
        if len(types) == 1:
            return edge.start, edge.end, edge.bracket_text(f"{name}:{types[0]}", self.text)
        among = ", ".join(f"'{type}'" for type in types)
        self.conditions.setdefault(clause, []).append(f"type({name}) IN [{among}]")
        return edge.start, edge.end, edge.bracket_text(name, self.text)

    def _exists_edits(self, handled: set[int]) -> Iterator[Edit]:
        """Rewrite EXISTS(pattern) as a disjunction over the patterns that it stands for."""
        for i, token in enumerate(self.tokens[:-2]):
            opened, inner = self.tokens[i + 1], self.tokens[i + 2]
            if token.keyword != "EXISTS" or opened.text != "(" or inner.text != "(":
                continue
            closed = next(
                j for j in range(i + 2, len(self.tokens))
                if self.tokens[j].text == ")" and self.tokens[j].depth == opened.depth
            )  # fmt: skip
            path = parse_path(self.text, self.tokens[i + 2 : closed])
            todo = [edge for edge in path.edges if edge.is_variable_length or edge.has_alternatives]
            if not todo:
                continue
            handled |= {edge.opened for edge in path.edges}
            choices = [self._step_choices(edge) for edge in todo]
            self._check_number(choices, todo)
            pattern = (
                Edited.from_edits(
                    self.text,
                    path.start,
                    path.end,
                    [
                        (
                            edge.start,
                            edge.end,
                            edge.expanded_text(steps, [""] * len(steps), self.text),
                        )
                        for edge, steps in zip(todo, choice, strict=True)
                    ],
                ).query
                for choice in itertools.product(*choices)
            )
            end = self.tokens[closed].end_position
            yield token.at, end, f"({' OR '.join(f'EXISTS({one})' for one in pattern)})"

    def _step_choices(self, edge: Edge) -> list[tuple[Step, ...]]:
        left, right = (
            node.label or self.labels.get(node.name or "") for node in (edge.left, edge.right)
        )
        return step_sequences(edge, left, right)

    def _check_number(self, choices: list[list[tuple[Step, ...]]], edges: list[Edge]) -> None:
        number = 1
        for choice in choices:
            number *= len(choice)
        if number > MOST:
            raise syntax_error(
                self.text,
                edges[0].start,
                f"The pattern stands for {number:,} of fixed length; the maximum is {MOST}",
                "Specify types of edges and labels of nodes, or lower the maximum; a trace of any"
                " length is `lineage query`, or lineage.upstream() in SQL.",
            )

    def _row_by_row(self, clause: Clause) -> bool:
        """Return whether a clause is a RETURN whose rows do not depend on each other."""
        for token, after in itertools.pairwise([*clause.tokens, clause.tokens[-1]]):
            if token.keyword in _OVER_ALL or (token.keyword in _AGGREGATES and after.text == "("):
                return False
        return clause.word == "RETURN"


def _unused_names(used: set[str]) -> Iterator[str]:
    """Yield names that the query does not contain."""
    return (name for i in itertools.count(1) if (name := f"x{i}") not in used)
