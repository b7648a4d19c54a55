// The graph as of a time, and the differences between two times.
import type { ColumnEdge, GraphEdge, GraphFacts, Subject } from "./answer.ts";
import { edgeKey, type Box, type View } from "./model.ts";
import type { Change } from "../records.ts";

/** Returns the union of two answers about the same datasets; edges that differ have their change. */
export function compareAnswers(before: GraphFacts, after: GraphFacts): GraphFacts {
  const old = new Map(before.edges.map((edge) => [edgeKey(edge), edge]));
  const kept = after.edges.map((edge) => ({ ...edge, change: changeOf(old.get(edgeKey(edge)), edge) }));
  const now = new Set(after.edges.map(edgeKey));
  const removed = before.edges.filter((edge) => !now.has(edgeKey(edge)));
  return {
    ...after,
    edges: [...kept, ...removed.map((edge): GraphEdge => ({ ...edge, change: "removed" }))],
    columnEdges: mergeColumnEdges(before.columnEdges, after.columnEdges),
    omitted: Math.max(before.omitted ?? 0, after.omitted ?? 0),
  };
}

/** Returns the view with what each box was at the times; without a time, with nothing of it. */
export function markPresence(view: View, time: string | null, before: string | null): View {
  const boxes = new Map<string, Box>();
  for (const [name, box] of view.boxes) boxes.set(name, { ...box, presence: presenceOf(box.subject, time, before) });
  return { ...view, boxes };
}

/** Returns the edges that differ, by the names of their ends. */
export function changedEdges(view: View): GraphEdge[] {
  return view.edges.filter((edge) => edge.change !== undefined)
    .toSorted((a, b) => (edgeKey(a) < edgeKey(b) ? -1 : 1));
}

function changeOf(old: GraphEdge | undefined, edge: GraphEdge): Change | undefined {
  if (!old) return "added";
  const same = old.stale === edge.stale && old.declared === edge.declared && hasFailed(old) === hasFailed(edge);
  return same ? undefined : "changed";
}

export function hasFailed(edge: GraphEdge): boolean {
  return edge.job?.state === "FAIL" || edge.job?.state === "ABORT";
}

function presenceOf({ firstSeen }: Subject, time: string | null, before: string | null): Box["presence"] {
  const isNamed = (at: string | null) => at === null || (firstSeen !== null && new Date(firstSeen) <= new Date(at));
  if (!isNamed(time)) return "absent";
  return before === null || isNamed(before) ? undefined : "added";
}

function mergeColumnEdges(before: readonly ColumnEdge[], after: readonly ColumnEdge[]): ColumnEdge[] {
  return [...new Map([...before, ...after].map((edge) => [JSON.stringify(edge), edge])).values()];
}
