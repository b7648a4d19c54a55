"""Datasets that are likely one dataset under two names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.naming import JDBC_SCHEMES, OBJECT_STORES, DatasetName

if TYPE_CHECKING:
    from lineage.query.session import Session


class NameRow(NamedTuple):
    """A name of a dataset, which may be an alias, and the id and name of the dataset."""

    id: int
    namespace: str
    name: str
    dataset_namespace: str
    dataset_name: str


class AccessRow(NamedTuple):
    """Whether runs or designs write and read a dataset."""

    id: int
    is_written: bool
    is_read: bool


class Twin(NamedTuple):
    """Similar names of two datasets: one is written, the other is read and never written.

    ``is_read``: the written dataset is read, too. ``dataset``: the name of the written dataset, of
    which ``written`` may be an alias.
    """

    written: DatasetName
    read: DatasetName
    is_read: bool
    dataset: DatasetName


_SQL = StatementFile(__file__)
_SELECT_NAMES = _SQL.statement("select_names", NameRow)
_SELECT_ACCESSES = _SQL.statement("select_accesses", AccessRow)
_STORES = {**OBJECT_STORES, "gcs": "gs"}
_SCHEMES = {**JDBC_SCHEMES, "mssql": "sqlserver", "jtds": "sqlserver"}
_URL = re.compile(r"(?P<scheme>[\w+.-]+)://(?P<host>[^/:,]*)(?::\d+)?(?P<rest>.*)", re.DOTALL)
_ADDRESS = re.compile(r"[\d.]+|\[.*\]")
_QUOTES = re.compile(r"""["'`\[\]]""")


def find_twins(session: Session) -> list[Twin]:
    """Return the pairs of datasets that are likely one, by their names and aliases.

    Their names differ by case, quotes, the first or last slash, the name of the scheme, the port
    or the domain of the host. A dataset that is only read was likely written under another name.
    """
    groups: dict[tuple[str, str], list[NameRow]] = {}
    for row in session.fetch(_SELECT_NAMES):
        groups.setdefault(similarity_key(row.namespace, row.name), []).append(row)
    similar = [rows for rows in groups.values() if len({row.id for row in rows}) > 1]
    ids = sorted({row.id for rows in similar for row in rows})
    accesses = {row.id: row for row in session.fetch(_SELECT_ACCESSES, ids=ids)}
    pairs: dict[tuple[int, int], Twin] = {}
    for rows in similar:
        written = [row for row in rows if accesses[row.id].is_written]
        read = [row for row in rows if accesses[row.id][1:] == (False, True)]
        for a in written:
            for b in read:
                twin = _twin_of(a, b, is_read=accesses[a.id].is_read)
                # Of several pairs of names of two datasets, the first is enough.
                pairs[a.id, b.id] = min(twin, pairs.get((a.id, b.id), twin))
    return sorted(pairs.values())


def _twin_of(written: NameRow, read: NameRow, *, is_read: bool) -> Twin:
    return Twin(
        DatasetName(written.namespace, written.name),
        DatasetName(read.namespace, read.name),
        is_read,
        DatasetName(written.dataset_namespace, written.dataset_name),
    )


def similarity_key(namespace: str, name: str) -> tuple[str, str]:
    """Return the common part of similar names. The name of a store of objects is not shortened."""
    folded = _QUOTES.sub("", name).casefold().strip("/")
    namespace = namespace.casefold().rstrip("/")
    match = _URL.fullmatch(namespace)
    if match is None:
        return namespace, folded
    if store := _STORES.get(match["scheme"]):
        return f"{store}{namespace.removeprefix(match['scheme'])}", folded
    host = match["host"]
    if not _ADDRESS.fullmatch(host):
        host = host.partition(".")[0]
    scheme = _SCHEMES.get(match["scheme"], match["scheme"])
    return f"{scheme}://{host}{match['rest']}", folded
