"""Read texts of statements once for each shape, as JSON without literals."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from lineage.sql.records import Flow, Statement, statement_to_json
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from lineage.readers.query_logs.observed import ObservedStatement


_IF_OPEN = re.compile(r"(?i)\s*if\s+@@trancount\s*>\s*\?\s*")
_ROLLBACK = re.compile(r"(?i)\s*rollback(?:\s+tran(?:saction)?)?\s*;?\s*")
_DECODER = msgspec.json.Decoder(tuple[Statement, ...])


class ReadText(NamedTuple):
    """The statements of a text, as JSON with their shapes and without them."""

    statements: tuple[Statement, ...]
    body: str
    digest: bytes
    bare_body: str
    bare_digest: bytes


class TextReader:
    """Reads texts in a dialect."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.shapes: set[bytes] = set()
        self.count = 0
        self.last: tuple[Statement, ...] = ()  # of the text that was read last
        # By identity, with the object itself, so that no other has its id: read_statements()
        # returns the same tuple for texts of one shape.
        self._encoded: dict[int, tuple[tuple[Statement, ...], ReadText]] = {}

    def read_text(self, text: str) -> ReadText:
        """Return the statements of a text; count it and its shape."""
        statements = read_statements(text, self.dialect)
        known = self._encoded.get(id(statements))
        if known is None:
            known = self._encoded[id(statements)] = statements, encode_statements(statements)
            self.shapes.add(known[1].digest)
        self.count += len(statements)
        self.last = known[1].statements
        return known[1]


def encode_statements(statements: tuple[Statement, ...]) -> ReadText:
    """Return statements as JSON with its digest."""
    statements = resolve_rollback(statements)
    body = _to_text(statements)
    bare = _to_text(tuple(map(_remove_shapes, statements)))
    return ReadText(
        statements,
        body,
        hashlib.sha256(body.encode()).digest(),
        bare,
        hashlib.sha256(bare.encode()).digest(),
    )


def resolve_rollback(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Resolve the ROLLBACK that drivers send: its only condition is that a transaction is open."""
    if len(statements) != 2 or not _IF_OPEN.fullmatch(statements[0].shape):
        return statements
    if not _ROLLBACK.fullmatch(statements[1].shape):
        return statements
    return statements[0], replace(statements[1], transaction="rollback", unresolved=())


def _remove_shapes(statement: Statement) -> Statement:
    """Return a statement without texts."""
    return replace(
        statement,
        shape="",
        calls=tuple(
            replace(call, statements=tuple(map(_remove_shapes, call.statements)))
            for call in statement.calls
        ),
        handle=statement.handle
        and replace(
            statement.handle, statements=tuple(map(_remove_shapes, statement.handle.statements))
        ),
        routine=statement.routine
        and replace(
            statement.routine, statements=tuple(map(_remove_shapes, statement.routine.statements))
        ),
    )


def _to_text(statements: tuple[Statement, ...]) -> str:
    return msgspec.json.encode([statement_to_json(each) for each in statements]).decode()


def observed_statement(observed: ObservedStatement) -> Statement:
    """Return a statement whose tables the database itself reported."""
    return Statement(
        "OBSERVED",
        flows=tuple(Flow(*flow[:4], is_view=flow.is_view) for flow in observed.flows),
        reads=observed.reads,
        renames=observed.renames,
        swaps=observed.swaps,
        transaction=observed.transaction,
        unresolved=observed.unresolved,
    )


@lru_cache(maxsize=20_000)
def decode_statements(body: str) -> tuple[Statement, ...]:
    """Return the statements of a JSON text of ``encode_statements``."""
    return _DECODER.decode(body)
