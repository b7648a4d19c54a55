// A layout from nothing, after Sugiyama, Tagawa and Toda: layers, slots, order, places.
// It is the method of lineage/export/layout.py, with ports and boxes of different heights.
import { checkGraph, SPACING, type LayoutGraph, type NodePlaces, type Spacing } from "./graph.ts";
import { assignLayers, findBackEdges, findComponents } from "./layers.ts";
import { medianOf, sortFirst } from "./lists.ts";
import { orderSlots, type Rows } from "./order.ts";
import { makeSlots, type Slots } from "./slots.ts";
import { spreadByMean } from "./spread.ts";

const PASSES = 8;
const EDGE_WEIGHT = 4; // a straight long edge is worth more than a box at its middle

/** Returns the layers and the heights of all nodes; the first layer is 0, the top is at y = 0. */
export function placeNodes(graph: LayoutGraph, spacing: Spacing = SPACING): NodePlaces {
  checkGraph(graph);
  const turned = findBackEdges(graph);
  const layer = assignLayers(graph, turned);
  const y = placeComponents(graph, makeSlots(graph, layer, turned), spacing);
  return { layer, y: y.slice(0, graph.nodes.length) };
}

/** Returns the top of each slot; components stand one below the other. */
function placeComponents(graph: LayoutGraph, slots: Slots, spacing: Spacing): Float64Array {
  const y = new Float64Array(slots.count);
  const place = new Int32Array(slots.count);
  let top = 0;
  for (const members of membersOf(graph, slots)) {
    placeRows(slots, orderSlots(slots, members, place), y, spacing);
    let highest = Infinity;
    for (const slot of members) highest = Math.min(highest, y[slot]!);
    let lowest = -Infinity;
    for (const slot of members) {
      y[slot]! += top - highest;
      lowest = Math.max(lowest, y[slot]! + slots.height[slot]!);
    }
    top = lowest + 2 * spacing.boxGap;
  }
  return y;
}

/** Returns the slots of each component: its nodes, then those of its edges. */
function membersOf(graph: LayoutGraph, { inner }: Slots): Int32Array[] {
  const components: number[][] = findComponents(graph);
  const componentOf = new Int32Array(graph.nodes.length);
  components.forEach((nodes, index) => nodes.forEach((node) => (componentOf[node] = index)));
  graph.edges.forEach(({ source }, edge) => {
    const members = components[componentOf[source]!]!;
    for (let slot = inner[edge]!; slot < inner[edge + 1]!; slot++) members.push(slot);
  });
  return components.map((members) => Int32Array.from(members));
}

/** Places each slot as near to the median of its neighbours as adjacent slots allow. */
function placeRows(slots: Slots, rows: Rows, y: Float64Array, spacing: Spacing): void {
  const offsets = rows.map((row) => rowOffsets(slots, row, spacing));
  const weights = rows.map((row) => Float64Array.from(row, (slot) => (slot < slots.nodes ? 1 : EDGE_WEIGHT)));
  rows.forEach((row, layer) => row.forEach((slot, index) => (y[slot] = offsets[layer]![index]!)));
  const wanted = new Float64Array(rows.reduce((most, row) => Math.max(most, row.length), 0));
  for (let pass = 0; pass < PASSES; pass++) {
    const isForward = pass % 2 === 0;
    for (let step = 0; step < rows.length; step++) {
      const layer = isForward ? step : rows.length - 1 - step;
      const row = rows[layer]!;
      for (let index = 0; index < row.length; index++) wanted[index] = wantedTop(slots, row[index]!, y, isForward);
      const places = spreadByMean(wanted, offsets[layer]!, weights[layer]!, row.length);
      for (let index = 0; index < row.length; index++) y[row[index]!] = places[index]!;
    }
  }
}

let tops = new Float64Array(64);

function wantedTop(slots: Slots, slot: number, y: Float64Array, isForward: boolean): number {
  const { start, items, shift } = isForward ? slots.before : slots.after;
  const from = start[slot]!;
  const count = start[slot + 1]! - from;
  if (count === 0) return y[slot]!;
  if (count === 1) return y[items[from]!]! + shift[from]!;
  if (tops.length < count) tops = new Float64Array(2 * count);
  for (let at = 0; at < count; at++) tops[at] = y[items[from + at]!]! + shift[from + at]!;
  sortFirst(tops, count);
  return medianOf(tops, count);
}

/** Returns the least distance of each slot of a layer from the first one. */
function rowOffsets(slots: Slots, row: Int32Array, spacing: Spacing): Float64Array {
  const edgeGap = Math.max(spacing.edgeGap, spacing.boxGap / 2); // two of them hold two boxes apart
  const offsets = new Float64Array(row.length);
  for (let index = 1; index < row.length; index++) {
    const above = row[index - 1]!;
    const areBoxes = above < slots.nodes && row[index]! < slots.nodes;
    offsets[index] = offsets[index - 1]! + slots.height[above]! + (areBoxes ? spacing.boxGap : edgeGap);
  }
  return offsets;
}
