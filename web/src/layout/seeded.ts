// A layout that keeps the picture: what has a place keeps its layer, its order, and its exact place
// unless a box needs the room. Pictures that jump when a box is expanded lose their reader.
import { placeColumns } from "./columns.ts";
import { swapGain } from "./crossings.ts";
import { checkGraph, emptyLists, SPACING, type Layout, type LayoutGraph, type Spacing } from "./graph.ts";
import { findChannels, routeEdge } from "./routes.ts";
import { spreadByMedian } from "./spread.ts";

/** Where a node was. */
export interface Place {
  readonly layer: number;
  readonly x: number;
  readonly y: number;
}

export interface SeedOptions {
  readonly anchor?: number; // the node that the user clicked; it must have a place, and does not move
  readonly spacing?: Spacing;
}

/** The state while new nodes are added. */
interface Seed {
  readonly graph: LayoutGraph;
  readonly old: readonly (Place | undefined)[];
  readonly before: number[][];
  readonly after: number[][];
  readonly layer: (number | undefined)[];
  readonly wanted: number[]; // the top of each node that has a layer
}

const SIFT_ROUNDS = 8;

/** Returns the layout in which nodes of `old` stay and the other nodes stand near their neighbours. */
export function extendLayout(graph: LayoutGraph, old: readonly (Place | undefined)[], options: SeedOptions = {}): Layout {
  checkGraph(graph);
  const { anchor, spacing = SPACING } = options;
  if (anchor !== undefined && !old[anchor]) {
    throw new RangeError(`The anchor, node ${anchor}, has no place. Name a node that was laid out before.`);
  }
  const seed = startSeed(graph, old);
  addNodes(seed, spacing);
  const layer = Int32Array.from(seed.layer, (each) => each ?? 0);
  const rows = sortRows(seed, layer);
  siftRows(seed, layer, rows);
  const y = spreadRows(seed, rows, spacing, anchor);
  const columns = placeColumns(graph, layer, spacing, knownColumns(old), firstColumn(old, anchor));
  const places = { graph, columns, layer, y };
  const routes = graph.edges.map((edge) => routeEdge(places, edge, findChannels(places, edge, rows, spacing.boxGap)));
  const turned = graph.edges.map(({ source, target }) => layer[source]! >= layer[target]!);
  return { x: Float64Array.from(layer, (each) => columns.get(each)!.left), y, layer, routes, turned };
}

function startSeed(graph: LayoutGraph, old: readonly (Place | undefined)[]): Seed {
  const [before, after] = [emptyLists(graph.nodes.length), emptyLists(graph.nodes.length)];
  for (const { source, target } of graph.edges) {
    if (source === target) continue;
    after[source]!.push(target);
    before[target]!.push(source);
  }
  const layer = graph.nodes.map((_, node) => old[node]?.layer);
  return { graph, old, before, after, layer, wanted: graph.nodes.map((_, node) => old[node]?.y ?? 0) };
}

/** Gives each new node a layer beside a neighbour that has one, and the mean height of those neighbours. */
function addNodes(seed: Seed, spacing: Spacing): void {
  const { layer, graph } = seed;
  let waiting = [...graph.nodes.keys()].filter((node) => layer[node] === undefined);
  while (waiting.length > 0) {
    const left = waiting.filter((node) => !addBeside(seed, node));
    if (left.length === waiting.length) {
      const start = left.shift()!; // not connected with the picture: below all of it
      seed.wanted[start] = pictureBottom(seed) + 2 * spacing.boxGap;
      layer[start] = 0;
    }
    waiting = left;
  }
}

function addBeside(seed: Seed, node: number): boolean {
  const { graph, layer, wanted } = seed;
  const hasLayer = (other: number) => layer[other] !== undefined;
  const before = seed.before[node]!.filter(hasLayer);
  const after = seed.after[node]!.filter(hasLayer);
  if (before.length + after.length === 0) return false;
  layer[node] = after.length > 0
    ? after.reduce((least, other) => Math.min(least, layer[other]!), Infinity) - 1
    : before.reduce((most, other) => Math.max(most, layer[other]!), -Infinity) + 1;
  const middles = [...before, ...after].map((other) => wanted[other]! + graph.nodes[other]!.height / 2);
  wanted[node] = middles.reduce((sum, middle) => sum + middle, 0) / middles.length - graph.nodes[node]!.height / 2;
  return true;
}

function pictureBottom({ graph, layer, wanted }: Seed): number {
  return graph.nodes.reduce((most, { height }, node) => (layer[node] === undefined ? most : Math.max(most, wanted[node]! + height)), 0);
}

/** Returns the nodes of each layer from top to bottom: old ones by their tops, new ones by their middles. */
function sortRows(seed: Seed, layer: Int32Array): Map<number, number[]> {
  const { graph, old, wanted } = seed;
  const rows = new Map<number, number[]>();
  const byTop = (a: number, b: number) => wanted[a]! - wanted[b]! || a - b;
  const middle = (node: number) => wanted[node]! + graph.nodes[node]!.height / 2;
  const byMiddle = (a: number, b: number) => middle(a) - middle(b) || a - b;
  const nodes = [...graph.nodes.keys()];
  for (const node of nodes.filter((each) => old[each]).sort(byTop)) rowOf(rows, layer[node]!).push(node);
  for (const node of nodes.filter((each) => !old[each]).sort(byMiddle)) {
    const row = rowOf(rows, layer[node]!);
    const below = row.findIndex((other) => middle(other) > middle(node));
    row.splice(below < 0 ? row.length : below, 0, node);
  }
  return rows;
}

function rowOf(rows: Map<number, number[]>, layer: number): number[] {
  const row = rows.get(layer) ?? [];
  rows.set(layer, row);
  return row;
}

/** Swaps new nodes with the next one wherever this saves crossings; two old nodes never swap. */
function siftRows(seed: Seed, layer: Int32Array, rows: ReadonlyMap<number, number[]>): void {
  const ends = seed.graph.nodes.map((_, node) => sideEnds(seed, layer, node));
  for (const row of rows.values()) {
    for (let round = 0, hasSwapped = true; round < SIFT_ROUNDS && hasSwapped; round++) {
      hasSwapped = false;
      for (let index = 1; index < row.length; index++) {
        const [above, below] = [row[index - 1]!, row[index]!];
        if (seed.old[above] && seed.old[below]) continue;
        const gains = ends[above]!.map((side, at) => swapGain(side, ends[below]![at]!));
        if (gains.reduce((sum, gain) => sum + gain, 0) <= 0) continue;
        [row[index - 1], row[index]] = [below, above];
        hasSwapped = true;
      }
    }
  }
}

/** Returns the heights of the neighbours of a node, to its left and to its right. */
function sideEnds(seed: Seed, layer: Int32Array, node: number): [left: number[], right: number[]] {
  const near = [...seed.before[node]!, ...seed.after[node]!];
  const heights = (nodes: readonly number[]) => nodes.map((other) => seed.wanted[other]!).sort((a, b) => a - b);
  return [
    heights(near.filter((other) => layer[other]! < layer[node]!)),
    heights(near.filter((other) => layer[other]! > layer[node]!)),
  ];
}

/** Opens gaps: an old node weighs more than all new ones of its layer, and the anchor more than all nodes. */
function spreadRows(seed: Seed, rows: ReadonlyMap<number, readonly number[]>, spacing: Spacing, anchor: number | undefined): Float64Array {
  const { graph, old, wanted } = seed;
  const y = new Float64Array(graph.nodes.length);
  for (const row of rows.values()) {
    const weights = row.map((node) => (node === anchor ? 2 * row.length ** 2 + 2 : old[node] ? row.length + 1 : 1));
    let offset = 0;
    const offsets = row.map((node) => (offset += graph.nodes[node]!.height + spacing.boxGap) - graph.nodes[node]!.height - spacing.boxGap);
    const places = spreadByMedian(row.map((node) => wanted[node]!), offsets, weights);
    row.forEach((node, index) => (y[node] = places[index]!));
  }
  return y;
}

/** Returns the left border of each column that the old nodes have. */
function knownColumns(old: readonly (Place | undefined)[]): Map<number, number> {
  const columns = new Map<number, number>();
  for (const place of old) if (place) columns.set(place.layer, place.x);
  return columns;
}

/** Returns the layer from which columns move apart: that of the anchor, or the leftmost one. */
function firstColumn(old: readonly (Place | undefined)[], anchor: number | undefined): number {
  if (anchor !== undefined) return old[anchor]!.layer;
  const first = old.reduce((least, place) => Math.min(least, place?.layer ?? Infinity), Infinity);
  return first < Infinity ? first : 0;
}
