"""Datasets that are likely one dataset under two names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.naming import JDBC_SCHEMES, OBJECT_STORES, DatasetName

if TYPE_CHECKING:
    from lineage.query.session import Session


class NameRow(NamedTuple):
    """A dataset by its name."""

    id: int
    namespace: str
    name: str


class AccessRow(NamedTuple):
    """Whether runs or designs write and read a dataset."""

    id: int
    is_written: bool
    is_read: bool


class Twin(NamedTuple):
    """Two datasets of similar names: one is only written, and the other only read."""

    written: DatasetName
    read: DatasetName


_SQL = StatementFile(__file__)
_SELECT_DATASETS = _SQL.statement("select_datasets", NameRow)
_SELECT_ACCESSES = _SQL.statement("select_accesses", AccessRow)
_SCHEMES = {**JDBC_SCHEMES, "mssql": "sqlserver", "jtds": "sqlserver"}
_URL = re.compile(r"(?P<scheme>[\w+.-]+)://(?P<host>[^/:,]*)(?::\d+)?(?P<rest>.*)", re.DOTALL)
_ADDRESS = re.compile(r"[\d.]+|\[.*\]")
_QUOTES = re.compile(r"""["'`\[\]]""")


def find_twins(session: Session) -> list[Twin]:
    """Return the pairs of datasets that are likely one, by their names.

    Their names differ by case, quotes, the name of the scheme, the port or the domain of the host.
    """
    groups: dict[tuple[str, str], list[NameRow]] = {}
    for row in session.fetch(_SELECT_DATASETS):
        groups.setdefault(similarity_key(row.namespace, row.name), []).append(row)
    similar = [rows for rows in groups.values() if len(rows) > 1]
    ids = [row.id for rows in similar for row in rows]
    accesses = {row.id: row for row in session.fetch(_SELECT_ACCESSES, ids=ids)}
    twins = []
    for rows in similar:
        written = [row for row in rows if accesses[row.id][1:] == (True, False)]
        read = [row for row in rows if accesses[row.id][1:] == (False, True)]
        twins += [
            Twin(DatasetName(a.namespace, a.name), DatasetName(b.namespace, b.name))
            for a in written
            for b in read
        ]
    return sorted(twins)


def similarity_key(namespace: str, name: str) -> tuple[str, str]:
    """Return what similar names have in common. The name of a store of objects is not shortened."""
    folded = _QUOTES.sub("", name).casefold()
    match = _URL.fullmatch(namespace.casefold())
    if match is None or match["scheme"] in OBJECT_STORES:
        return namespace.casefold(), folded
    host = match["host"]
    if not _ADDRESS.fullmatch(host):
        host = host.partition(".")[0]
    scheme = _SCHEMES.get(match["scheme"], match["scheme"])
    return f"{scheme}://{host}{match['rest']}", folded
