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

/** Returns the names on one side of a box that are shown. */
export function shownNeighbours(view: View, name: string, side: Side): string[] {
  const names = new Set<string>();
  for (const edge of view.edges) {
    const [near, far] = side === "upstream" ? [edge.target, edge.source] : [edge.source, edge.target];
    if (near === name && far !== name) names.add(far);
  }
  return [...names];
}

/** Returns how many neighbours of a box are not shown, which the button of that side tells. */
export function hiddenCount(view: View, name: string, side: Side): number {
  const box = view.boxes.get(name);
  if (!box) return 0;
  return Math.max(0, box.subject[side] - shownNeighbours(view, name, side).length);
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

/** Returns the boxes that only one side of a box connects with the root; folding that side hides them. */
export function broughtBy(view: View, name: string, side: Side): Set<string> {
  const neighbours = new Map<string, Set<string>>();
  const connect = (from: string, to: string) => {
    const names = neighbours.get(from) ?? new Set<string>();
    neighbours.set(from, names.add(to));
  };
  const folded = new Set(shownNeighbours(view, name, side));
  for (const { source, target } of view.edges) {
    const isFolded = side === "upstream" ? target === name : source === name;
    if (isFolded && source !== target) continue;
    connect(source, target);
    connect(target, source);
  }
  const reached = new Set<string>();
  for (const start of [view.root, name]) reach(start, neighbours, reached);
  return new Set([...view.boxes.keys()].filter((each) => !reached.has(each) && isBehind(each, folded, neighbours)));
}

function isBehind(name: string, folded: ReadonlySet<string>, neighbours: ReadonlyMap<string, Set<string>>): boolean {
  return [...reach(name, neighbours, new Set())].some((each) => folded.has(each));
}

function reach(start: string, neighbours: ReadonlyMap<string, ReadonlySet<string>>, reached: Set<string>): Set<string> {
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...(neighbours.get(name) ?? []));
  }
  return reached;
}

/** Returns the columns on all ways from or to a column, over the shown edges. */
export function columnPath(view: View, dataset: string, column: string): ReadonlySet<string> {
  const path = new Set([columnKey(dataset, column)]);
  for (const forward of [true, false]) {
    const open = [columnKey(dataset, column)];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      for (const edge of view.columnEdges) {
        const ends = [columnKey(edge.source, edge.sourceColumn), columnKey(edge.target, edge.targetColumn)];
        const [near, far] = forward ? ends : ends.toReversed();
        if (near !== key || far === undefined || path.has(far)) continue;
        path.add(far);
        open.push(far);
      }
    }
  }
  return path;
}

export function columnKey(dataset: string, column: string | null): string {
  return JSON.stringify([dataset, column]);
}
