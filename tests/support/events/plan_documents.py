"""Builders of plan documents, and accessors of the events converted from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openlineage.client.serde import Serde

from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN = "5f0c1a1e-8a54-4a6e-9d0e-3f6c2b7d9a10"
Json = dict[str, Any]


def application(**facts: Any) -> Json:
    """Return the ``app`` object with the given members."""
    conf = {"spark.sql.warehouse.dir": "file:/wh"} | facts.pop("conf", {})
    return {
        "run": RUN,
        "name": "Nightly Load",
        "namespace": "tests",
        "spark": "4.3.0",
        "listener": "0.1.0",
        "started": 1_000,
        "host": "driver",
        "conf": conf,
        **facts,
    }


class Plans:
    """A plan under construction: each call adds an operator and returns its index."""

    def __init__(self) -> None:
        self.types: list[str] = []
        self.exprs: list[list[Any]] = []
        self.nodes: list[Json] = []

    def attribute(self, name: str, data_type: str = "bigint") -> int:
        if data_type not in self.types:
            self.types.append(data_type)
        return self.expr("#", len(self.exprs), name, self.types.index(data_type))

    def expr(self, *entry: Any) -> int:
        self.exprs.append(list(entry))
        return len(self.exprs) - 1

    def node(self, op: str, *children: int, **args: Any) -> int:
        out, inner = args.pop("out", None), args.pop("inner", None)
        node = {"op": op, "in": list(children), "args": args}
        node |= {} if out is None else {"out": out}
        node |= {} if inner is None else {"inner": inner}
        self.nodes.append(node)
        return len(self.nodes) - 1

    def files(
        self,
        *paths: str,
        columns: tuple[str, ...] = ("id",),
        form: str = "parquet",
        types: Mapping[str, str] | None = None,
    ) -> int:
        """Add a relation over files. A column without a type is a bigint."""
        out = [self.attribute(name, (types or {}).get(name, "bigint")) for name in columns]
        relation = {"files": {"format": form, "paths": list(paths), "partitionColumns": []}}
        return self.node("LogicalRelation", out=out, relation=relation)

    def table(self, name: str, database: str = "default", **facts: Any) -> int:
        """Add a relation over a table of files in the warehouse."""
        relation = {"files": {"format": "parquet", "paths": [location(name, database)]}}
        return self.node(
            "LogicalRelation",
            out=[self.attribute("id")],
            relation=relation,
            catalogTable=table(name, database, **facts),
        )

    def build(self, root: int | None = None) -> Json:
        root = len(self.nodes) - 1 if root is None else root
        return {"types": self.types, "exprs": self.exprs, "nodes": self.nodes, "root": root}


def location(name: str, database: str = "default") -> str:
    folder = "" if database == "default" else f"/{database}.db"
    return f"file:/wh{folder}/{name}"


def table(name: str, database: str | None = "default", **facts: Any) -> Json:
    """Return a ``table`` value, located in the warehouse by default."""
    place = {} if database is None else {"database": database, "location": location(name, database)}
    return {"table": {"name": name, "type": "MANAGED", "provider": "parquet", **place, **facts}}


def identifier(name: str, *namespace: str, **facts: Any) -> Json:
    return {"identifier": {"namespace": list(namespace), "name": name, **facts}}


def execution_end(plan: Json | None, **facts: Any) -> Json:
    """Return an ``execution_end`` of successful execution 7; ``facts`` replace or add fields."""
    app = application(conf=facts.pop("conf", {}))
    execution = {"id": 7, "callsite": "org.apache.spark.sql.classic.Dataset.count(Dataset.scala:1)"}
    return {
        "lineage": 1,
        "kind": "execution_end",
        "time": 61_500,
        "app": app,
        "execution": execution | facts.pop("execution", {}),
        "outcome": "COMPLETE",
        "durationMs": 1_500,
        "plan": plan,
        **facts,
    }


def execution_start(plan: Json | None, **facts: Any) -> Json:
    document = execution_end(plan, kind="execution_start", time=60_000, **facts)
    del document["outcome"], document["durationMs"]
    return document


def events(document: Json, exit_code: int | None = None) -> list[Json]:
    """Return the events of a document in their serialized form."""
    return [Serde.to_dict(event) for event in convert_document(read_document(document), exit_code)]


def ended(document: Json) -> Json:
    """Return the only event of an ``execution_end``."""
    (event,) = events(document)
    return event


def read_by(event: Json) -> list[str]:
    return [f"{item['namespace']} {item['name']}" for item in event["inputs"]]


def written_by(event: Json) -> list[str]:
    return [f"{item['namespace']} {item['name']}" for item in event["outputs"]]


def facet(part: Json, name: str) -> Json:
    """Return a facet of a run, job or dataset; empty if there is none."""
    for kind in ("facets", "inputFacets", "outputFacets"):
        if name in part.get(kind, {}):
            return dict(part[kind][name])
    return {}


def change(event: Json) -> str | None:
    """Return the lifecycle change of the only output."""
    (output,) = event["outputs"]
    return facet(output, "lifecycleStateChange").get("lifecycleStateChange")


def unresolved(event: Json) -> list[str]:
    """Return the operators that the event reports as unresolved."""
    return [item["operator"] for item in facet(event["run"], "lineage_unresolved").get("items", [])]
