// Places of boxes. What is shown does not move when boxes are added: they take the free places
// nearest to their neighbours. Only a box that grows moves others, and none past another.
import type { GraphEdge, GraphFacts, Subject } from "./answer.ts";
import { placeInBackground } from "./background.ts";
import { SPACING } from "../layout/graph.ts";
import { spreadByMean, spreadByMedian } from "../layout/spread.ts";
import { emptyView, GAP, HEAD, heightOf, mergeAnswer, WIDTH, type Box, type View } from "./model.ts";

const STILL = 1e12; // the weight of the box that may not move, against 1 of each other

/** Returns the view with the datasets of an answer; no box that it has moves. */
export function placeDatasets(view: View, answer: GraphFacts): View {
  const boxes = new Map(view.boxes);
  const added = answer.datasets.filter((dataset) => !boxes.has(dataset.name));
  const isEmpty = boxes.size === 0;
  addBoxes(boxes, added, [...view.edges, ...answer.edges]);
  const fresh = added.map((dataset) => dataset.name);
  const placed = isEmpty ? spreadLayers(boxes, null) : fillGaps(boxes, fresh);
  return mergeAnswer({ ...view, boxes: placed }, answer);
}

/** Returns the view with room for a box that grew or shrank; the box itself stays. */
export function makeRoom(view: View, anchor: string): View {
  return { ...view, boxes: spreadLayers(view.boxes, anchor) };
}

/** Returns the view with new layers and a new order; the root stays. */
export async function layOutAnew(view: View): Promise<View> {
  const entries = [...view.boxes].sort(([a], [b]) => (a < b ? -1 : 1)); // so that the order of clicks does not matter
  const positions = new Map(entries.map(([name], index) => [name, index]));
  const indexOf = (name: string) => positions.get(name) ?? 0;
  const graph = {
    nodes: entries.map(([, box]) => ({ width: WIDTH, height: heightOf(box) })),
    edges: view.edges.map((edge) => ({
      source: indexOf(edge.source), target: indexOf(edge.target), sourcePort: HEAD / 2, targetPort: HEAD / 2,
    })),
  };
  const { layer, y } = await placeInBackground({ graph, spacing: { ...SPACING, boxGap: GAP } });
  const root = view.boxes.get(view.root);
  const rootIndex = indexOf(view.root);
  const layers = (root?.layer ?? 0) - (layer[rootIndex] ?? 0);
  const shift = Math.round((root?.y ?? 0) - (y[rootIndex] ?? 0));
  const boxes = new Map(view.boxes);
  entries.forEach(([name, box], index) => {
    boxes.set(name, { ...box, layer: (layer[index] ?? 0) + layers, y: Math.round(y[index] ?? 0) + shift });
  });
  return { ...view, boxes };
}

/** Returns a view of nodes and their edges, laid out. */
export function layOutNodes(root: string, datasets: readonly Subject[], edges: readonly GraphEdge[]): Promise<View> {
  return layOutAnew(placeDatasets(emptyView(root), { datasets, edges, columnEdges: [] }));
}

/** Adds boxes beside a neighbour that has a place: upstream to its left, downstream to its right. */
function addBoxes(boxes: Map<string, Box>, added: readonly Subject[], edges: readonly GraphEdge[]): void {
  const links = linksOf(added, edges);
  let waiting = [...added];
  while (waiting.length > 0) {
    const next: Subject[] = [];
    for (const subject of waiting) {
      const near = placedNeighbours(boxes, links.get(subject.name) ?? []);
      if (near.length === 0 && boxes.size > 0) next.push(subject);
      else boxes.set(subject.name, { subject, layer: chooseLayer(near), y: meanOf(near.map(({ box }) => box.y)), opened: null });
    }
    if (next.length === waiting.length) { // not connected with what is shown: a layer of its own side
      for (const subject of next) boxes.set(subject.name, { subject, layer: 0, y: 0, opened: null });
      return;
    }
    waiting = next;
  }
}

interface Link {
  readonly other: string;
  readonly isUpstream: boolean;
}

interface Neighbour {
  readonly box: Box;
  readonly isUpstream: boolean;
}

/** Returns the edges of each of these datasets, as seen from it. */
function linksOf(datasets: readonly Subject[], edges: readonly GraphEdge[]): ReadonlyMap<string, readonly Link[]> {
  const links = new Map<string, Link[]>(datasets.map(({ name }) => [name, []]));
  for (const { source, target } of edges) {
    if (source === target) continue;
    links.get(source)?.push({ other: target, isUpstream: false });
    links.get(target)?.push({ other: source, isUpstream: true });
  }
  return links;
}

function placedNeighbours(boxes: ReadonlyMap<string, Box>, links: readonly Link[]): Neighbour[] {
  return links.flatMap(({ other, isUpstream }) => {
    const box = boxes.get(other);
    return box ? [{ box, isUpstream }] : [];
  });
}

function chooseLayer(near: readonly Neighbour[]): number {
  const downstream = near.filter(({ isUpstream }) => !isUpstream).map(({ box }) => box.layer);
  if (downstream.length > 0) return Math.min(...downstream) - 1;
  const upstream = near.map(({ box }) => box.layer);
  return upstream.length > 0 ? Math.max(...upstream) + 1 : 0;
}

/** Moves the boxes of each layer apart; `anchor` stays where it is. */
function spreadLayers(boxes: ReadonlyMap<string, Box>, anchor: string | null): Map<string, Box> {
  const placed = new Map(boxes); // keeps the order of the names
  for (const entries of Map.groupBy(boxes, ([, box]) => box.layer).values()) {
    entries.sort(([a, boxA], [b, boxB]) => boxA.y - boxB.y || (a < b ? -1 : 1));
    const weights = entries.map(([name]) => (name === anchor ? STILL : 1));
    let sum = 0;
    const offsets = entries.map(([, box]) => (sum += heightOf(box) + GAP) - heightOf(box) - GAP);
    // By the mean, boxes stand centred on what they want; by the median, few of those shown move.
    const spread = anchor === null ? spreadByMean : spreadByMedian;
    const places = spread(entries.map(([, box]) => box.y), offsets, weights);
    entries.forEach(([name, box], index) => placed.set(name, { ...box, y: Math.round(places[index] ?? box.y) }));
  }
  return placed;
}

/** Moves each of the new boxes to the free place of its layer that is nearest to its own. */
function fillGaps(boxes: Map<string, Box>, fresh: readonly string[]): Map<string, Box> {
  const waiting = new Set(fresh);
  const layers = Map.groupBy(boxes, ([name, box]) => (waiting.has(name) ? null : box.layer));
  for (const [layer, names] of Map.groupBy(fresh, (name) => boxes.get(name)?.layer ?? 0)) {
    const taken = (layers.get(layer) ?? []).map(([, box]) => box).sort((a, b) => a.y - b.y);
    for (const name of names) {
      const box = boxes.get(name);
      if (!box) continue;
      const { y, index } = nearestGap(taken, box.y, heightOf(box));
      const placed = { ...box, y };
      boxes.set(name, placed);
      taken.splice(index, 0, placed);
    }
  }
  return boxes;
}

/** Returns the place nearest to `wanted` where a box of this height is apart from `taken`, and which of them is below. */
export function nearestGap(taken: readonly Box[], wanted: number, height: number): { y: number; index: number } {
  let best = { y: 0, index: -1 };
  let top = -Infinity; // of the gap above the box `index`
  for (let index = 0; index <= taken.length; index++) {
    const bottom = (taken[index]?.y ?? Infinity) - GAP - height;
    const y = Math.max(top, Math.min(bottom, Math.round(wanted)));
    if (y <= bottom && (best.index < 0 || Math.abs(y - wanted) < Math.abs(best.y - wanted))) best = { y, index };
    const box = taken[index];
    if (box) top = Math.max(top, box.y + heightOf(box) + GAP);
  }
  return best;
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
