"""Division of Cypher tokens into parts of a UNION, clauses, and paths of patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.query.cypher.lexer import syntax_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.query.cypher.lexer import Token

_CLAUSES = {"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"}
_WRITING = {"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause. ``word`` is its first word in upper case, ``where`` the index of its WHERE."""

    word: str
    tokens: tuple[Token, ...]
    where: int | None

    @property
    def match_pattern(self) -> tuple[Token, ...]:
        """The pattern of a MATCH, without its WHERE."""
        first = 2 if self.word == "OPTIONAL" else 1
        return self.tokens[first : self.where]


def unanswerable_brackets(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the index of each edge bracket that contains a | or a * at its own depth."""
    for i, token in enumerate(tokens):
        if token.text == "[" and i and tokens[i - 1].text == "-":
            for inner in tokens[i + 1 :]:
                if inner.depth <= token.depth:
                    break
                if inner.depth == token.depth + 1 and inner.text in ("|", "*"):
                    yield i
                    break


def split_union(tokens: list[Token]) -> tuple[list[list[Token]], list[bool]]:
    """Return the parts, and for each UNION between them whether it is a UNION ALL."""
    parts: list[list[Token]] = [[]]
    alls: list[bool] = []
    for token in tokens:
        if token.keyword == "UNION" and token.depth == 0:
            parts.append([])
            alls.append(False)
        elif token.keyword == "ALL" and token.depth == 0 and len(parts) > 1 and not parts[-1]:
            alls[-1] = True
        elif token.text != ";":
            parts[-1].append(token)
    return parts, alls


def part_bounds(text: str, parts: list[list[Token]]) -> Iterator[tuple[list[Token], int, int]]:
    """Yield each part with its start and end. Raises QueryError for an empty part."""
    for part in parts:
        if not part:
            raise syntax_error(text, len(text), "A part of the UNION is empty")
        yield part, part[0].at, part[-1].end_position


def clauses_of(text: str, tokens: list[Token]) -> list[Clause]:
    """Return the clauses of a part. Raises QueryError if it writes or begins with no clause."""
    starts: list[int] = []
    for i, token in enumerate(tokens):
        word, before = token.keyword, tokens[i - 1].keyword if i else ""
        if token.depth or (i and tokens[i - 1].text == ":"):
            continue
        if word in _WRITING:
            raise syntax_error(
                text, token.at, f"{word} writes", "Raw Cypher may read and nothing else."
            )
        if word in _CLAUSES and before not in ("STARTS", "ENDS", "OPTIONAL"):
            starts.append(i)
    if not starts or starts[0]:
        raise syntax_error(text, tokens[0].at, "A query begins with MATCH, UNWIND, WITH or RETURN")
    return [
        _to_clause(tokens[start:end])
        for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True)
    ]


def _to_clause(tokens: list[Token]) -> Clause:
    where = next(
        (i for i, token in enumerate(tokens) if token.keyword == "WHERE" and not token.depth), None
    )
    return Clause(tokens[0].keyword, tuple(tokens), where)


def split_paths(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the paths of a pattern, which commas separate."""
    piece: list[Token] = []
    for token in tokens:
        if token.text == "," and token.depth == 0:
            yield piece
            piece = []
        else:
            piece.append(token)
    yield piece
