import assert from "node:assert/strict";
import { test } from "node:test";
import { countCrossings, swapGain } from "../../src/layout/crossings.ts";
import { placeNodes } from "../../src/layout/fresh.ts";
import { SPACING, type LayoutGraph } from "../../src/layout/graph.ts";
import { findBackEdges } from "../../src/layout/layers.ts";
import type { Lists } from "../../src/layout/lists.ts";
import { assertNoOverlap, joinGraphs, makeGraph } from "./graphs.ts";
import { seedRandom } from "./random.ts";

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const box = { width: 100, height: 40 };

function sampleGraph(seed: number): LayoutGraph {
  const size = 2 + ((seed * 7) % 60);
  const graph = makeGraph(seed, size, Math.ceil(size * 1.6), seed % 2 === 0 ? 0 : 5);
  return seed % 3 === 0 ? joinGraphs(graph, makeGraph(seed + 1000, 9, 12)) : graph;
}

test("boxes do not overlap", () => {
  for (const seed of SEEDS) {
    const graph = sampleGraph(seed);
    assertNoOverlap(graph, placeNodes(graph), SPACING.boxGap);
  }
});

test("edges lead to the right, except for those that close a cycle", () => {
  for (const seed of SEEDS) {
    const graph = sampleGraph(seed);
    const { layer } = placeNodes(graph);
    const isTurned = findBackEdges(graph);
    graph.edges.forEach(({ source, target }, edge) => {
      assert.equal(layer[source]! >= layer[target]!, isTurned[edge], `edge ${edge}`);
    });
  }
});

test("a graph without cycles has no turned edge", () => {
  for (const seed of SEEDS) {
    const graph = makeGraph(seed, 40, 70);
    assert.ok(findBackEdges(graph).every((isTurned) => !isTurned));
  }
});

test("a cycle has one turned edge, and the source of the cycle stays to its left", () => {
  const edges = [[1, 2], [2, 3], [3, 1], [0, 2]].map(([source, target]) => ({ source: source!, target: target! }));
  const graph = { nodes: [box, box, box, box], edges };
  const turned = findBackEdges(graph);
  const { layer } = placeNodes(graph);
  assert.equal(turned.filter(Boolean).length, 1);
  assert.equal(turned[3], false);
  assert.ok(layer[0]! < layer[2]!);
});

test("a self-loop and parallel edges have a layout", () => {
  const edges = [{ source: 0, target: 0 }, { source: 0, target: 1 }, { source: 0, target: 1 }];
  assert.deepEqual(findBackEdges({ nodes: [box, box], edges }), [true, false, false]);
  assert.deepEqual([...placeNodes({ nodes: [box, box], edges }).layer], [0, 1]);
});

test("a source stands beside its first consumer", () => {
  const edges = [[0, 1], [1, 2], [2, 3], [4, 3]].map(([source, target]) => ({ source: source!, target: target! }));
  assert.deepEqual([...placeNodes({ nodes: [box, box, box, box, box], edges }).layer], [0, 1, 2, 3, 2]);
});

test("a line is straight", () => {
  const edges = [{ source: 0, target: 1 }, { source: 1, target: 2 }];
  assert.deepEqual([...placeNodes({ nodes: [box, box, box], edges }).y], [0, 0, 0]);
});

test("ports at different heights are joined horizontally", () => {
  const edges = [{ source: 0, target: 1, sourcePort: 90, targetPort: 10 }];
  const { y } = placeNodes({ nodes: [{ width: 100, height: 100 }, box], edges });
  assert.equal(y[0]! + 90, y[1]! + 10);
});

test("components stand one below the other", () => {
  const first = makeGraph(1, 20, 60);
  const graph = joinGraphs(first, makeGraph(2, 15, 45));
  const { y } = placeNodes(graph);
  const [upper, lower] = [[0, 20], [20, 35]].map(([from, to]) => {
    const nodes = [...graph.nodes.keys()].slice(from, to);
    return { top: Math.min(...nodes.map((node) => y[node]!)), bottom: Math.max(...nodes.map((node) => y[node]! + graph.nodes[node]!.height)) };
  });
  assert.ok(upper!.bottom < lower!.top || lower!.bottom < upper!.top);
});

test("the same graph has the same layout, and an empty graph has one", () => {
  const graph = makeGraph(5, 80, 140, 6);
  assert.deepEqual(placeNodes(graph), placeNodes(structuredClone(graph)));
  assert.equal(placeNodes({ nodes: [], edges: [] }).y.length, 0);
});

test("an edge to a node that does not exist is an error", () => {
  assert.throws(() => placeNodes({ nodes: [box], edges: [{ source: 0, target: 7 }] }), /Edge 0 names node 7/);
  assert.throws(() => placeNodes({ nodes: [{ width: NaN, height: 1 }], edges: [] }), /Node 0 has the size NaN/);
});

test("the crossings are those that a comparison of all pairs finds", () => {
  for (const seed of SEEDS) {
    const random = seedRandom(seed);
    const ends = Array.from({ length: 8 }, () => Array.from({ length: Math.floor(random() * 5) }, () => Math.floor(random() * 7)));
    assert.equal(countCrossings(rowOf(8), listsOf(ends), rowOf(7), 7), pairsThatCross(ends));
    const sorted = ends.map((list) => list.toSorted());
    const [above, below] = [sorted[0]!, sorted[1]!];
    assert.equal(swapGain(listsOf(sorted), 0, 1), pairsThatCross([above, below]) - pairsThatCross([below, above]));
  }
});

function rowOf(count: number): number[] {
  return [...Array(count).keys()];
}

function listsOf(lists: readonly (readonly number[])[]): Lists {
  let sum = 0;
  return { start: Int32Array.from([0, ...lists.map((list) => (sum += list.length))]), items: Int32Array.from(lists.flat()) };
}

function pairsThatCross(ends: readonly (readonly number[])[]): number {
  const links = ends.flatMap((positions, start) => positions.map((end) => [start, end] as const));
  return links.flatMap((a) => links.filter((b) => a[0] < b[0] && a[1] > b[1])).length;
}

test("2,000 nodes, and a long line with many skip edges, have a layout", () => {
  const large = makeGraph(3, 2000, 3279);
  assertNoOverlap(large, placeNodes(large), SPACING.boxGap);
  const nodes = Array.from({ length: 1500 }, () => box);
  const line = Array.from({ length: 1499 }, (_, node) => ({ source: node, target: node + 1 }));
  const skips = Array.from({ length: 700 }, (_, node) => ({ source: node, target: node + 700 })); // 490,000 slots if all had them
  const graph = { nodes, edges: [...line, ...skips] };
  assertNoOverlap(graph, placeNodes(graph), SPACING.boxGap);
});
