// The columns of boxes: which rows an open box has, and what they derive from.
import { getAnswer } from "../api.ts";
import type { DatasetColumn, DatasetColumns } from "../records.ts";
import type { ColumnEdge } from "./answer.ts";
import type { Box, OpenColumns, View } from "./model.ts";
import { askFacts } from "./questions.ts";
import type { Scope } from "./scope.ts";

export const MORE_COLUMNS = 8; // rows that open at first, and that one click adds
const MAX_DETAILS = 200; // columns whose types and numbers are asked for at once
const MAX_BOXES = 60; // whose columns open at once

/** Opens the columns of a box whose names contain `text`: those with edges to other open boxes first. */
export async function openColumns(view: View, name: string, scope: Scope, text = "", most = MORE_COLUMNS): Promise<View> {
  const box = view.boxes.get(name);
  if (!box) return view;
  const parameters = { dataset: name, text, limit: Math.max(most, MAX_DETAILS), observed: scope.filters.observed };
  const answer = await getAnswer<DatasetColumns>("dataset-columns", parameters);
  const asked = withOpened(view, name, box.opened ?? chooseRows([], answer.columns, 0, text, 0));
  const next = await askFacts(asked, scope);
  const opened = chooseRows(connectedColumns(next.columnEdges, name), answer.columns, answer.omitted, text, most);
  return withOpened(next, name, opened);
}

export function closeColumns(view: View, name: string): View {
  const columnEdges = view.columnEdges.filter((edge) => edge.source !== name && edge.target !== name);
  return withOpened({ ...view, columnEdges }, name, null);
}

/** Opens the columns of all boxes that have edges to columns of others, without a request for each box. */
export async function openAllColumns(view: View, scope: Scope): Promise<View> {
  const boxes = new Map(view.boxes);
  const closed = [...boxes].filter(([, box]) => box.opened === null && box.subject.columns !== 0);
  const none: OpenColumns = { names: [], total: 0, text: "", details: new Map() };
  for (const [name, box] of closed.slice(0, MAX_BOXES)) boxes.set(name, { ...box, opened: none });
  const next = await askFacts({ ...view, boxes }, scope);
  const opened = new Map(next.boxes);
  for (const [name] of closed.slice(0, MAX_BOXES)) {
    const box = opened.get(name);
    if (!box) continue;
    const connected = connectedColumns(next.columnEdges, name);
    const names = connected.slice(0, MORE_COLUMNS);
    const total = Math.max(box.subject.columns ?? 0, connected.length);
    opened.set(name, { ...box, opened: { ...none, names, total } });
  }
  return { ...next, boxes: opened };
}

function withOpened(view: View, name: string, opened: OpenColumns | null): View {
  const box = view.boxes.get(name);
  return box ? { ...view, boxes: new Map(view.boxes).set(name, { ...box, opened } satisfies Box) } : view;
}

function chooseRows(
  connected: readonly string[], columns: readonly DatasetColumn[], omitted: number, text: string, most: number,
): OpenColumns {
  const wanted = text.toLowerCase();
  const first = connected.filter((column) => column.toLowerCase().includes(wanted));
  const all = [...new Set([...first, ...columns.map((column) => column.name)])];
  const details = new Map(columns.map((column) => [column.name, column]));
  return { names: all.slice(0, most), total: columns.length + omitted, text, details };
}

/** Returns the columns of a dataset with an edge to another open box, as often as they have one. */
function connectedColumns(edges: readonly ColumnEdge[], name: string): string[] {
  const connected = new Set<string>();
  for (const edge of edges) {
    if (edge.source === name) connected.add(edge.sourceColumn);
    if (edge.target === name && edge.targetColumn !== null) connected.add(edge.targetColumn);
  }
  return [...connected];
}
