// The runs whose writes were visible in the root of the picture.
import { getAnswer } from "../api.ts";
import type { Job, Named, RunDependency, RunLineage } from "../records.ts";
import { shortenId } from "../text.ts";
import type { GraphEdge, Subject } from "./answer.ts";
import { ALONE, type View } from "./model.ts";
import { layOutNodes } from "./place.ts";
import type { Scope } from "./scope.ts";

export const MAX_DEPENDENCIES = 500;

/** Asks for the runs whose writes were visible in the root at the time of the scope, and their upstream. */
export async function askRunView(view: View, { time }: Scope): Promise<View> {
  const parameters = { dataset: view.root, time: time ?? undefined, runs: true, limit: MAX_DEPENDENCIES };
  const lineage = await getAnswer<RunLineage>("dataset-lineage-at", parameters);
  const subjects = new Map<string, Subject>();
  const root = view.boxes.get(view.root)?.subject;
  if (root) subjects.set(root.name, { ...root, upstream: 0, downstream: 0, columns: 0 });
  const edges = new Map<string, GraphEdge>();
  for (const dependency of lineage.dependencies) addDependency(dependency, view.root, subjects, edges);
  return { ...await layOutNodes(view.root, [...subjects.values()], [...edges.values()]), omitted: lineage.omitted };
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
    ...ALONE, kind: "run", name: run.run_id, label: job?.name ?? run.run_id, namespace: `run ${shortenId(run.run_id)}`,
    state: run.state, writtenAt: written ?? run.ended_at,
  };
}

function sourceSubject(dataset: Named): Subject {
  return {
    ...ALONE, kind: "dataset", name: dataset.full_name, label: dataset.name, namespace: dataset.namespace,
    state: null, writtenAt: null, detail: "no known writer",
  };
}
