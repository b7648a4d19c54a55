// The jobs of the picture.
import type { GraphEdge, GraphJob, Subject } from "./answer.ts";
import { ALONE, type View } from "./model.ts";
import { layOutNodes } from "./place.ts";

/** Returns the jobs of the edges of a view: one edge from each job to those that read what it wrote. */
export function jobView(view: View): Promise<View> {
  const jobs = new Map<string, { job: GraphJob; last: string }>();
  for (const { job, lastSeen } of view.edges) {
    if (job && lastSeen >= (jobs.get(job.name)?.last ?? "")) jobs.set(job.name, { job, last: lastSeen });
  }
  const readers = Map.groupBy(view.edges, (edge) => edge.source);
  const edges = new Map<string, GraphEdge>();
  for (const wrote of view.edges) {
    for (const read of readers.get(wrote.target) ?? []) {
      if (!wrote.job || !read.job || wrote.job.name === read.job.name) continue;
      const key = JSON.stringify([wrote.job.name, read.job.name]);
      const old = edges.get(key);
      edges.set(key, {
        source: wrote.job.name, target: read.job.name, job: null, runs: Math.max(1, wrote.runs, read.runs),
        lastSeen: wrote.lastSeen > read.lastSeen ? wrote.lastSeen : read.lastSeen,
        stale: (wrote.stale || read.stale) && (old?.stale ?? true), declared: false,
      });
    }
  }
  const subjects = [...jobs.values()].map(({ job, last }): Subject => ({
    ...ALONE, kind: "job", name: job.name, namespace: job.namespace, label: job.label, state: job.state, writtenAt: last,
  }));
  return layOutNodes(subjects[0]?.name ?? "", subjects, [...edges.values()]);
}
