// Slots: the nodes, and one place for an edge in each layer that it crosses. Links connect slots of
// adjacent layers only; therefore crossings can be counted, and edges lead around boxes.
import { emptyLists, sourcePort, targetPort, type LayoutGraph } from "./graph.ts";

// Above this number of slots, the longest edges get none and are drawn straight: a chain with many
// skip edges would need slots in the square of its length.
const MOST_SLOTS = 200_000;

export interface Slots {
  readonly nodes: number; // slots below this number are nodes
  readonly layer: number[];
  readonly height: number[]; // 0 for the slot of an edge
  readonly before: number[][]; // the linked slots of the layer to the left
  readonly after: number[][];
  readonly beforeShift: number[][]; // the distance of the tops at which a link is horizontal
  readonly afterShift: number[][];
  readonly chains: (readonly number[])[]; // the slots of each edge, from left to right; none for a self-loop
}

export function makeSlots(graph: LayoutGraph, nodeLayer: Int32Array, turned: readonly boolean[]): Slots {
  const count = graph.nodes.length;
  const slots: Slots = {
    nodes: count, layer: [...nodeLayer], height: graph.nodes.map(({ height }) => height),
    before: emptyLists(count), after: emptyLists(count),
    beforeShift: emptyLists(count), afterShift: emptyLists(count), chains: [],
  };
  const longest = longestSpan(graph, nodeLayer);
  graph.edges.forEach((edge, index) => {
    if (edge.source === edge.target) {
      slots.chains.push([]);
      return;
    }
    const ports = [sourcePort(graph, edge), targetPort(graph, edge)] as const;
    const [from, to, fromPort, toPort] = turned[index]
      ? [edge.target, edge.source, ports[1], ports[0]] : [edge.source, edge.target, ports[0], ports[1]];
    slots.chains.push(nodeLayer[to]! - nodeLayer[from]! > longest ? [from, to] : linkChain(slots, from, to, fromPort, toPort));
  });
  return slots;
}

/** Returns the number of layers that an edge may cross, so that there are not too many slots. */
function longestSpan({ edges }: LayoutGraph, layer: Int32Array): number {
  const spans = edges.map(({ source, target }) => Math.abs(layer[target]! - layer[source]!)).sort((a, b) => a - b);
  let sum = 0;
  for (const span of spans) {
    sum += span;
    if (sum > MOST_SLOTS) return Math.max(1, span - 1);
  }
  return Infinity;
}

function linkChain(slots: Slots, from: number, to: number, fromPort: number, toPort: number): number[] {
  const chain = [from];
  for (let layer = slots.layer[from]! + 1; layer < slots.layer[to]!; layer++) {
    chain.push(slots.layer.length);
    slots.layer.push(layer);
    slots.height.push(0);
    for (const lists of [slots.before, slots.after, slots.beforeShift, slots.afterShift]) lists.push([]);
  }
  chain.push(to);
  for (let index = 1; index < chain.length; index++) {
    const [left, right] = [chain[index - 1]!, chain[index]!];
    const shift = (left === from ? fromPort : 0) - (right === to ? toPort : 0);
    slots.after[left]!.push(right);
    slots.afterShift[left]!.push(-shift);
    slots.before[right]!.push(left);
    slots.beforeShift[right]!.push(shift);
  }
  return chain;
}
