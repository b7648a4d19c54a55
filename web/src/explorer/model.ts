// What the explorer shows: boxes with their places, and the edges between them. All functions are
// pure; each returns a new view, so that undo is the view before.
import type { Area } from "./camera.ts";
import type { ColumnEdge, GraphEdge, GraphFacts, Subject } from "./answer.ts";
import type { Change, DatasetColumn } from "../records.ts";

export type Side = "upstream" | "downstream";

/** A node of the graph with its place. */
export interface Box {
  readonly subject: Subject;
  readonly layer: number; // the column of the picture; edges lead from lower to higher layers
  readonly y: number; // the upper border
  readonly opened: OpenColumns | null;
  /** As of a time: an event had not named it yet. In a comparison: what the end has of it. */
  readonly presence?: Change | "absent" | undefined;
}

export interface OpenColumns {
  readonly names: readonly string[]; // of the rows
  readonly total: number; // of those that contain `text`
  readonly text: string;
  readonly details: ReadonlyMap<string, DatasetColumn>;
}

export interface View {
  readonly root: string;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly GraphEdge[];
  readonly columnEdges: readonly ColumnEdge[];
  readonly omitted?: number | undefined; // edges that the answer leaves out: of columns, or between runs
  readonly matches?: Matches | undefined; // with filters
  readonly ambiguous?: ReadonlySet<string>; // names that match no dataset or, as full names can, several: none of these is shown
}

/** What the filters leave of all datasets upstream and downstream of the root. */
export interface Matches {
  readonly names: readonly string[];
  readonly omitted: number; // further datasets, whose names are not known
  /** The paths through datasets that are removed. */
  readonly paths: readonly GraphEdge[];
}

export const WIDTH = 240;
export const PITCH = 340; // the distance of two layers
export const GAP = 16; // the least distance of two boxes of a layer
export const HEAD = 64;
export const MAX_BOXES = 2000; // as many as the operation `subgraph` takes
export const SEARCH = 30; // the height of the field that searches columns
export const ROW = 22;
const FOOT = 8;

/** What the node of another level than datasets has not. */
export const ALONE = { upstream: 0, downstream: 0, columns: 0, rows: null, tags: [], firstSeen: null } as const;

export function emptyView(root: string): View {
  return { root, boxes: new Map(), edges: [], columnEdges: [] };
}

export function heightOf({ opened }: Box): number {
  if (!opened) return HEAD;
  const more = opened.total > opened.names.length ? ROW : 0;
  return HEAD + SEARCH + opened.names.length * ROW + more + FOOT;
}

/** Returns how far below the upper border the middle of a column's row is. */
export function rowOffset({ opened }: Box, column: string | null): number {
  if (column === null || !opened) return HEAD / 2;
  const index = opened.names.indexOf(column);
  return HEAD + SEARCH + ((index < 0 ? opened.names.length : index) + 0.5) * ROW;
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

type Neighbours = Readonly<Record<Side, ReadonlyMap<string, ReadonlySet<string>>>>;

const shownIndexes = new WeakMap<View["edges"], Neighbours>(); // each is made once
const countedIndexes = new WeakMap<View["edges"], Neighbours>();

/** Returns the names on one side of a box that are shown. */
export function shownNeighbours(view: View, name: string, side: Side): string[] {
  return [...(indexOf(view.edges, shownIndexes)[side].get(name) ?? [])];
}

/** Returns how many neighbours of a box are not shown, which the button of that side tells. */
export function hiddenCount(view: View, name: string, side: Side): number {
  const box = view.boxes.get(name);
  if (!box) return 0;
  const shown = indexOf(view.edges, countedIndexes, isCounted)[side].get(name)?.size ?? 0;
  return Math.max(0, box.subject[side] - shown);
}

/** Returns the names of the datasets that match the filters and are not shown. */
export function furtherMatches({ matches, boxes }: View): string[] {
  return (matches?.names ?? []).filter((name) => !boxes.has(name));
}

/** Returns whether the number of neighbours that the server tells includes the ends of an edge. */
function isCounted(edge: GraphEdge): boolean {
  return edge.hidden === undefined && edge.change !== "removed";
}

function indexOf(
  edges: View["edges"], indexes: WeakMap<View["edges"], Neighbours>, isWanted: (edge: GraphEdge) => boolean = () => true,
): Neighbours {
  const known = indexes.get(edges);
  if (known) return known;
  const index = { upstream: new Map<string, Set<string>>(), downstream: new Map<string, Set<string>>() };
  const add = (neighbours: Map<string, Set<string>>, near: string, far: string) => {
    const names = neighbours.get(near);
    if (names) names.add(far);
    else neighbours.set(near, new Set([far]));
  };
  for (const edge of edges) {
    if (edge.source === edge.target || !isWanted(edge)) continue;
    add(index.downstream, edge.source, edge.target);
    add(index.upstream, edge.target, edge.source);
  }
  indexes.set(edges, index);
  return index;
}

/** Returns the view with the facts of an answer: the newest of its datasets, and its edges. */
export function mergeAnswer(view: View, answer: GraphFacts): View {
  const edges = new Map(view.edges.map((edge) => [edgeKey(edge), edge]));
  for (const edge of answer.edges) edges.set(edgeKey(edge), edge);
  const boxes = withSubjects(view.boxes, answer);
  return { ...view, boxes, edges: [...edges.values()].filter((edge) => boxes.has(edge.source) && boxes.has(edge.target)) };
}

/** Returns the view with the facts of an answer about all its boxes, which replace those before. */
export function replaceFacts(view: View, answer: GraphFacts): View {
  return { ...view, boxes: withSubjects(view.boxes, answer), edges: answer.edges, columnEdges: answer.columnEdges, omitted: answer.omitted };
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

export function edgeKey(edge: GraphEdge): string {
  return JSON.stringify([edge.source, edge.target, edge.job?.name ?? null, edge.hidden ?? null]);
}

function withSubjects(boxes: View["boxes"], answer: GraphFacts): Map<string, Box> {
  const next = new Map(boxes);
  for (const subject of answer.datasets) {
    const box = next.get(subject.name);
    if (box) next.set(subject.name, { ...box, subject });
  }
  return next;
}
