"""Writes traces into the database and their rows into the graph, without the values of rows."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import Ambiguous, NotFound
from lineage.openlineage.jsonb import replace_unstorable
from lineage.query.names import resolve_dataset, resolve_run_id
from lineage.query.session import Session
from lineage.records import row_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.records.fidelity import Fidelity

# Rows of a trace that are stored, of all its sources together; their number is stored beside them.
MAX_WITNESSES = 1000

_SQL = StatementFile(__file__)
_WRITE_TRACE = _SQL.statement("write_trace")
_WRITE_WITNESSES = _SQL.statement("write_witnesses")
_WRITE_VERTICES = _SQL.statement("write_record_vertices")
_WRITE_EDGES = _SQL.statement("write_witness_edges")


class ContributingRows(NamedTuple):
    """The rows of a source that rows of a target are made of: their number, and the first of them.

    ``hop`` is 1 for the inputs of the write of the traced rows, 2 for those of the writes before.
    Rows have the values of their columns, and their position under the names of
    ``row_keys.position_columns`` if it is known.
    """

    hop: int
    target: str
    source: str
    rows: int
    witnesses: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class TraceResult:
    """A trace that is to be saved: its question and its answer.

    ``values`` are traced rows; they and ``condition`` are stored only with ``with_values``.
    """

    dataset: str
    condition: str
    columns: Sequence[str]
    way: str
    fidelity: Fidelity
    reasons: Sequence[str]
    rows: int
    sources: Sequence[ContributingRows]
    run: str | None = None
    reproduced: bool | None = None
    values: Sequence[dict[str, Any]] = field(default=())


class _StoredWitness(NamedTuple):
    hop: int
    target: str
    source: str
    file: str | None
    row_index: int | None
    key: bytes
    row_values: str | None


def save_trace(
    result: TraceResult, target: Session | str | None = None, *, with_values: bool = False
) -> str:
    """Store a trace and return its id. ``target``: a session, a DSN, or None for the default.

    Names are resolved: of the dataset, which must be in the graph, of the run, and of the sources
    that are in it. Of at most 1,000 contributing rows the positions are stored, or a hash with the
    key of the user if they have none. Raises NotFound, Ambiguous, UsageError, DatabaseError.
    """
    key = row_keys.read_user_key()
    with _opened_session(target) as session:
        dataset = resolve_dataset(session, result.dataset).full_name
        run = None if result.run is None else resolve_run_id(session, result.run)
        sources = [
            each._replace(
                target=_resolve_name(session, each.target),
                source=_resolve_name(session, each.source),
            )
            for each in result.sources
        ]
        witnesses = _share_witnesses(sources, key, with_values=with_values)
        trace_id = uuid.uuid4()
        with translate_errors(), session.connection.transaction():
            hashed = row_keys.hash_condition(result.condition, key)
            _WRITE_TRACE.execute(
                session.connection, trace=trace_id, dataset=dataset, run=run,
                columns=list(map(_clean_text, result.columns)), condition_hash=hashed,
                condition=_clean_text(result.condition) if with_values else None,
                way=result.way, fidelity=str(result.fidelity),
                reasons=list(map(_clean_text, result.reasons)), rows=result.rows,
                counts=_to_jsonb(_counts_of(sources, witnesses)), reproduced=result.reproduced,
                row_values=_to_jsonb(list(map(row_keys.values_of, result.values)))
                if with_values else None,
            )  # fmt: skip
            _WRITE_WITNESSES.execute(session.connection, trace=trace_id, **_columns_of(witnesses))
            root = row_keys.hash_traced_rows(dataset, hashed)
            _write_graph(session, str(trace_id), dataset, root, str(result.fidelity), witnesses)
    return str(trace_id)


@contextmanager
def _opened_session(target: Session | str | None) -> Iterator[Session]:
    if isinstance(target, Session):
        yield target
    else:
        with Session(target) as session:
            yield session


def _resolve_name(session: Session, name: str) -> str:
    """Return the full name of the only dataset of this name, else the name."""
    text = _clean_text(name)
    with suppress(NotFound, Ambiguous):
        return resolve_dataset(session, text).full_name
    return text


def _share_witnesses(
    sources: Iterable[ContributingRows], key: bytes, *, with_values: bool
) -> list[_StoredWitness]:
    """Return the rows to store: as many of each source as fit, and equal ones once."""
    by_source = [
        list({row.key: row for row in _read_witnesses(each, key, with_values=with_values)}.values())
        for each in sources
    ]
    left = MAX_WITNESSES
    shares = [0] * len(by_source)
    order = sorted(range(len(by_source)), key=lambda number: len(by_source[number]))
    for place, number in enumerate(order):
        shares[number] = min(len(by_source[number]), left // (len(order) - place))
        left -= shares[number]
    return [row for rows, share in zip(by_source, shares, strict=True) for row in rows[:share]]


def _read_witnesses(
    each: ContributingRows, key: bytes, *, with_values: bool
) -> Iterator[_StoredWitness]:
    for row in each.witnesses:
        file, row_index = row_keys.position_of(row) or (None, None)
        yield _StoredWitness(
            each.hop,
            each.target,
            each.source,
            None if file is None else _clean_text(file),
            row_index,
            row_keys.hash_row(each.source, row, key),
            _to_jsonb(row_keys.values_of(row)) if with_values else None,
        )


def _counts_of(
    sources: Sequence[ContributingRows], witnesses: Sequence[_StoredWitness]
) -> list[dict[str, Any]]:
    stored = Counter(row[:3] for row in witnesses)
    return [
        {
            "hop": each.hop,
            "target": each.target,
            "source": each.source,
            "rows": each.rows,
            "saved": stored[each[:3]],
        }
        for each in sources
    ]


def _columns_of(witnesses: Sequence[_StoredWitness]) -> dict[str, list[Any]]:
    return {
        name: [getattr(row, name) for row in witnesses]
        for name in ("hop", "target", "source", "file", "row_index", "key", "row_values")
    }


def _write_graph(
    session: Session,
    trace_id: str,
    dataset: str,
    root: bytes,
    fidelity: str,
    witnesses: Sequence[_StoredWitness],
) -> None:
    if not witnesses:
        return
    keys = [row.key.hex() for row in witnesses]
    _WRITE_VERTICES.execute(
        session.connection,
        datasets=[dataset, *(row.source for row in witnesses)],
        keys=[root.hex(), *keys],
    )
    _WRITE_EDGES.execute(
        session.connection, trace=trace_id, fidelity=fidelity, root=root.hex(), keys=keys,
        hops=[row.hop for row in witnesses],
    )  # fmt: skip


def _clean_text(text: str) -> str:
    """Replace the characters of a text that PostgreSQL cannot store."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def _to_jsonb(value: object) -> str:
    return replace_unstorable(json.dumps(value).encode()).decode()
