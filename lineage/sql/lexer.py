"""Split SQL text into lexical tokens."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from lineage.sql.dialects import TSQL, traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# Comments in comments, to a depth of three.
_INNER_COMMENT = r"/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/"
_MIDDLE_COMMENT = rf"/\*(?:[^*/]|\*(?!/)|/(?!\*)|{_INNER_COMMENT})*\*/"
_NESTED_COMMENT = rf"/\*(?:[^*/]|\*(?!/)|/(?!\*)|{_MIDDLE_COMMENT})*\*/"
_Q_QUOTED = (
    r"[Nn]?[Qq]'(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>"
    r"|(?P<delimiter>[^\s\[{(<]).*?(?P=delimiter))'"
)
# One that does not end has the rest of the text, so that no part of a literal is outside.
_OPEN_Q_QUOTED = r"|(?P<open>[Nn]?[Qq]'.*\Z)"
# A path of a stage or a URL without quotes, in which // begins no comment.
_PATH = (
    r"(?P<path>@(?:\"[^\"]*\"|[^\s;,()'\"/]|/(?!/))*//[^\s;,()']*"
    r"|[A-Za-z][A-Za-z\d]*://[^\s;,()']*)|"
)
# The kinds of tokens whose group has another name.
_KINDS = {"tag": "string", "open": "other", "path": "word"}


class Token(NamedTuple):
    """A token of a kind: comment, string, quoted, word, number, space or other."""

    kind: str
    text: str
    start: int


@cache
def token_pattern(dialect: str) -> re.Pattern[str]:
    """Return the pattern of a token of a dialect; each alternative is a named group."""
    body = r"(?:[^'\\]|\\.|'')*" if traits_of(dialect).has_backslash_escapes else r"(?:[^']|'')*"
    strings = [rf"[NnBbXxRr]?'{body}'"]
    if traits_of(dialect).has_escape_strings:
        strings.insert(0, r"[Ee]'(?:[^'\\]|\\.|'')*'")
    if traits_of(dialect).has_q_quotes:
        strings.insert(0, _Q_QUOTED)
    if traits_of(dialect).has_dollar_quotes:
        strings.append(r"\$(?P<tag>\w*)\$.*?\$(?P=tag)\$")
    quoted = [r"`(?:[^`]|``)*`"]
    if dialect == "bigquery":
        strings[:0] = [r"[rRbB]{0,2}'''.*?'''", r'[rRbB]{0,2}""".*?"""']
    if traits_of(dialect).has_double_quoted_strings:
        strings.append(r'[rRbB]?"(?:[^"\\]|\\.|"")*"')
    else:
        quoted.append(r'"(?:[^"]|"")*"')
    if dialect in TSQL:
        quoted.append(r"\[(?:[^\]]|\]\])*\]")
    long_comment = _NESTED_COMMENT if traits_of(dialect).nests_comments else r"/\*.*?\*/"
    comments = [r"--[^\n]*", long_comment]
    if traits_of(dialect).has_hash_comments:
        comments.append(r"\#[^\n]*")
    path = ""
    if traits_of(dialect).has_slash_comments:
        path = _PATH
        comments.append(r"//[^\n]*")
    open_string = _OPEN_Q_QUOTED if traits_of(dialect).has_q_quotes else ""
    return re.compile(
        rf"{path}(?P<comment>{'|'.join(comments)})|(?P<string>{'|'.join(strings)}){open_string}"
        rf"|(?P<quoted>{'|'.join(quoted)})|(?P<word>[^\W\d][\w$#@]*|[@#][\w@$#]*)"
        r"|(?P<number>0[xX][\dA-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
        r"|(?P<space>\s+)|(?P<other>.)",
        re.DOTALL,
    )


def tokenize_text(text: str, dialect: str) -> Iterator[Token]:
    """Yield the tokens of a text; their texts, joined, are the text."""
    for match in token_pattern(dialect).finditer(text):
        kind = match.lastgroup or "other"
        yield Token(_KINDS.get(kind, kind), match[0], match.start())
