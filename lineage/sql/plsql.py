"""Split scripts of Oracle, and the bodies of PL/SQL.

Declarations and statements of PL/SQL end at semicolons, as statements of SQL do. A unit of PL/SQL
therefore ends at a line with ``/`` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.blocks import split_block
from lineage.sql.cursor import Cursor
from lineage.sql.lexer import token_pattern
from lineage.sql.splitting import Piece, block_step
from lineage.sql.sqlplus import end_of_command, runs_file, text_of_call

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.sql.lexer import Token

_UNITS = frozenset({"PROCEDURE", "FUNCTION", "TRIGGER", "PACKAGE"})
_MODIFIERS = frozenset({"OR", "REPLACE", "EDITIONABLE", "NONEDITIONABLE"})
# Words after which a statement or a declaration of PL/SQL begins.
_BEFORE_STATEMENT = frozenset({";", "BEGIN", "DECLARE", "IS", "AS", "THEN", "ELSE", "LOOP"})


def split_script(text: str) -> Iterator[Piece]:
    """Yield the statements of a script: those of blocks, and the definitions of routines."""
    for unit in _split_units(text):
        words = _first_words(unit)
        if _is_block(words):
            yield from split_body(unit)
        elif words[:1] == ["CREATE"] and "PACKAGE" in words and "BODY" in words:
            yield from map(Piece, _split_package(unit))
        else:
            yield Piece(unit)


def split_body(text: str) -> Iterator[Piece]:
    """Yield the statements of a body of PL/SQL; a subprogram in it as CREATE PROCEDURE."""
    tokens = Cursor(text, "oracle").tokens
    rest, start = [], 0
    for begin, end in _find_subprograms(tokens, 0):
        rest.append(text[start : tokens[begin].start])
        start = _end_of(tokens, end)
        yield Piece(_definition_of(text[tokens[begin + 1].start : start]))
    yield from split_block("".join([*rest, text[start:]]), "oracle")


def is_autonomous(text: str) -> bool:
    """Return whether a body has a transaction of its own, apart from the subprograms in it."""
    tokens = Cursor(text, "oracle").tokens
    inner = {place for begin, end in _find_subprograms(tokens, 0) for place in range(begin, end)}
    return any(
        token.text.upper() == "AUTONOMOUS_TRANSACTION" and place not in inner
        for place, token in enumerate(tokens)
    )


def _split_units(text: str) -> Iterator[str]:
    """Yield the parts of a script: at semicolons, and those of PL/SQL at lines of a slash.

    Commands of SQL*Plus are left out before tokens are read, because they may have an odd quote.
    """
    parts: list[str] = []
    words: list[str] = []
    place = 0
    pattern = token_pattern("oracle")
    while match := pattern.match(text, place):
        end = None if words else end_of_command(text, place)
        if end is not None:
            yield from _units_of_command(text[place:end])
            place, parts = end, []
            continue
        token, kind = match[0], match.lastgroup
        place = match.end()
        if _is_slash_line(text, match.start()) or (token == ";" and not _is_unit(words)):
            yield from filter(None, ["".join(parts).strip()])
            parts, words = [], []
        elif kind == "comment":
            parts.append(token if token.startswith("/*+") else " ")
        else:
            parts.append(token)
            words += [token.upper()] if kind == "word" else []
    yield from filter(None, ["".join(parts).strip()])


def _units_of_command(command: str) -> Iterator[str]:
    """Yield the block that EXECUTE runs, and ``@`` for the file that a command runs."""
    if call := text_of_call(command):
        yield "BEGIN " + call + "; END;"
    elif runs_file(command):
        yield "@"


def _is_unit(words: Sequence[str]) -> bool:
    """Return whether the words begin a unit of PL/SQL."""
    if words[:1] != ["CREATE"]:
        return _is_block(words)
    objects = [word for word in words[1:6] if word not in _MODIFIERS]
    return objects[:2] == ["TYPE", "BODY"] or not _UNITS.isdisjoint(objects[:1])


def _is_block(words: Sequence[str]) -> bool:
    """Return whether the words begin a block, which may have a label."""
    return not {"BEGIN", "DECLARE"}.isdisjoint(words[:2]) and words[0] != "CREATE"


def _is_slash_line(text: str, place: int) -> bool:
    if text[place] != "/":
        return False
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    return text[start : end if end >= 0 else len(text)].strip() == "/"


def _first_words(text: str) -> list[str]:
    return [t.text.upper() for t in Cursor(text, "oracle").tokens[:8] if t.kind == "word"]


def _split_package(text: str) -> Iterator[str]:
    """Yield the subprograms of a package as CREATE PROCEDURE, and the package without them."""
    cursor = Cursor(text, "oracle")
    cursor.skip_to("BODY")
    start = cursor.place + 1
    cursor.place = start
    cursor.take_name()
    tokens = cursor.tokens
    package = "".join(token.text for token in tokens[start : cursor.place])
    places = list(_find_subprograms(tokens, cursor.place))
    names = {tokens[begin + 1].text.upper() for begin, _ in places}
    rest, after = [], 0
    for begin, end in places:
        rest.append(text[after : tokens[begin].start])
        after = _end_of(tokens, end)
        calls = _find_calls(tokens, begin, end, names)
        starts = [tokens[place].start for place in (begin + 1, *calls)]
        cuts = zip(starts, [*starts[1:], after], strict=True)
        yield _definition_of("".join(f"{package}.{text[a:b]}" for a, b in cuts))
    yield "".join([*rest, text[after:]])


def _find_calls(tokens: Sequence[Token], begin: int, end: int, names: set[str]) -> Iterator[int]:
    """Yield where a subprogram begins a statement with the name of one of its package."""
    for place in range(begin + 2, end - 1):
        is_first = tokens[place - 1].text.upper() in _BEFORE_STATEMENT
        if is_first and tokens[place].text.upper() in names and tokens[place + 1].text in "(;":
            yield place


def _definition_of(subprogram: str) -> str:
    return "CREATE PROCEDURE " + subprogram


def _find_subprograms(tokens: Sequence[Token], place: int) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each subprogram that has a body."""
    while place < len(tokens):
        before = tokens[place - 1].text.upper() if place else ";"
        if not _is_subprogram(tokens, place) or before not in _BEFORE_STATEMENT:
            place += 1
            continue
        end = _skip_subprogram(tokens, place)
        if "BEGIN" in (token.text.upper() for token in tokens[place:end]):
            yield place, end
        place = end


def _is_subprogram(tokens: Sequence[Token], place: int) -> bool:
    return place + 1 < len(tokens) and tokens[place].text.upper() in ("PROCEDURE", "FUNCTION")


def _skip_subprogram(tokens: Sequence[Token], place: int) -> int:
    """Return the place after a subprogram, which has declarations and subprograms of its own."""
    while place < len(tokens) and tokens[place].text.upper() not in ("IS", "AS", ";"):
        place += 1
    if place >= len(tokens) or tokens[place].text == ";":
        return place + 1
    place += 1
    while place < len(tokens) and tokens[place].text.upper() != "BEGIN":
        is_first = tokens[place - 1].text.upper() in _BEFORE_STATEMENT
        if is_first and tokens[place].text.upper() in ("LANGUAGE", "EXTERNAL"):
            return _skip_semicolon(tokens, place)
        if is_first and _is_subprogram(tokens, place):
            place = _skip_subprogram(tokens, place)
        else:
            place += 1
    return _skip_block(tokens, place)


def _skip_block(tokens: Sequence[Token], place: int) -> int:
    """Return the place after a block, which begins with BEGIN."""
    words: list[str] = [""]
    depth = 0
    while place < len(tokens):
        if tokens[place].kind == "word":
            words.append(tokens[place].text.upper())
            depth += block_step(words)
        place += 1
        if not depth and tokens[place - 1].text == ";":
            break
    return place


def _skip_semicolon(tokens: Sequence[Token], place: int) -> int:
    while place < len(tokens) and tokens[place].text != ";":
        place += 1
    return place + 1


def _end_of(tokens: Sequence[Token], end: int) -> int:
    """Return where the last token before a place ends in the text."""
    last = tokens[min(end, len(tokens)) - 1]
    return last.start + len(last.text)
