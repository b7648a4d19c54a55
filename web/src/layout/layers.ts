// The layer of each node, from left to right.
import type { LayoutGraph } from "./graph.ts";
import { groupByKey, lengthOf } from "./lists.ts";

/**
 * Marks the edges that close a cycle: they lead back to a node from which a depth-first search came.
 * Without them, or with them turned, the graph has no cycle. A self-loop is marked as well.
 */
export function findBackEdges({ nodes, edges }: LayoutGraph): boolean[] {
  const outgoing = groupByKey(edges.map(({ source }) => source), nodes.length);
  const hasSource = new Uint8Array(nodes.length);
  for (const { source, target } of edges) if (source !== target) hasSource[target] = 1;
  const back = new Array<boolean>(edges.length).fill(false);
  const state = new Uint8Array(nodes.length); // 0 not seen, 1 on the way to the current node, 2 left
  const next = outgoing.start.slice(); // the next edge of each node on the way
  const way = new Int32Array(nodes.length);
  const search = (start: number) => {
    let depth = 0;
    way[0] = start;
    state[start] = 1;
    while (depth >= 0) {
      const node = way[depth]!;
      if (next[node] === outgoing.start[node + 1]) {
        state[node] = 2;
        depth--;
        continue;
      }
      const edge = outgoing.items[next[node]!++]!;
      const { target } = edges[edge]!;
      back[edge] = state[target] === 1;
      if (state[target] !== 0) continue;
      state[target] = 1;
      way[++depth] = target;
    }
  };
  // Sources first: a search that begins inside of a cycle could turn an edge that comes from a source.
  for (const isInside of [0, 1]) {
    for (let node = 0; node < nodes.length; node++) if (hasSource[node] === isInside && state[node] === 0) search(node);
  }
  return back;
}

/** Returns the length of the longest path to each node; a source stands beside its first consumer. */
export function assignLayers({ nodes, edges }: LayoutGraph, turned: readonly boolean[]): Int32Array {
  const kept = edges.flatMap((edge, index) => {
    if (edge.source === edge.target) return [];
    return [turned[index] ? { source: edge.target, target: edge.source } : edge];
  });
  const outgoing = groupByKey(kept.map(({ source }) => source), nodes.length);
  const missing = new Int32Array(nodes.length);
  for (const { target } of kept) missing[target]!++;
  const layer = new Int32Array(nodes.length);
  const ready: number[] = [];
  for (let node = 0; node < nodes.length; node++) if (missing[node] === 0) ready.push(node);
  const sources = ready.slice();
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (let at = outgoing.start[node]!; at < outgoing.start[node + 1]!; at++) {
      const { target } = kept[outgoing.items[at]!]!;
      layer[target] = Math.max(layer[target]!, layer[node]! + 1);
      if (--missing[target]! === 0) ready.push(target);
    }
  }
  for (const node of sources) {
    let first = Infinity;
    for (let at = outgoing.start[node]!; at < outgoing.start[node + 1]!; at++) {
      first = Math.min(first, layer[kept[outgoing.items[at]!]!.target]!);
    }
    if (lengthOf(outgoing, node) > 0) layer[node] = first - 1;
  }
  return layer;
}

/** Returns the nodes of each connected component, the largest component first. */
export function findComponents({ nodes, edges }: LayoutGraph): number[][] {
  const parent = Int32Array.from(nodes, (_, node) => node);
  const rootOf = (node: number): number => {
    let root = node;
    while (parent[root] !== root) root = parent[root] = parent[parent[root]!]!;
    return root;
  };
  for (const { source, target } of edges) {
    const [one, other] = [rootOf(source), rootOf(target)];
    parent[Math.max(one, other)] = Math.min(one, other);
  }
  const components = new Map<number, number[]>();
  nodes.forEach((_, node) => {
    const root = rootOf(node);
    const members = components.get(root);
    if (members) members.push(node);
    else components.set(root, [node]);
  });
  return [...components.values()].sort((a, b) => b.length - a.length || a[0]! - b[0]!);
}
