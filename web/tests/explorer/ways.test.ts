import assert from "node:assert/strict";
import { test } from "node:test";
import type { ColumnEdge, GraphEdge } from "../../src/explorer/answer.ts";
import { columnKey, emptyView, type View } from "../../src/explorer/model.ts";
import { columnPath, waysBetween } from "../../src/explorer/ways.ts";

function viewOf(edges: readonly (readonly [string, string])[]): View {
  const dataset = edges.map(([source, target]) => ({ source, target }) as GraphEdge);
  const columns = edges.map(([source, target]) => ({ source, sourceColumn: "c", target, targetColumn: "c" }) as ColumnEdge);
  return { ...emptyView("root"), edges: dataset, columnEdges: columns };
}

const DIAMOND = [["root", "a"], ["root", "b"], ["a", "end"], ["b", "end"], ["end", "later"], ["other", "end"], ["a", "dead"]] as const;

test("ways between two boxes are those of either direction", () => {
  const view = viewOf(DIAMOND);
  assert.deepEqual([...waysBetween(view, "root", "end")].sort(), ["a", "b", "end", "root"]);
  assert.deepEqual([...waysBetween(view, "end", "root")].sort(), ["a", "b", "end", "root"]);
  assert.deepEqual([...waysBetween(view, "dead", "later")].sort(), ["dead", "later"]);
});

test("the path of a column has its sources and its uses, and not the sources of its uses", () => {
  const path = columnPath(viewOf(DIAMOND), "a", "c");
  assert.deepEqual([...path].sort(), ["a", "dead", "end", "later", "root"].map((name) => columnKey(name, "c")).sort());
});

test("the path of a column in a cycle has the sources of the cycle", () => {
  const path = columnPath(viewOf([["root", "a"], ["a", "root"], ["x", "a"]]), "root", "c");
  assert.ok(path.has(columnKey("x", "c")));
});
