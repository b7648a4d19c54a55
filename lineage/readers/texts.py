"""Read texts of statements once for each shape, as JSON without literals."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from lineage.readers.transactions import controls_savepoint
from lineage.sql.records import Flow, Statement, statement_from_json, statement_to_json
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from lineage.readers.observed import ObservedStatement


class ReadText(NamedTuple):
    """What was read of a text: JSON with the shapes of its statements, and without them."""

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
        # By identity: read_statements() returns the same tuple for texts of one shape.
        self._encoded: dict[int, ReadText] = {}

    def read_text(self, text: str) -> ReadText:
        """Return the statements of a text; count it and its shape."""
        statements = read_statements(text, self.dialect)
        known = self._encoded.get(id(statements))
        if known is None or known.statements is not statements:
            known = self._encoded[id(statements)] = encode_statements(statements)
            self.shapes.add(known.digest)
        self.count += len(statements)
        self.last = statements
        return known


def encode_statements(statements: tuple[Statement, ...]) -> ReadText:
    """Return statements as JSON with its digest."""
    body = _to_text(statements)
    bare = _to_text(tuple(map(_remove_shapes, statements)))
    return ReadText(
        statements,
        body,
        hashlib.sha256(body.encode()).digest(),
        bare,
        hashlib.sha256(bare.encode()).digest(),
    )


def _remove_shapes(statement: Statement) -> Statement:
    """Return a statement without texts. Names of savepoints remain: transactions need them."""
    return replace(
        statement,
        shape=statement.shape if controls_savepoint(statement.shape) else "",
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
    flows = tuple(Flow(flow.target, flow.sources, flow.mode) for flow in observed.flows)
    return Statement("OBSERVED", flows=flows, reads=observed.reads)


@lru_cache(maxsize=20_000)
def decode_statements(body: str) -> tuple[Statement, ...]:
    """Return the statements of a JSON text of ``encode_statements``."""
    return tuple(map(statement_from_json, msgspec.json.decode(body)))
