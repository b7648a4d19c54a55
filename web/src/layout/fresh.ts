// A layout from nothing, after Sugiyama, Tagawa and Toda: layers, slots, order, places.
// It is the method of lineage/export/layout.py, with ports and boxes of different heights.
import { placeColumns } from "./columns.ts";
import { checkGraph, medianOf, SPACING, type Layout, type LayoutGraph, type Spacing } from "./graph.ts";
import { assignLayers, findBackEdges, findComponents } from "./layers.ts";
import { orderSlots } from "./order.ts";
import { routeEdge } from "./routes.ts";
import { makeSlots, type Slots } from "./slots.ts";
import { spreadByMean } from "./spread.ts";

const PASSES = 8;
const EDGE_WEIGHT = 4; // a straight long edge is worth more than a box at its middle

/** Returns places for all nodes and routes for all edges; the first layer is at x = 0, the top at y = 0. */
export function layOutGraph(graph: LayoutGraph, spacing: Spacing = SPACING): Layout {
  checkGraph(graph);
  const turned = findBackEdges(graph);
  const layer = assignLayers(graph, turned);
  const slots = makeSlots(graph, layer, turned);
  const y = placeComponents(graph, slots, spacing);
  const columns = placeColumns(graph, layer, spacing);
  const places = { graph, columns, layer, y: y.subarray(0, graph.nodes.length) };
  const routes = graph.edges.map((edge, index) => {
    const inner = slots.chains[index]!.filter((slot) => slot >= slots.nodes);
    return routeEdge(places, edge, inner.map((slot) => ({ layer: slots.layer[slot]!, y: y[slot]! })));
  });
  const x = Float64Array.from(layer, (each) => columns.get(each)!.left);
  return { x, y: places.y.slice(), layer, routes, turned };
}

/** Returns the top of each slot; components stand one below the other. */
function placeComponents(graph: LayoutGraph, slots: Slots, spacing: Spacing): Float64Array {
  const y = new Float64Array(slots.layer.length);
  const components = findComponents(graph);
  const componentOf = new Int32Array(graph.nodes.length);
  components.forEach((nodes, index) => nodes.forEach((node) => (componentOf[node] = index)));
  const members = components.map((nodes) => [...nodes]);
  for (const chain of slots.chains) {
    for (const slot of chain.slice(1, -1)) members[componentOf[chain[0]!]!]!.push(slot);
  }
  let top = 0;
  for (const each of members) {
    placeRows(slots, orderSlots(slots, each), y, spacing);
    const highest = each.reduce((least, slot) => Math.min(least, y[slot]!), Infinity);
    let lowest = -Infinity;
    for (const slot of each) {
      y[slot]! += top - highest;
      lowest = Math.max(lowest, y[slot]! + slots.height[slot]!);
    }
    top = lowest + 2 * spacing.boxGap;
  }
  return y;
}

/** Places each slot as near to the median of its neighbours as adjacent slots allow. */
function placeRows(slots: Slots, rows: readonly (readonly number[])[], y: Float64Array, spacing: Spacing): void {
  const offsets = rows.map((row) => rowOffsets(slots, row, spacing));
  rows.forEach((row, layer) => row.forEach((slot, index) => (y[slot] = offsets[layer]![index]!)));
  for (let pass = 0; pass < PASSES; pass++) {
    const forward = pass % 2 === 0;
    for (let step = 0; step < rows.length; step++) {
      const layer = forward ? step : rows.length - 1 - step;
      const row = rows[layer]!;
      const wanted = row.map((slot) => wantedTop(slots, slot, y, forward));
      const weights = row.map((slot) => (slot < slots.nodes ? 1 : EDGE_WEIGHT));
      spreadByMean(wanted, offsets[layer]!, weights).forEach((place, index) => (y[row[index]!] = place));
    }
  }
}

function wantedTop(slots: Slots, slot: number, y: Float64Array, forward: boolean): number {
  const near = (forward ? slots.before : slots.after)[slot]!;
  const shift = (forward ? slots.beforeShift : slots.afterShift)[slot]!;
  if (near.length === 0) return y[slot]!;
  return medianOf(near.map((other, index) => y[other]! + shift[index]!).sort((a, b) => a - b));
}

/** Returns the least distance of each slot of a layer from the first one. */
function rowOffsets(slots: Slots, row: readonly number[], spacing: Spacing): number[] {
  const edgeGap = Math.max(spacing.edgeGap, spacing.boxGap / 2); // two of them hold two boxes apart
  let offset = 0;
  return row.map((slot, index) => {
    const above = row[index - 1];
    if (above === undefined) return 0;
    const areBoxes = above < slots.nodes && slot < slots.nodes;
    offset += slots.height[above]! + (areBoxes ? spacing.boxGap : edgeGap);
    return offset;
  });
}
