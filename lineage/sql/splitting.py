"""Split a text into its statements. In T-SQL semicolons are optional."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from lineage.sql.branches import branches_of
from lineage.sql.dialects import TSQL
from lineage.sql.goto_jumps import forget_jumps
from lineage.sql.lexer import Token, tokenize_text
from lineage.sql.tsql_blocks import TsqlBlocks, join_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.sql.branches import Places
    from lineage.sql.records import Branch

_DML = {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"}
_STRUCTURE = {"BEGIN", "END", "ELSE", "GO"}
_STARTS = (
    _DML
    | _STRUCTURE
    | {"CREATE", "ALTER", "DROP", "TRUNCATE", "EXEC", "EXECUTE", "DECLARE", "SET", "IF", "WHILE"}
    | {"PRINT", "RETURN", "USE", "COMMIT", "ROLLBACK", "SAVE", "THROW", "RAISERROR", "BULK"}
    | {"WITH CTE"}
    | {"GRANT", "REVOKE", "DENY", "WAITFOR", "OPEN", "FETCH", "CLOSE", "DEALLOCATE", "DBCC"}
    | {"BREAK", "CONTINUE", "GOTO", "KILL", "CHECKPOINT", "BACKUP", "RESTORE", "REVERT"}
)
_ROUTINES = {"PROCEDURE", "PROC", "FUNCTION", "TRIGGER"}
# Actions of ALTER, after which the next word that may start a statement does.
_ACTIONS = frozenset(
    {"ADD", "ALTER", "DROP", "SET", "SWITCH", "AS", "DISABLE", "ENABLE", "CHECK", "NOCHECK"}
    | {"REBUILD", "REORGANIZE", "SPLIT", "MERGE", "NEXT"}
)
# Words after which a query goes on.
_BEFORE_QUERY = {"UNION", "ALL", "EXCEPT", "INTERSECT", "AS", "FOR"}


class Piece(NamedTuple):
    """A statement of a text; ``is_conditional``: whether it may not have been executed.

    ``assigned`` are the variables, records and cursors that receive its values; those in ``values``
    if it is no statement of SQL. ``adds``: whether they may have the values of before too.
    ``parts``: the text of the value of each, if they are known.
    ``declared`` are variables that hide those of outer blocks, until they are ``released``.
    """

    text: str
    is_conditional: bool = False
    assigned: tuple[str, ...] = ()
    values: str = ""
    adds: bool = False
    parts: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    declared: tuple[str, ...] = ()
    released: tuple[str, ...] = ()


def split_batch(text: str, dialect: str) -> list[Piece]:
    """Return the statements of a text of T-SQL as `split_statements` does.

    Those after IF, WHILE and ELSE, and those in CATCH, may not have been executed.
    """
    splitter = _TsqlSplitter()
    placed = [pair for pair in splitter.split_tokens(tokenize_text(text, dialect)) if pair[0].text]
    forget_jumps((places for _, places in placed), text, dialect)
    return [piece._replace(branches=branches_of(places)) for piece, places in placed]


def split_statements(text: str, dialect: str) -> list[str]:
    """Return the statements of a text in order, without the semicolons between them.

    In T-SQL, ``BEGIN``, ``END``, ``ELSE`` and ``GO`` are structure and are left out. ``IF`` and
    ``WHILE`` with their conditions are statements, and so is ``BEGIN TRAN``. A CREATE PROCEDURE,
    FUNCTION or TRIGGER goes to the end of its batch, and is one statement.
    """
    if dialect in TSQL:
        return [piece.text for piece in split_batch(text, dialect)]
    return [piece for piece in _at_semicolons(tokenize_text(text, dialect)) if piece]


def _at_semicolons(tokens: Iterator[Token]) -> Iterator[str]:
    """Split at semicolons. Those in the body of a routine belong to it."""
    parts: list[str] = []
    words: list[str] = []
    blocks = 0
    for token in tokens:
        if token.text == ";" and not blocks:
            yield "".join(parts).strip()
            parts, words = [], []
            continue
        if token.text == ";":
            words.append(";")
        if token.kind == "comment":
            parts.append(token.text if token.text.startswith("/*+") else " ")
            continue
        parts.append(token.text)
        if token.kind == "word":
            words.append(token.text.upper())
            if _is_routine(words):
                blocks = max(0, blocks + block_step(words))
    yield "".join(parts).strip()


def _is_routine(words: list[str]) -> bool:
    if words[0] != "CREATE":
        return False
    is_scheduled = words[1:2] in (["EVENT"], ["TASK"]) or words[1:4] == ["OR", "REPLACE", "TASK"]
    is_scheduled = is_scheduled or (words[1:2] == ["DEFINER"] and "EVENT" in words[2:6])
    return is_scheduled or not _ROUTINES.isdisjoint(words[1:8])


def block_step(words: list[str]) -> int:
    """Return by how much the last word changes the number of open blocks."""
    last, before = words[-1], words[-2]
    if before == "END" and last in ("IF", "LOOP", "WHILE", "REPEAT", "FOR"):
        return 1  # END IF closes no block that BEGIN opens
    if before == "END" and last == "CASE":
        return 0
    if last in ("BEGIN", "CASE"):
        return 1
    return -1 if last == "END" else 0


class _TsqlSplitter:
    """The state of splitting: the tokens of the statement so far, and its open blocks.

    ``words`` are the words of the statement outside of parentheses.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.words: list[str] = []
        self.depth = 0
        self.cases = 0
        self.before = ""  # the last token, in upper case; of a name in quotes "x"
        self.blocks = TsqlBlocks()

    def split_tokens(self, tokens: Iterator[Token]) -> Iterator[tuple[Piece, Places]]:
        every = list(join_labels(tokens))
        for place, token in enumerate(every):
            if token.kind in ("space", "comment"):
                self.parts.append(" " if token.kind == "comment" else token.text)
                continue
            if self.before == "GO" and token.kind == "number":  # how often the batch is executed
                continue
            if token.text in ("(", ")"):
                self.depth = max(0, self.depth + (1 if token.text == "(" else -1))
            elif (token.text == ";" or token.kind == "label") and not self.depth:
                if not self._is_routine():
                    yield self._take_piece()
                    self.before = ";"
                    continue
            elif token.kind == "word" and (not self.depth or token.text.upper() == "GO"):
                word = token.text.upper()
                if word == "WITH" and _begins_cte(every, place):
                    word = "WITH CTE"
                elif word == "IF" and _is_option(every, place):
                    word = "IF EXISTS"
                if self._ends_before(word):
                    yield self._take_piece()
                if self._begins_transaction(word):
                    self.blocks.undo_begin()
                    self.parts, self.words, self.before = ["BEGIN TRAN"], ["BEGIN"], word
                    continue
                if self._is_structure(word):
                    self.blocks.follow_structure(word, self.before)
                    self.before = word
                    continue
                self._count_cases(word)
                self.words.append(word.partition(" ")[0])
            self.parts.append(token.text)
            self.before = token.text.upper() if token.kind in ("word", "other") else "x"
        yield self._take_piece()

    def _take_piece(self) -> tuple[Piece, Places]:
        text = "".join(self.parts).strip()
        is_conditional = self.blocks.is_conditional
        places = self.blocks.place_statement(self.words) if text else ()
        self.parts, self.words, self.depth, self.cases = [], [], 0, 0
        return Piece(text, is_conditional), places

    def _count_cases(self, word: str) -> None:
        self.cases += word == "CASE"
        self.cases -= word == "END" and self.cases > 0

    def _is_routine(self) -> bool:
        words = self.words
        if words[:1] not in (["CREATE"], ["ALTER"]):
            return False
        return not _ROUTINES.isdisjoint(words[3:4] if words[1:3] == ["OR", "ALTER"] else words[1:2])

    def _begins_transaction(self, word: str) -> bool:
        is_transaction = word in ("TRAN", "TRANSACTION") and self.before == "BEGIN"
        return is_transaction and not self._is_routine()

    def _is_structure(self, word: str) -> bool:
        """Return whether the word is structure around statements."""
        if self._is_routine() or (self.cases and word in ("ELSE", "END")):
            return word == "GO"
        if word in _STRUCTURE and not self.words:
            return True
        return word in ("TRY", "CATCH") and self.before in ("BEGIN", "END")

    def _ends_before(self, word: str) -> bool:
        if word not in _STARTS or not self.words or self.before == ".":
            return False
        if self._is_routine():
            return word == "GO"
        if self.cases and word in ("ELSE", "END"):
            return False
        return not self._goes_on(word)

    def _goes_on(self, word: str) -> bool:
        """Return whether a word that may start a statement belongs to the one that has begun."""
        head, before = self.words[0], self.before
        if before in (",", ".", "GRANT", "REVOKE", "DENY"):
            return True
        if word == "SELECT":
            return self._query_goes_on(head, before)
        if word in _DML:
            return self._change_goes_on(word, head, before)
        if word == "SET":
            return self._expects_set(head)
        if word in ("EXEC", "EXECUTE"):
            return head == "INSERT" and not {"SELECT", "VALUES", "EXEC", "EXECUTE"} & set(
                self.words
            )
        if word == "WITH CTE":
            return (before == "AS" and head in ("CREATE", "ALTER")) or (
                before == "FOR" and head == "DECLARE"
            )
        if word in ("DROP", "ALTER", "CREATE", "TRUNCATE"):
            has_no_action = _ACTIONS.isdisjoint(self.words[1:])
            return before in ("OR", "GRANT") or (
                head == "ALTER" and has_no_action and word != "CREATE"
            )
        return word in ("FETCH",) and head in ("SELECT", "INSERT", "WITH") and before == "ROWS"

    def _query_goes_on(self, head: str, before: str) -> bool:
        if before in _BEFORE_QUERY:
            return self.words[:2] != ["ALTER", "TABLE"]  # … DISABLE TRIGGER ALL
        if head == "INSERT":
            return not {"SELECT", "VALUES", "EXEC", "EXECUTE"} & set(self.words)
        if head == "WITH":
            main = self._main_verb()
            return (before == ")" and main is None) or (
                main == "INSERT" and "SELECT" not in self.words and "VALUES" not in self.words
            )
        return before == ")" and self._has_inner_cte() and self._main_verb() is None

    def _has_inner_cte(self) -> bool:
        """Return whether the query of a view, a table or a cursor begins with WITH."""
        pairs = pairwise(self.words)
        return self.words[0] in ("CREATE", "ALTER", "DECLARE") and any(
            after == "WITH" and word in ("AS", "FOR") for word, after in pairs
        )

    def _change_goes_on(self, word: str, head: str, before: str) -> bool:
        if head == "WITH" and before == ")" and self._main_verb() is None:
            return True
        if "MERGE" in (head, self._main_verb()) and before == "THEN":
            return True
        if before == "ON":  # a foreign key's ON DELETE, not SET NOCOUNT ON
            return head in ("CREATE", "ALTER")
        if word == "MERGE" and self.words[:2] == ["ALTER", "PARTITION"]:
            return before == ")" and _ACTIONS.isdisjoint(self.words[1:])
        return before in ("BULK", "FOR", "OF", "AFTER", "GRANT", "REVOKE", "DENY", "FOREIGN")

    def _expects_set(self, head: str) -> bool:
        main = self._main_verb() if head == "WITH" else head
        if main == "UPDATE":
            return "SET" not in self.words
        if head == "ALTER" and _ACTIONS.isdisjoint(self.words[1:]):
            return True
        if self.before == "DELETE":  # of a foreign key: ON DELETE SET NULL
            return head in ("CREATE", "ALTER")
        return self.before == "UPDATE"

    def _main_verb(self) -> str | None:
        """Return the verb after the CTEs of WITH, or the first word."""
        return next((word for word in self.words if word in _DML), None)


def _tokens_after(tokens: list[Token], place: int) -> list[Token]:
    """Return the next three tokens, or fewer if there are many comments."""
    after = tokens[place + 1 : place + 12]
    return [token for token in after if token.kind not in ("space", "comment")][:3]


def _is_option(tokens: list[Token], place: int) -> bool:
    """Return whether the IF at the place is that of DROP … IF EXISTS, instead of a condition."""
    texts = [token.text.upper() for token in _tokens_after(tokens, place)]
    is_negated = texts[:1] == ["NOT"]
    return texts[is_negated : is_negated + 1] == ["EXISTS"] and "(" not in texts


def _begins_cte(tokens: list[Token], place: int) -> bool:
    """Return whether the WITH at the place begins a CTE, instead of hints or options."""
    after = _tokens_after(tokens, place)
    texts = [token.text.upper() for token in after]
    if len(texts) < 3 or after[0].kind not in ("word", "quoted"):
        return False
    return texts[1] == "(" or texts[1:] == ["AS", "("]
