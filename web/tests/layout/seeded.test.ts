import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutGraph } from "../../src/layout/fresh.ts";
import { SPACING, type Layout, type LayoutGraph } from "../../src/layout/graph.ts";
import { extendLayout, type Place } from "../../src/layout/seeded.ts";
import { spreadByMedian } from "../../src/layout/spread.ts";
import { assertNoOverlap, assertRoutes, makeGraph } from "./graphs.ts";

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

interface Expansion {
  readonly graph: LayoutGraph; // the nodes that were shown come first
  readonly old: readonly Place[];
  readonly anchor: number;
  readonly layout: Layout;
}

function placesOf({ x, y, layer }: Layout): Place[] {
  return [...layer].map((each, node) => ({ layer: each, x: x[node]!, y: y[node]! }));
}

/** Shows half of a graph, then all neighbours of one node of it. */
function expandNode(seed: number): Expansion {
  const full = makeGraph(seed, 90, 150, seed % 4);
  const shown = [...full.nodes.keys()].filter((node) => node % 3 !== 0);
  const anchorNode = shown[(seed * 5) % shown.length]!;
  const isNear = (node: number) => full.edges.some(({ source, target }) => (source === node && target === anchorNode) || (target === node && source === anchorNode));
  const added = [...full.nodes.keys()].filter((node) => !shown.includes(node) && isNear(node));
  const old = placesOf(layOutGraph(selectNodes(full, shown)));
  const graph = selectNodes(full, [...shown, ...added]);
  const anchor = shown.indexOf(anchorNode);
  return { graph, old, anchor, layout: extendLayout(graph, old, { anchor }) };
}

function selectNodes({ nodes, edges }: LayoutGraph, chosen: readonly number[]): LayoutGraph {
  const index = new Map(chosen.map((node, at) => [node, at]));
  return {
    nodes: chosen.map((node) => nodes[node]!),
    edges: edges.filter(({ source, target }) => index.has(source) && index.has(target))
      .map((edge) => ({ ...edge, source: index.get(edge.source)!, target: index.get(edge.target)! })),
  };
}

function countSwaps(old: readonly Place[], { y }: Layout): number {
  const pairs = old.flatMap((a, i) => old.map((b, j) => [a, b, i, j] as const));
  return pairs.filter(([a, b, i, j]) => a.layer === b.layer && a.y < b.y && y[i]! >= y[j]!).length;
}

test("an expansion keeps columns, order and the anchor, and boxes do not overlap", () => {
  for (const seed of SEEDS) {
    const { graph, old, anchor, layout } = expandNode(seed);
    assertNoOverlap(graph, layout, SPACING.boxGap);
    assertRoutes(graph, layout);
    old.forEach((place, node) => assert.equal(layout.layer[node], place.layer));
    assert.equal(countSwaps(old, layout), 0);
    assert.deepEqual([layout.x[anchor], layout.y[anchor]], [old[anchor]!.x, old[anchor]!.y]);
  }
});

test("the median expansion moves no more than half of the boxes, and the median box not at all", () => {
  const shares = SEEDS.map((seed) => {
    const { old, layout } = expandNode(seed);
    return old.filter(({ x, y }, node) => layout.x[node] === x && layout.y[node] === y).length / old.length;
  }).sort((a, b) => a - b);
  assert.ok(shares[SEEDS.length >> 1]! >= 0.5, `shares that stayed: ${shares}`);
});

test("a layout without new nodes stays as it is", () => {
  const graph = makeGraph(8, 50, 80, 3);
  const first = layOutGraph(graph);
  const again = extendLayout(graph, placesOf(first));
  assert.deepEqual([again.x, again.y, again.layer], [first.x, first.y, first.layer]);
});

test("a box that grew moves only what needs room, and none past another", () => {
  for (const seed of SEEDS) {
    const graph = makeGraph(seed, 50, 80);
    const old = placesOf(layOutGraph(graph));
    const anchor = seed;
    const grown = { ...graph, nodes: graph.nodes.map((each, node) => (node === anchor ? { ...each, height: each.height + 200 } : each)) };
    const layout = extendLayout(grown, old, { anchor });
    assertNoOverlap(grown, layout, SPACING.boxGap);
    assert.equal(countSwaps(old, layout), 0);
    old.forEach((place, node) => {
      if (place.layer === old[anchor]!.layer && place.y > old[anchor]!.y) return;
      assert.deepEqual([layout.x[node], layout.y[node]], [place.x, place.y]);
    });
  }
});

test("a column to the left of the first one gets its own place", () => {
  const box = { width: 100, height: 40 };
  const graph = { nodes: [box, box], edges: [{ source: 1, target: 0 }] };
  const layout = extendLayout(graph, [{ layer: 0, x: 0, y: 0 }, undefined], { anchor: 0 });
  assert.deepEqual([...layout.layer], [0, -1]);
  assert.deepEqual([...layout.x], [0, -200]);
  assert.deepEqual([...layout.y], [0, 0]);
});

test("nodes that are not connected with the picture stand below it", () => {
  const box = { width: 100, height: 40 };
  const layout = extendLayout({ nodes: [box, box], edges: [] }, [{ layer: 0, x: 0, y: 0 }, undefined]);
  assert.deepEqual([...layout.y], [0, 40 + 2 * SPACING.boxGap]);
});

test("an anchor without a place is an error", () => {
  assert.throws(() => extendLayout({ nodes: [{ width: 1, height: 1 }], edges: [] }, [], { anchor: 0 }), /node 0, has no place/);
});

test("the same expansion has the same result", () => {
  assert.deepEqual(expandNode(3), expandNode(3));
});

test("a light place gives way to heavy ones, which keep theirs exactly", () => {
  assert.deepEqual(spreadByMedian([0.1, 0.1, 60.3], [0, 30, 60], [4, 1, 4]), [0.1, 30.1, 60.3]);
});
