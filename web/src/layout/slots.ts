// Slots: the nodes, and one place for an edge in each layer that it crosses. Links connect slots of
// adjacent layers only; therefore crossings can be counted, and edges lead around boxes.
import { sourcePort, targetPort, type LayoutEdge, type LayoutGraph } from "./graph.ts";
import { groupByKey } from "./lists.ts";

// Above this number of slots, the longest edges get none and are drawn straight: a chain with many
// skip edges would need slots in the square of its length.
const MAX_SLOTS = 200_000;

/** The linked slots on one side of each slot, and the distances of the tops at which links are horizontal. */
export interface Side {
  readonly start: Int32Array; // as in Lists
  readonly items: Int32Array;
  readonly shift: Float64Array;
}

export interface Slots {
  readonly nodes: number; // slots below this number are nodes
  readonly count: number;
  readonly layer: Int32Array;
  readonly height: Float64Array; // 0 for the slot of an edge
  readonly before: Side; // the layer to the left
  readonly after: Side;
  readonly inner: Int32Array; // slots inner[i] to inner[i + 1] - 1 are those of edge i, from left to right
}

export function makeSlots(graph: LayoutGraph, nodeLayer: Int32Array, turned: readonly boolean[]): Slots {
  const { nodes, edges } = graph;
  const longest = longestSpan(graph, nodeLayer);
  const spanOf = ({ source, target }: LayoutEdge) => Math.abs(nodeLayer[target]! - nodeLayer[source]!);
  const inner = new Int32Array(edges.length + 1).fill(nodes.length);
  let linkCount = 0;
  edges.forEach((edge, index) => {
    const span = spanOf(edge);
    const isLinked = span > 0 && span <= longest;
    inner[index + 1] = inner[index]! + (isLinked ? span - 1 : 0);
    if (isLinked) linkCount += span;
  });
  const count = inner[edges.length]!;
  const layer = new Int32Array(count);
  const height = new Float64Array(count);
  layer.set(nodeLayer);
  nodes.forEach((node, index) => (height[index] = node.height));
  const links: Links = { left: new Int32Array(linkCount), right: new Int32Array(linkCount), shift: new Float64Array(linkCount), count: 0 };
  edges.forEach((edge, index) => {
    const span = spanOf(edge);
    if (span === 0 || span > longest) return;
    const [from, to] = turned[index] ? [edge.target, edge.source] : [edge.source, edge.target];
    const [fromPort, toPort] = turned[index]
      ? [targetPort(graph, edge), sourcePort(graph, edge)] : [sourcePort(graph, edge), targetPort(graph, edge)];
    let last = from;
    for (let slot = inner[index]!; slot < inner[index + 1]!; slot++) {
      layer[slot] = layer[last]! + 1;
      addLink(links, last, slot, last === from ? fromPort : 0);
      last = slot;
    }
    addLink(links, last, to, (last === from ? fromPort : 0) - toPort);
  });
  return {
    nodes: nodes.length, count, layer, height, inner,
    before: sideOf(links.right, links.left, links.shift, 1, count),
    after: sideOf(links.left, links.right, links.shift, -1, count),
  };
}

interface Links {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly shift: Float64Array;
  count: number;
}

function addLink(links: Links, left: number, right: number, shift: number): void {
  links.left[links.count] = left;
  links.right[links.count] = right;
  links.shift[links.count++] = shift;
}

function sideOf(near: Int32Array, far: Int32Array, shift: Float64Array, sign: number, count: number): Side {
  const { start, items } = groupByKey(near, count);
  return { start, items: items.map((link) => far[link]!), shift: Float64Array.from(items, (link) => sign * shift[link]!) };
}

/** Returns the number of layers that an edge may cross, so that there are not too many slots. */
function longestSpan({ edges }: LayoutGraph, layer: Int32Array): number {
  const spans = Int32Array.from(edges, ({ source, target }) => Math.abs(layer[target]! - layer[source]!)).sort();
  let sum = 0;
  for (const span of spans) {
    sum += span;
    if (sum > MAX_SLOTS) return Math.max(1, span - 1);
  }
  return Infinity;
}
