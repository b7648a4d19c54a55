// The order of jobs: a layer for each level, and edges to the jobs that come directly after.
import type { JobOrder, OrderedJob } from "../order-records.ts";
import { lastPart, showSeconds } from "../text.ts";
import type { GraphEdge, Subject } from "./answer.ts";
import { ALONE, MAX_BOXES, removeBoxes, type View } from "./model.ts";
import { layOutNodes } from "./place.ts";

const START = ""; // precedes all jobs during the layout, so that layers are levels; no job has this name

/** Returns the jobs with their edges, laid out by level; with a cycle, the jobs and edges of the cycles. */
export async function planView(order: JobOrder): Promise<View> {
  const critical = new Set(order.critical_path);
  const onCycle = new Set(order.cycles.flatMap(({ jobs }) => jobs));
  const isWanted = ({ job }: OrderedJob): boolean => order.cycles.length === 0 || onCycle.has(job);
  const jobs = order.jobs.filter(isWanted).slice(0, MAX_BOXES);
  const subjects = jobs.map((job) => jobSubject(job, critical.has(job.job)));
  const edges = planEdges(order, new Set(jobs.map(({ job }) => job)));
  if (order.cycles.length > 0 || jobs.length === 0) return layOutNodes(jobs[0]?.job ?? "", subjects, edges);
  const start: Subject = { ...ALONE, kind: "job", name: START, namespace: "", label: "", state: null, writtenAt: null };
  const starts = jobs.filter(({ after }) => after.length === 0).map(({ job }) => edgeOf(START, job));
  const view = await layOutNodes(START, [start, ...subjects], [...starts, ...edges]);
  return { ...removeBoxes(view, new Set([START])), root: jobs[0]?.job ?? "" };
}

/** Returns the edges between jobs that are shown, without those that others imply. */
function planEdges(order: JobOrder, shown: ReadonlySet<string>): GraphEdge[] {
  const declared = new Set(order.edges.filter(isDeclared).map(({ before, after }) => keyOf(before, after)));
  const steps = new Set(order.cycles.flatMap(({ steps: each }) => each.map(({ before, after }) => keyOf(before, after))));
  const chain = new Set(order.critical_path.map((job, index) => keyOf(order.critical_path[index - 1] ?? "", job)));
  return order.jobs.flatMap(({ job, after }) => after.filter((before) => shown.has(before) && shown.has(job)).map((before) => {
    const key = keyOf(before, job);
    const edge = declared.has(key) ? { ...edgeOf(before, job), runs: 0, declared: true } : edgeOf(before, job);
    const way = chain.has(key) ? "critical" : steps.has(key) ? "cycle" : undefined;
    return way ? { ...edge, way } : edge;
  }));
}

/** Returns whether no run showed an edge: each of its reasons is of a design. */
function isDeclared({ reasons }: JobOrder["edges"][number]): boolean {
  return reasons.every(({ declared }) => declared);
}

function keyOf(before: string, after: string): string {
  return JSON.stringify([before, after]);
}

function edgeOf(source: string, target: string): GraphEdge {
  return { source, target, job: null, runs: 1, lastSeen: "", stale: false, declared: false };
}

function jobSubject(each: OrderedJob, isCritical: boolean): Subject {
  const marks = [
    showSeconds(each.seconds), isCritical ? "critical" : "", each.stale === null ? "" : "must run", each.declared ? "declared" : "",
  ];
  const label = lastPart(each.job);
  return {
    ...ALONE, kind: "plan", name: each.job, label, namespace: each.job.slice(0, -label.length - 1), state: null, writtenAt: null,
    detail: marks.filter((mark) => mark !== "").join(" · ") || "no duration known",
  };
}
