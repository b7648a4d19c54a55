"""Namespaces, datasets, tags and search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import NotFound
from lineage.http.marquez import representations, statements
from lineage.http.operation import Operation
from lineage.http.parameters import LIMIT, OFFSET, Choice, Text, Time

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    Conn = psycopg.Connection[Any]
    Json = dict[str, Any]

PAGE = (LIMIT, OFFSET)


def list_namespaces(conn: Conn, values: Json) -> Json:
    """Return the namespaces of datasets and jobs."""
    rows = statements.NAMESPACES.fetch(conn, **{"namespace": None, **values})
    return {"namespaces": [representations.namespace_form(*row) for row in rows]}


def get_namespace(conn: Conn, values: Json) -> Json:
    """Return one namespace."""
    namespaces = list_namespaces(conn, {**values, "limit": 1, "offset": 0})["namespaces"]
    if not namespaces:
        raise NotFound(f'There is no namespace "{values["namespace"]}".')
    return dict(namespaces[0])


def of_ids(conn: Conn, ids: Sequence[int]) -> list[Json]:
    """Return datasets by their ids."""
    return [
        representations.dataset_form(row) for row in statements.DATASETS.fetch(conn, ids=list(ids))
    ]


def dataset_id(conn: Conn, namespace: str, name: str) -> int:
    """Return the id of a dataset by its name or an alias. Raises NotFound."""
    row = conn.execute(statements.DATASET_ID, (namespace, name)).fetchone()
    if row is None:
        raise NotFound(f'There is no dataset "{name}" in the namespace "{namespace}".')
    (id,) = row
    return int(id)


def fetch_count(conn: Conn, statement: str, params: Any) -> int:
    """Return the count of a statement with one row and one column."""
    [(count,)] = conn.execute(statement, params).fetchall()
    return int(count)


def _list_datasets(conn: Conn, values: Json) -> Json:
    ids = [id for (id,) in conn.execute(statements.DATASET_IDS, values)]
    count = fetch_count(conn, statements.DATASET_COUNT, values)
    return {"datasets": of_ids(conn, ids), "totalCount": count}


def _get_dataset(conn: Conn, values: Json) -> Json:
    [datasets] = of_ids(conn, [dataset_id(conn, values["namespace"], values["dataset"])])
    return datasets


def _search_names(conn: Conn, values: Json) -> Json:
    results = [
        {
            "type": row.kind,
            "name": row.name,
            "updatedAt": row.updated_at,
            "namespace": row.namespace,
            "nodeId": representations.node_id(row.kind.lower(), row.namespace, row.name),
        }
        for row in statements.SEARCHED.fetch(conn, **values)
    ]
    return {"totalCount": len(results), "results": results}


def _list_tags(conn: Conn, values: Json) -> Json:
    rows = conn.execute(statements.TAGS, values)
    return {"tags": [{"name": tag, "description": None} for (tag,) in rows]}


def _list_sources(conn: Conn, values: Json) -> Json:
    return {"sources": [_source_form(each) for each in list_namespaces(conn, values)["namespaces"]]}


def _one_source(conn: Conn, values: Json) -> Json:
    return _source_form(get_namespace(conn, {"namespace": values["source"]}))


def _source_form(namespace: Json) -> Json:
    scheme = namespace["name"].partition(":")[0].upper()
    return {
        "type": scheme,
        "name": namespace["name"],
        "createdAt": namespace["createdAt"],
        "updatedAt": namespace["updatedAt"],
        "connectionUrl": namespace["name"],
        "description": "",
    }


OPERATIONS = (
    Operation("/api/v1/namespaces", "Namespaces", list_namespaces, PAGE),
    Operation("/api/v1/namespaces/{namespace}", "A namespace", get_namespace),
    Operation(
        "/api/v1/namespaces/{namespace}/datasets", "Datasets of a namespace", _list_datasets, PAGE
    ),
    Operation("/api/v1/namespaces/{namespace}/datasets/{dataset}", "A dataset", _get_dataset),
    Operation("/api/v1/sources", "Namespaces as sources", _list_sources, PAGE),
    Operation("/api/v1/sources/{source}", "A namespace as a source", _one_source),
    Operation("/api/v1/tags", "Tags of datasets", _list_tags, PAGE),
    Operation(
        "/api/v1/search",
        "Datasets and jobs whose names contain a text",
        _search_names,
        (
            Text("q", "The text, in any case.", required=True),
            Choice("filter", "Only entities of this kind.", words=("DATASET", "JOB")),
            Choice("sort", "The order of the results.", "NAME", words=("NAME", "UPDATE_AT")),
            Text("namespace", "Only entities in this namespace."),
            Time("after", "Only entities last seen at this time or later."),
            Time("before", "Only entities last seen before this time."),
            LIMIT,
        ),
    ),
)
