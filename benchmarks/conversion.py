"""Measure the conversion of plan documents to OpenLineage events with column lineage.

python -m benchmarks.conversion [--repeat N]

The plans are those of ``benchmarks.listener``, built without Spark. Each has two sizes, to show
steps whose time grows faster than the plan.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import parse_document


class Plan:
    """Builds a plan in the format of the listener, from the relations up."""

    def __init__(self) -> None:
        self.exprs: list[list[Any]] = []
        self.nodes: list[dict[str, Any]] = []

    def expr(self, *parts: Any) -> int:
        self.exprs.append([*parts])
        return len(self.exprs) - 1

    def attribute(self, name: str) -> int:
        return self.expr("#", len(self.exprs), name, 0)

    def alias(self, child: int, name: str) -> tuple[int, int]:
        """Add an alias; return the expression and its attribute."""
        attribute = self.attribute(name)
        return self.expr("Alias", child, {"id": attribute, "name": name, "type": 0}), attribute

    def node(self, op: str, children: list[int], out: list[int], **args: Any) -> int:
        self.nodes.append({"op": op, "in": children, "out": out, "args": args})
        return len(self.nodes) - 1

    def table(self, count: int) -> tuple[int, list[int]]:
        out = [self.attribute(f"c{at}") for at in range(count)]
        files = {"files": {"format": "parquet", "paths": ["file:/wide"], "partitionColumns": []}}
        return self.node("LogicalRelation", [], out, relation=files), out

    def document(self) -> str:
        root = self.node(
            "InsertIntoHadoopFsRelationCommand", [len(self.nodes) - 1], [], outputPath="file:/out"
        )
        plan = {"types": ["bigint"], "exprs": self.exprs, "nodes": self.nodes, "root": root}
        app = {"run": "00000000-0000-7000-8000-000000000000", "name": "bench", "conf": {}}
        end = {"kind": "execution_end", "time": 1, "outcome": "COMPLETE", "durationMs": 1}
        return json.dumps({"lineage": 1, **end, "app": app, "execution": {"id": 1}, "plan": plan})


def joins(count: int, times: int) -> str:
    """Return the document of a table joined with itself, with all columns of each."""
    plan = Plan()
    node, out = plan.table(count)
    for _ in range(times):
        right, given = plan.table(count)
        made = [plan.alias(attribute, f"c{at}") for at, attribute in enumerate(given)]
        renamed = [attribute for _, attribute in made]
        right = plan.node("Project", [right], renamed, projectList=[alias for alias, _ in made])
        condition = plan.expr("EqualTo", out[0], renamed[0])
        both = [*out, *renamed]
        node = plan.node("Join", [node, right], both, joinType="Inner", condition=condition)
        out = [*out, *renamed[1:]]
        node = plan.node("Project", [node], out, projectList=out)
    return plan.document()


def projections(count: int, times: int) -> str:
    """Return the document of projections, each with a CASE over two neighbouring columns."""
    plan = Plan()
    node, out = plan.table(count)
    for at in range(times):
        literal = plan.expr("Literal", {"type": 0})
        condition = plan.expr("GreaterThan", out[at + 1], literal)
        case = plan.expr("CaseWhen", condition, plan.expr("Add", out[at], literal), literal)
        alias, attribute = plan.alias(case, f"c{at}")
        listed = [*out[:at], alias, *out[at + 1 :]]
        out = [*out[:at], attribute, *out[at + 1 :]]
        node = plan.node("Project", [node], out, projectList=listed)
    return plan.document()


def sums(count: int, times: int) -> str:
    """Return the document of projections, each of which adds to every column its neighbour."""
    plan = Plan()
    node, out = plan.table(count)
    for _ in range(times):
        pairs = zip(out, [*out[1:], out[0]], strict=True)
        made = [plan.alias(plan.expr("Add", *pair), f"c{at}") for at, pair in enumerate(pairs)]
        out = [attribute for _, attribute in made]
        node = plan.node("Project", [node], out, projectList=[alias for alias, _ in made])
    return plan.document()


SHAPES = {
    "250 columns, 5 joins": joins(250, 5),
    "500 columns, 5 joins": joins(500, 5),
    "250 columns, 20 projections": projections(250, 20),
    "500 columns, 20 projections": projections(500, 20),
    "500 columns, 40 projections": projections(500, 40),
    "500 columns, 5 projections of sums": sums(500, 5),
    "500 columns, 20 projections of sums": sums(500, 20),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9, help="number of conversions of a document")
    repeat = parser.parse_args().repeat
    print("| plan | document, bytes | read, ms | converted, ms |\n|---|---:|---:|---:|")
    for name, line in SHAPES.items():
        print(f"| {name} | {' | '.join(measured(line, repeat))} |", flush=True)


def measured(line: str, repeat: int) -> list[str]:
    """Return the size in bytes, and the median processor times of reading and conversion."""
    read, converted = [], []
    for _ in range(repeat):
        started = time.process_time()
        document = parse_document(line)
        middle = time.process_time()
        ended = convert_document(document)[-1]
        converted.append(time.process_time() - middle)
        read.append(middle - started)
        assert ended.outputs[0].facets["columnLineage"].fields
    times = (f"{statistics.median(values) * 1000:.0f}" for values in (read, converted))
    return [f"{len(line):,}", *times]


if __name__ == "__main__":
    main()
