// The rows of a saved trace: the traced rows on the right, and a layer of contributing rows for each source.
import type { TraceDetails, Witness } from "../records.ts";
import { countOf, lastPart } from "../text.ts";
import type { GraphEdge, Subject } from "./answer.ts";
import { ALONE, GAP, HEAD, type Box, type View } from "./model.ts";

const ROOT = "traced rows";

/** Returns the name of the box of a contributing row; a row that contributes on two ways has one. */
export function rowName({ source, key }: Witness): string {
  return JSON.stringify([source, key]);
}

/** Returns the traced rows with the saved contributing rows; sources of later writes stand nearer. */
export function rowView({ trace, witnesses }: TraceDetails): View {
  const root = rowSubject(ROOT, countOf(trace.rows, "row"), trace.dataset, trace.fidelity);
  const boxes = new Map<string, Box>([[ROOT, boxOf(root, 0, 0, 1)]]);
  const edges = new Map<string, GraphEdge>();
  const layers = [...Map.groupBy(uniqueRows(witnesses), ({ source }) => source).values()];
  layers.forEach((rows, index) => {
    rows.forEach((row, place) => {
      const name = rowName(row);
      boxes.set(name, boxOf(rowSubject(name, labelOf(row), row.source, detailOf(row)), -1 - index, place, rows.length));
      edges.set(name, edgeOf(name, row.hop, trace.saved_at));
    });
  });
  return { root: ROOT, boxes, edges: [...edges.values()], columnEdges: [] };
}

/** Returns each row once, by the number of writes to the traced rows. */
function uniqueRows(witnesses: readonly Witness[]): Witness[] {
  const rows = new Map<string, Witness>();
  for (const row of witnesses.toSorted((a, b) => a.hop - b.hop)) if (!rows.has(rowName(row))) rows.set(rowName(row), row);
  return [...rows.values()];
}

function boxOf(subject: Subject, layer: number, place: number, count: number): Box {
  return { subject, layer, y: Math.round((place - (count - 1) / 2) * (HEAD + GAP)), opened: null };
}

function rowSubject(name: string, label: string, namespace: string, detail: string): Subject {
  return { ...ALONE, kind: "row", name, label, namespace, detail, state: null, writtenAt: null };
}

/** Returns an edge to the traced rows; rows of earlier writes reach them through others. */
function edgeOf(source: string, hop: number, lastSeen: string): GraphEdge {
  const edge = { source, target: ROOT, job: null, runs: 1, lastSeen, stale: false, declared: false };
  return hop > 1 ? { ...edge, hidden: hop - 1 } : edge;
}

function labelOf({ row_index, key }: Witness): string {
  return row_index === null ? `row with key ${key.slice(0, 8)}` : `row ${row_index}`;
}

function detailOf({ values, file }: Witness): string {
  if (values !== null) return Object.entries(values).map(([name, value]) => `${name}=${String(value)}`).join(" ");
  return file === null ? "no position" : lastPart(file);
}
