// Graphs for tests, from a seed, and the properties that are checked in several tests.
import assert from "node:assert/strict";
import { seedRandom } from "./random.ts";
import type { LayoutEdge, LayoutGraph, LayoutNode, NodePlaces } from "../../src/layout/graph.ts";

/** Returns a graph like lineage: most nodes read nodes shortly before them, and some read hubs. */
export function makeGraph(seed: number, size: number, edgeCount: number, backEdges = 0): LayoutGraph {
  const random = seedRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const nodes: LayoutNode[] = Array.from({ length: size }, () => ({ width: 180 + below(80), height: 30 + below(371) }));
  const edges: LayoutEdge[] = [];
  const connect = (source: number, target: number) => {
    const hasPorts = random() < 0.3;
    edges.push(hasPorts
      ? { source, target, sourcePort: below(nodes[source]!.height), targetPort: below(nodes[target]!.height) }
      : { source, target });
  };
  while (edges.length < edgeCount - backEdges && size > 1) {
    const target = 1 + below(size - 1);
    const source = random() < 0.15 ? below(Math.min(target, 5)) : Math.max(0, target - 1 - below(Math.ceil(size / 8)));
    connect(source, target);
  }
  for (let count = 0; count < backEdges; count++) { // a self-loop now and then
    const target = below(size);
    connect(Math.min(size - 1, target + below(4)), target);
  }
  return { nodes, edges };
}

/** Returns both graphs as one, without an edge between them. */
export function joinGraphs(first: LayoutGraph, second: LayoutGraph): LayoutGraph {
  const moved = second.edges.map((edge) => ({
    ...edge, source: edge.source + first.nodes.length, target: edge.target + first.nodes.length,
  }));
  return { nodes: [...first.nodes, ...second.nodes], edges: [...first.edges, ...moved] };
}

export function assertNoOverlap({ nodes }: LayoutGraph, { y, layer }: NodePlaces, gap: number): void {
  const order = [...nodes.keys()].sort((a, b) => layer[a]! - layer[b]! || y[a]! - y[b]!);
  order.slice(1).forEach((below, index) => {
    const above = order[index]!;
    if (layer[above] !== layer[below]) return;
    const distance = y[below]! - y[above]! - nodes[above]!.height;
    assert.ok(distance >= gap - 1e-6, `nodes ${above} and ${below} are ${distance} apart`);
  });
}
