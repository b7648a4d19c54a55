// The layer of each node, from left to right.
import { emptyLists, type LayoutGraph } from "./graph.ts";

/**
 * Marks the edges that close a cycle: they lead back to a node from which a depth-first search came.
 * Without them, or with them turned, the graph has no cycle. A self-loop is marked as well.
 */
export function findBackEdges({ nodes, edges }: LayoutGraph): boolean[] {
  const outgoing = emptyLists(nodes.length);
  const hasSource = new Uint8Array(nodes.length);
  edges.forEach(({ source, target }, edge) => {
    outgoing[source]!.push(edge);
    if (source !== target) hasSource[target] = 1;
  });
  const back = new Array<boolean>(edges.length).fill(false);
  const state = new Uint8Array(nodes.length); // 0 not seen, 1 on the way to the current node, 2 left
  const search = (start: number) => {
    const way: [node: number, next: number][] = [[start, 0]];
    state[start] = 1;
    for (let top = way.at(-1); top; top = way.at(-1)) {
      const edge = outgoing[top[0]]![top[1]++];
      if (edge === undefined) {
        state[top[0]] = 2;
        way.pop();
        continue;
      }
      const target = edges[edge]!.target;
      back[edge] = state[target] === 1;
      if (state[target] !== 0) continue;
      state[target] = 1;
      way.push([target, 0]);
    }
  };
  // Sources first: a search that begins inside of a cycle could turn an edge that comes from a source.
  const order = [...nodes.keys()].sort((a, b) => hasSource[a]! - hasSource[b]! || a - b);
  for (const node of order) if (state[node] === 0) search(node);
  return back;
}

/** Returns the length of the longest path to each node; a source stands beside its first consumer. */
export function assignLayers({ nodes, edges }: LayoutGraph, turned: readonly boolean[]): Int32Array {
  const after = emptyLists(nodes.length);
  const missing = new Int32Array(nodes.length);
  edges.forEach(({ source, target }, edge) => {
    if (source === target) return;
    const [from, to] = turned[edge] ? [target, source] : [source, target];
    after[from]!.push(to);
    missing[to]!++;
  });
  const sources = [...nodes.keys()].filter((node) => missing[node] === 0);
  const layer = new Int32Array(nodes.length);
  const ready = [...sources];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const target of after[node]!) {
      layer[target] = Math.max(layer[target]!, layer[node]! + 1);
      if (--missing[target]! === 0) ready.push(target);
    }
  }
  for (const node of sources) {
    const first = after[node]!.reduce((least, target) => Math.min(least, layer[target]!), Infinity);
    if (first < Infinity) layer[node] = first - 1;
  }
  return layer;
}

/** Returns the nodes of each connected component, the largest component first. */
export function findComponents({ nodes, edges }: LayoutGraph): number[][] {
  const near = emptyLists(nodes.length);
  for (const { source, target } of edges) {
    near[source]!.push(target);
    near[target]!.push(source);
  }
  const seen = new Uint8Array(nodes.length);
  const components: number[][] = [];
  for (const start of nodes.keys()) {
    if (seen[start]) continue;
    seen[start] = 1;
    const component = [start];
    for (let next = 0; next < component.length; next++) { // grows while it is read
      for (const node of near[component[next]!]!) {
        if (!seen[node]) component.push(node);
        seen[node] = 1;
      }
    }
    components.push(component.sort((a, b) => a - b));
  }
  return components.sort((a, b) => b.length - a.length || a[0]! - b[0]!);
}
