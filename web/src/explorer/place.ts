// Places of boxes. What is shown does not move when boxes are added: they take the free places
// nearest to their neighbours. Only a box that grows moves others, and none past another.
import type { GraphAnswer, GraphDataset, GraphEdge } from "./answer.ts";
import { GAP, heightOf, mergeAnswer, type Box, type View } from "./model.ts";

const STILL = 1e12; // the weight of the box that may not move, against 1 of each other
const SWEEPS = 8;

/** Returns the view with the datasets of an answer; no box that it has moves. */
export function placeDatasets(view: View, answer: GraphAnswer): View {
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
export function layOutAnew(view: View): View {
  const [first] = view.boxes.values();
  const root = view.boxes.get(view.root) ?? first;
  if (!root) return view;
  const layers = layerBoxes(view, root.subject.name);
  let boxes = new Map<string, Box>();
  for (const [name, box] of view.boxes) boxes.set(name, { ...box, layer: layers.get(name) ?? 0, y: 0 });
  boxes = new Map([...boxes].map(([name, box], index) => [name, { ...box, y: index * (heightOf(box) + GAP) }]));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const wanted = nearNeighbours(boxes, view.edges, sweep);
    for (const [name, y] of wanted) boxes.set(name, { ...(boxes.get(name) as Box), y });
    boxes = spreadLayers(boxes, null);
  }
  const shift = root.y - (boxes.get(root.subject.name)?.y ?? 0);
  return { ...view, boxes: new Map([...boxes].map(([name, box]) => [name, { ...box, y: box.y + shift }])) };
}

/** Adds boxes beside a neighbour that has a place: upstream to its left, downstream to its right. */
function addBoxes(boxes: Map<string, Box>, added: readonly GraphDataset[], edges: readonly GraphEdge[]): void {
  let waiting = [...added];
  while (waiting.length > 0) {
    const next: GraphDataset[] = [];
    for (const subject of waiting) {
      const near = placedNeighbours(boxes, edges, subject.name);
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

interface Neighbour {
  readonly box: Box;
  readonly isUpstream: boolean;
}

function placedNeighbours(boxes: ReadonlyMap<string, Box>, edges: readonly GraphEdge[], name: string): Neighbour[] {
  return edges.flatMap((edge) => {
    const other = edge.source === name ? edge.target : edge.target === name ? edge.source : null;
    const box = other === null || other === name ? undefined : boxes.get(other);
    return box ? [{ box, isUpstream: edge.target === name }] : [];
  });
}

function chooseLayer(near: readonly Neighbour[]): number {
  const downstream = near.filter(({ isUpstream }) => !isUpstream).map(({ box }) => box.layer);
  if (downstream.length > 0) return Math.min(...downstream) - 1;
  const upstream = near.map(({ box }) => box.layer);
  return upstream.length > 0 ? Math.max(...upstream) + 1 : 0;
}

/** Returns layers by the longest path; edges that close a cycle do not count. */
function layerBoxes(view: View, root: string): Map<string, number> {
  const targets = new Map<string, string[]>();
  for (const { source, target } of view.edges) {
    if (source === target) continue;
    targets.set(source, [...(targets.get(source) ?? []), target]);
  }
  const order = orderBoxes([...view.boxes.keys()].toSorted(), targets);
  const position = new Map(order.map((name, index) => [name, index]));
  const isForward = (source: string, target: string) => (position.get(source) ?? 0) < (position.get(target) ?? 0);
  const layers = new Map<string, number>(order.map((name) => [name, 0]));
  for (const source of order) {
    for (const target of targets.get(source) ?? []) {
      if (!isForward(source, target)) continue;
      layers.set(target, Math.max(layers.get(target) ?? 0, (layers.get(source) ?? 0) + 1));
    }
  }
  for (const source of order.toReversed()) { // sources beside their first consumer
    const forward = (targets.get(source) ?? []).filter((target) => isForward(source, target));
    if (forward.length > 0) layers.set(source, Math.min(...forward.map((target) => layers.get(target) ?? 0)) - 1);
  }
  const rootLayer = layers.get(root) ?? 0;
  const shift = (view.boxes.get(root)?.layer ?? 0) - rootLayer;
  return new Map([...layers].map(([name, layer]) => [name, layer + shift]));
}

/** Returns the names in the reverse order in which a depth-first search leaves them. */
function orderBoxes(names: readonly string[], targets: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set<string>();
  const left: string[] = [];
  for (const start of names) {
    const stack: [name: string, next: number][] = seen.has(start) ? [] : [[start, 0]];
    seen.add(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = targets.get(top[0])?.[top[1]++];
      if (target === undefined) {
        left.push(top[0]);
        stack.pop();
      } else if (!seen.has(target)) {
        seen.add(target);
        stack.push([target, 0]);
      }
    }
  }
  return left.reverse();
}

/** Returns the mean height of the neighbours on one side of each box, the sides in turns. */
function nearNeighbours(boxes: ReadonlyMap<string, Box>, edges: readonly GraphEdge[], sweep: number): Map<string, number> {
  const heights = new Map<string, number[]>();
  for (const { source, target } of edges) {
    const [name, other] = sweep % 2 === 0 ? [target, source] : [source, target];
    const box = boxes.get(other);
    if (box && name !== other) heights.set(name, [...(heights.get(name) ?? []), box.y]);
  }
  return new Map([...heights].map(([name, values]) => [name, meanOf(values)]));
}

/** Moves the boxes of each layer apart; `anchor` stays where it is. */
function spreadLayers(boxes: ReadonlyMap<string, Box>, anchor: string | null): Map<string, Box> {
  const placed = new Map(boxes); // keeps the order of the names
  for (const entries of Map.groupBy(boxes, ([, box]) => box.layer).values()) {
    entries.sort(([a, boxA], [b, boxB]) => boxA.y - boxB.y || (a < b ? -1 : 1));
    const weights = entries.map(([name]) => (name === anchor ? STILL : 1));
    const heights = entries.map(([, box]) => heightOf(box) + GAP);
    const places = spreadOut(entries.map(([, box]) => box.y), heights, weights);
    entries.forEach(([name, box], index) => placed.set(name, { ...box, y: Math.round(places[index] ?? box.y) }));
  }
  return placed;
}

/** Moves each of the new boxes to the free place of its layer that is nearest to its own. */
function fillGaps(boxes: Map<string, Box>, fresh: readonly string[]): Map<string, Box> {
  const waiting = new Set(fresh);
  for (const [layer, names] of Map.groupBy(fresh, (name) => boxes.get(name)?.layer ?? 0)) {
    const taken = [...boxes].filter(([name, box]) => box.layer === layer && !waiting.has(name)).map(([, box]) => box);
    for (const name of names) {
      const box = boxes.get(name);
      if (!box) continue;
      const placed = { ...box, y: nearestGap(taken, box.y, heightOf(box)) };
      boxes.set(name, placed);
      taken.push(placed);
    }
  }
  return boxes;
}

/** Returns the place nearest to `wanted` at which a box of this height overlaps none of `taken`. */
export function nearestGap(taken: readonly Box[], wanted: number, height: number): number {
  const isFree = (y: number) => taken.every((box) => y + height + GAP <= box.y || box.y + heightOf(box) + GAP <= y);
  const places = [wanted, ...taken.flatMap((box) => [box.y - GAP - height, box.y + heightOf(box) + GAP])];
  const free = places.map(Math.round).filter(isFree);
  return free.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0] ?? wanted;
}

/**
 * Returns places in the same order that do not overlap, with the least weighted sum of squared moves
 * (pool adjacent violators: R. E. Barlow et al., Statistical Inference under Order Restrictions, 1972).
 */
export function spreadOut(wanted: readonly number[], heights: readonly number[], weights: readonly number[]): number[] {
  const above = heights.map(((sum) => (height) => (sum += height) - height)(0));
  const blocks: { value: number; weight: number; count: number }[] = [];
  wanted.forEach((y, index) => {
    let block = { value: y - (above[index] ?? 0), weight: weights[index] ?? 1, count: 1 };
    for (let last = blocks.at(-1); last && last.value > block.value; last = blocks.at(-1)) {
      const weight = last.weight + block.weight;
      const value = (last.value * last.weight + block.value * block.weight) / weight;
      block = { value, weight, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ value, count }) => new Array<number>(count).fill(value)).map((value, index) => value + (above[index] ?? 0));
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
