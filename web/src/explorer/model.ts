// What the explorer shows: boxes with their places, and the edges between them. All functions are
// pure; each returns a new view, so that undo is the view before.
import type { Area } from "./camera.ts";
import type { ColumnEdge, GraphAnswer, GraphDataset, GraphEdge } from "./answer.ts";

export type Side = "upstream" | "downstream";

/** A node of the graph with its place. `subject` is a dataset today; a row of a trace has the same form. */
export interface Box {
  readonly subject: GraphDataset;
  readonly layer: number; // the column of the picture; edges lead from lower to higher layers
  readonly y: number; // the upper border
  readonly opened: OpenColumns | null;
}

export interface OpenColumns {
  readonly names: readonly string[];
  readonly total: number;
}

export interface View {
  readonly root: string;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly GraphEdge[];
  readonly columnEdges: readonly ColumnEdge[];
}

export const WIDTH = 240;
export const PITCH = 340; // the distance of two layers
export const GAP = 16; // the least distance of two boxes of a layer
export const HEAD = 64;
export const ROW = 22;
const FOOT = 8;

export function emptyView(root: string): View {
  return { root, boxes: new Map(), edges: [], columnEdges: [] };
}

export function heightOf(box: Box): number {
  return HEAD + (box.opened ? box.opened.names.length * ROW + (box.opened.total > box.opened.names.length ? ROW : 0) + FOOT : 0);
}

/** Returns the smallest area with all of some boxes. */
export function areaOf(boxes: Iterable<Box>): Area {
  const area = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxes) {
    area.left = Math.min(area.left, box.layer * PITCH);
    area.right = Math.max(area.right, box.layer * PITCH + WIDTH);
    area.top = Math.min(area.top, box.y);
    area.bottom = Math.max(area.bottom, box.y + heightOf(box));
  }
  return area;
}

type Neighbours = ReadonlyMap<string, ReadonlySet<string>>;

const indexes = new WeakMap<View["edges"], Readonly<Record<Side, Neighbours>>>(); // each is made once

/** Returns the names on one side of a box that are shown. */
export function shownNeighbours(view: View, name: string, side: Side): string[] {
  return [...(indexOf(view.edges)[side].get(name) ?? [])];
}

/** Returns how many neighbours of a box are not shown, which the button of that side tells. */
export function hiddenCount(view: View, name: string, side: Side): number {
  const box = view.boxes.get(name);
  if (!box) return 0;
  return Math.max(0, box.subject[side] - (indexOf(view.edges)[side].get(name)?.size ?? 0));
}

function indexOf(edges: View["edges"]): Readonly<Record<Side, Neighbours>> {
  const known = indexes.get(edges);
  if (known) return known;
  const index = { upstream: new Map<string, Set<string>>(), downstream: new Map<string, Set<string>>() };
  const add = (neighbours: Map<string, Set<string>>, near: string, far: string) => {
    const names = neighbours.get(near);
    if (names) names.add(far);
    else neighbours.set(near, new Set([far]));
  };
  for (const { source, target } of edges) {
    if (source === target) continue;
    add(index.downstream, source, target);
    add(index.upstream, target, source);
  }
  indexes.set(edges, index);
  return index;
}

/** Returns the view with the facts of an answer: the newest of its datasets, and its edges. */
export function mergeAnswer(view: View, answer: GraphAnswer): View {
  const boxes = new Map(view.boxes);
  for (const subject of answer.datasets) {
    const box = boxes.get(subject.name);
    if (box) boxes.set(subject.name, { ...box, subject });
  }
  const key = (edge: GraphEdge) => JSON.stringify([edge.source, edge.target, edge.job]);
  const edges = new Map(view.edges.map((edge) => [key(edge), edge]));
  for (const edge of answer.edges) edges.set(key(edge), edge);
  const shown = [...edges.values()].filter((edge) => boxes.has(edge.source) && boxes.has(edge.target));
  return { ...view, boxes, edges: shown };
}

/** Returns the view without some boxes and their edges. */
export function removeBoxes(view: View, names: ReadonlySet<string>): View {
  const boxes = new Map([...view.boxes].filter(([name]) => !names.has(name)));
  const isShown = (edge: { source: string; target: string }) => boxes.has(edge.source) && boxes.has(edge.target);
  return { ...view, boxes, edges: view.edges.filter(isShown), columnEdges: view.columnEdges.filter(isShown) };
}

export function columnKey(dataset: string, column: string | null): string {
  return JSON.stringify([dataset, column]);
}
