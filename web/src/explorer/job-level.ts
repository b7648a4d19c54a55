// The jobs of the picture.
import type { GraphEdge, GraphJob, Subject } from "./answer.ts";
import { ALONE, type View } from "./model.ts";
import { layOutNodes } from "./place.ts";

type Pair = readonly [wrote: GraphEdge, read: GraphEdge];

/** Returns the jobs of the edges of a view: one edge from each job to those that read what it wrote. */
export function jobView(view: View): Promise<View> {
  const jobs = new Map<string, { job: GraphJob; last: string }>();
  for (const { job, lastSeen } of view.edges) {
    if (job && lastSeen >= (jobs.get(job.name)?.last ?? "")) jobs.set(job.name, { job, last: lastSeen });
  }
  const subjects = [...jobs.values()].map(({ job }): Subject => ({
    ...ALONE, kind: "job", name: job.name, namespace: job.namespace, label: job.label, state: job.state, writtenAt: job.lastRunAt,
  }));
  return layOutNodes(subjects[0]?.name ?? "", subjects, jobEdges(view.edges));
}

/** Returns an edge for each two jobs of which one wrote what the other read. */
export function jobEdges(edges: readonly GraphEdge[]): GraphEdge[] {
  const readers = Map.groupBy(edges, (edge) => edge.source);
  const pairs = edges.flatMap((wrote) => (readers.get(wrote.target) ?? []).map((read): Pair => [wrote, read]))
    .filter(([wrote, read]) => wrote.job && read.job && wrote.job.name !== read.job.name && !isNeverThere([wrote, read]));
  const byJobs = Map.groupBy(pairs, ([wrote, read]) => JSON.stringify([wrote.job?.name, read.job?.name]));
  return [...byJobs.values()].map(mergePairs);
}

/** Merges the pairs of two jobs: what is removed counts only if all of them are. */
function mergePairs(all: readonly Pair[]): GraphEdge {
  const now = all.filter((pair) => !hasChange(pair, "removed"));
  const pairs = now.length > 0 ? now : all;
  const edges = pairs.flat();
  const declared = pairs.every((pair) => pair.some((edge) => edge.declared && edge.runs === 0));
  const [source, target] = (all[0] as Pair).map(({ job }) => job?.name ?? "") as [string, string];
  return {
    source, target, job: null, runs: declared ? 0 : Math.max(1, ...edges.map(({ runs }) => runs)), declared,
    lastSeen: edges.reduce((last, { lastSeen }) => (lastSeen > last ? lastSeen : last), ""),
    stale: pairs.every((pair) => pair.some(({ stale }) => stale)),
    change: now.length === 0 ? "removed" : all.every((pair) => hasChange(pair, "added")) ? "added"
      : pairs.some((pair) => hasChange(pair, "changed")) ? "changed" : undefined,
  };
}

function hasChange(pair: Pair, change: GraphEdge["change"]): boolean {
  return pair.some((edge) => edge.change === change);
}

/** Returns whether one edge of a pair was removed and the other added: at no time were both there. */
function isNeverThere(pair: Pair): boolean {
  return hasChange(pair, "removed") && hasChange(pair, "added");
}
