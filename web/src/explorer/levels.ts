// The picture at other levels: its jobs, and the runs whose writes were visible in its root.
import { getAnswer } from "../api.ts";
import type { Job, Named, RunDependency, RunLineage } from "../records.ts";
import type { GraphEdge, GraphJob, Subject } from "./answer.ts";
import { emptyView, type View } from "./model.ts";
import { layOutAnew, placeDatasets } from "./place.ts";
import type { Scope } from "./scope.ts";

export const LEVELS = ["dataset", "column", "job", "run"] as const;
export type Level = (typeof LEVELS)[number];

const MOST_DEPENDENCIES = 500;
const ALONE = { upstream: 0, downstream: 0, columns: 0, rows: null, tags: [], firstSeen: null } as const;

/** Returns the jobs of the edges of a view: one edge from each job to those that read what it wrote. */
export function jobView(view: View): View {
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
  return layOut(subjects[0]?.name ?? "", subjects, [...edges.values()]);
}

/** Asks for the runs whose writes were visible in the root at the time of the scope, and their upstream. */
export async function askRunView(view: View, { time }: Scope): Promise<View> {
  const parameters = { dataset: view.root, time: time ?? undefined, runs: true, limit: MOST_DEPENDENCIES };
  const lineage = await getAnswer<RunLineage>("dataset-lineage-at", parameters);
  const subjects = new Map<string, Subject>();
  const root = view.boxes.get(view.root)?.subject;
  if (root) subjects.set(root.name, { ...root, upstream: 0, downstream: 0, columns: 0 });
  const edges = new Map<string, GraphEdge>();
  for (const dependency of lineage.dependencies) addDependency(dependency, view.root, subjects, edges);
  return layOut(view.root, [...subjects.values()], [...edges.values()]);
}

/** Returns what is chosen at another level: a job that writes the dataset, or the first dataset that the job writes. */
export function chosenAt(view: View, level: Level, chosen: string | null): string | null {
  if (chosen === null || level === "run") return null;
  if (level !== "job") return view.edges.find((edge) => edge.job?.name === chosen)?.target ?? chosen;
  const edge = view.edges.find(({ target, job }) => target === chosen && job) ?? view.edges.find(({ source, job }) => source === chosen && job);
  return edge?.job?.name ?? null;
}

function addDependency(
  { writer, reader, job, dataset, written }: RunDependency, root: string, subjects: Map<string, Subject>, edges: Map<string, GraphEdge>,
): void {
  const source = writer?.run_id ?? dataset.full_name;
  if (!subjects.has(source)) subjects.set(source, writer ? runSubject(writer, job, written) : sourceSubject(dataset));
  const target = reader?.run_id ?? root;
  const edge = { source, target, job: null, runs: 1, lastSeen: written ?? "", stale: false, declared: false };
  edges.set(JSON.stringify([source, target]), edge);
}

function runSubject(run: NonNullable<RunDependency["writer"]>, job: Job | null, written: string | null): Subject {
  return {
    ...ALONE, kind: "run", name: run.run_id, label: job?.name ?? run.run_id, namespace: `run ${run.run_id.slice(0, 8)}`,
    state: run.state, writtenAt: written ?? run.ended_at,
  };
}

function sourceSubject(dataset: Named): Subject {
  return {
    ...ALONE, kind: "dataset", name: dataset.full_name, label: dataset.name, namespace: dataset.namespace,
    state: null, writtenAt: null,
  };
}

function layOut(root: string, datasets: readonly Subject[], edges: readonly GraphEdge[]): View {
  return layOutAnew(placeDatasets(emptyView(root), { datasets, edges, columnEdges: [], missing: [] }));
}
