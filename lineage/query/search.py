"""Search datasets, jobs and columns by words of their names, tags and descriptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from lineage.query.arguments import need_in_range, need_known, texts_of
from lineage.query.assets import entity_of_node
from lineage.query.ranking import read_stored_ranks
from lineage.query.records import Dataset, Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.ranking import StoredRank
    from lineage.query.session import Session

Kind: TypeAlias = Literal["dataset", "job", "column"]
Match: TypeAlias = Literal["exact", "prefix", "word", "part", "similar"]

KINDS: tuple[Kind, ...] = ("dataset", "job", "column")

_SEARCH = """
SELECT s.match, s.by, s.kind, s.id, s.namespace, s.name, s.column_name, s.matched_text
FROM lineage.search(%(words)s, %(kinds)s::text[], %(limit)s) WITH ORDINALITY AS s
ORDER BY s.ordinality
"""


_NODE_TYPES = "SELECT * FROM lineage.node_types(%(ids)s::bigint[]) ORDER BY 1, 2"


@dataclass(frozen=True, slots=True)
class Hit:
    """A search hit: a dataset, a job, or a ``column`` of ``dataset``.

    ``matched_text``: the text that matched: a name, an alias, tags as JSON, or a description.
    ``node_types``: types of the nodes of graph models that the dataset or the job is. ``rank``: of
    a dataset, if ``lineage rank --store`` stored it.
    """

    kind: Kind
    match: Match
    match_field: Literal["name", "tag", "description"]
    dataset: Dataset | None
    job: Job | None
    column: str | None
    matched_text: str
    node_types: tuple[str, ...] = ()
    rank: StoredRank | None = None

    @property
    def full_name(self) -> str:
        """The full name as other queries accept it; for a column, with a dot and its name."""
        entity = self.job.full_name if self.job else str(self.dataset)
        return f"{entity}.{self.column}" if self.column is not None else entity


def search_names(
    session: Session, text: str, kinds: Sequence[Kind] | None = None, limit: int = 50
) -> tuple[Hit, ...]:
    """Search entities that match all words of ``text``, ignoring case; best match first.

    A word matches if it equals the name or its last part, is a prefix of the last part, is a word
    of the name or a tag, or occurs in a name, tag or description. If nothing matches, similar names
    are returned, provided that the database has the extension pg_trgm. Raises UsageError for an
    unknown kind.
    """
    selected = KINDS if kinds is None else texts_of(kinds)
    need_known(selected, KINDS, "kind")
    need_in_range(limit=limit)
    params = {
        "words": text.replace("\x00", ""),
        "kinds": None if kinds is None else list(selected),
        "limit": limit,
    }
    rows = session.fetch_rows(_SEARCH, params)
    if not rows and (node := entity_of_node(session, text)):
        # As a whole: the names of the entity separate the last part of the id by a slash.
        kind = "job" if isinstance(node, Job) else "dataset"
        entity = (node.id, node.namespace, node.name)
        rows = [("exact", "name", kind, *entity, None, text)] if kind in (selected or KINDS) else []
    types: dict[int, list[str]] = {}
    for entity, node_type in session.fetch_rows(
        _NODE_TYPES, {"ids": [id for _, _, _, id, *_ in rows]}
    ):
        types.setdefault(entity, []).append(node_type)
    ranks = read_stored_ranks(session, [id for _, _, kind, id, *_ in rows if kind == "dataset"])
    return tuple(
        Hit(
            kind, match, by,
            None if kind == "job" else Dataset(id, namespace, name),
            Job(id, namespace, name) if kind == "job" else None,
            column, matched, tuple(types.get(id, ())) if kind != "column" else (),
            ranks.get(id) if kind == "dataset" else None,
        )
        for match, by, kind, id, namespace, name, column, matched in rows
    )  # fmt: skip
