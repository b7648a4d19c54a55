"""Datasets, jobs and columns by words of their names, tags and descriptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from lineage.query.records import Dataset, Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.session import Session

Kind: TypeAlias = Literal["dataset", "job", "column"]
Match: TypeAlias = Literal["exact", "prefix", "word", "part", "similar"]

KINDS: tuple[Kind, ...] = ("dataset", "job", "column")

_SEARCH = """
SELECT s.match, s.by, s.kind, s.id, s.namespace, s.name, s.column_name, s.matched_text
FROM lineage.search(%(words)s, %(kinds)s::text[], %(limit)s) WITH ORDINALITY AS s
ORDER BY s.ordinality
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was found; ``column`` is one of ``dataset``.

    ``matched_text`` is what the words fit: a name, an alias, tags as JSON, or a description.
    """

    kind: Kind
    match: Match
    match_field: Literal["name", "tag", "description"]
    dataset: Dataset | None
    job: Job | None
    column: str | None
    matched_text: str

    @property
    def full_name(self) -> str:
        """What it is called, as other questions take it."""
        entity = self.job.full_name if self.job else str(self.dataset)
        return f"{entity}.{self.column}" if self.column is not None else entity


def search_names(
    session: Session, text: str, kinds: Sequence[Kind] | None = None, limit: int = 50
) -> tuple[Hit, ...]:
    """Return what fits all words of ``text``, in whatever case, the best first.

    A word is the name or its last part, begins the last part, is a word of the name or tag, or
    is somewhere in a name, tag or description. Where nothing is found, names that are similar
    are; for these the database needs the extension pg_trgm.
    """
    params = {
        "words": text.replace("\x00", ""),
        "kinds": None if kinds is None else list(kinds),
        "limit": limit,
    }
    rows = session.fetch_rows(_SEARCH, params)
    return tuple(
        Hit(
            kind, match, by,
            None if kind == "job" else Dataset(id, namespace, name),
            Job(id, namespace, name) if kind == "job" else None,
            column, matched,
        )
        for match, by, kind, id, namespace, name, column, matched in rows
    )  # fmt: skip
