// The compact graph that the operations `neighbours` and `subgraph` return, with its names restored.
import type { Change, Omitted } from "../records.ts";

/** A node of the graph: a dataset, or at another level a job, a run or rows. */
export interface Subject {
  readonly kind: "dataset" | "job" | "run" | "row" | "plan"; // plan: a job in the order of jobs
  readonly name: string; // the full name, or the id of a run
  readonly namespace: string;
  readonly label: string;
  readonly firstSeen: string | null;
  readonly upstream: number;
  readonly downstream: number;
  readonly columns: number | null; // null if not known
  readonly state: string | null;
  readonly writtenAt: string | null;
  readonly rows: number | null;
  readonly tags: readonly string[];
  readonly detail?: string; // of rows: their values, or where they are; of a plan: duration and marks; of a source of runs: why it has no state
}

export interface GraphJob {
  readonly name: string; // the full name
  readonly namespace: string;
  readonly label: string;
  readonly state: string | null; // of its latest run
  readonly lastRunAt: string | null;
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  readonly job: GraphJob | null;
  readonly runs: number;
  readonly lastSeen: string;
  readonly stale: boolean;
  readonly declared: boolean;
  readonly hidden?: number; // of a path through datasets that the filters remove: their number
  readonly change?: Change | undefined; // in a comparison of two times
  readonly way?: "critical" | "cycle"; // in the order of jobs: the chain that decides the time, or a shortest way around
}

export interface ColumnEdge {
  readonly source: string;
  readonly sourceColumn: string;
  readonly target: string;
  readonly targetColumn: string | null;
  readonly direct: boolean;
  readonly masking: boolean;
}

export interface GraphFacts {
  readonly datasets: readonly Subject[];
  readonly edges: readonly GraphEdge[];
  readonly columnEdges: readonly ColumnEdge[];
  /** The number of neighbours or of column edges over the limit of the question. */
  readonly omitted?: number;
}

export interface GraphAnswer extends GraphFacts {
  readonly missing: readonly string[];
  readonly omitted: number;
  /** The full names of the datasets that the question names otherwise, by these names. */
  readonly fullNames: Readonly<Record<string, string>>;
}

type Row = readonly unknown[];

/** The answer as it is sent: rows of values, whose names are in `fields`. */
export interface CompactGraph {
  readonly fields: Readonly<Record<"datasets" | "jobs" | "edges" | "column_edges", readonly string[]>>;
  readonly namespaces: readonly string[];
  readonly datasets: readonly Row[];
  readonly jobs: readonly Row[];
  readonly edges: readonly Row[];
  readonly column_edges: readonly Row[];
  readonly missing?: readonly string[];
  readonly full_names?: Readonly<Record<string, string>>;
  readonly omitted: Omitted;
}

export function readGraph(compact: CompactGraph): GraphAnswer {
  const { fields, namespaces } = compact;
  const datasets = rowsOf(fields.datasets, compact.datasets).map((value): Subject => {
    const namespace = namespaces[value("namespace") as number] ?? "";
    const label = value("name") as string;
    return {
      kind: "dataset", namespace, label, name: joinName(namespace, label),
      firstSeen: value("first_seen") as string | null,
      upstream: value("upstream") as number, downstream: value("downstream") as number,
      columns: value("columns") as number | null, state: value("state") as string | null,
      writtenAt: value("written_at") as string | null, rows: value("rows") as number | null,
      tags: value("tags") as readonly string[],
    };
  });
  const jobs = rowsOf(fields.jobs, compact.jobs).map((value): GraphJob => {
    const namespace = namespaces[value("namespace") as number] ?? "";
    const label = value("name") as string;
    return { name: `${namespace}/${label}`, namespace, label, state: value("state") as string | null, lastRunAt: value("last_run_at") as string | null };
  });
  const nameAt = (index: unknown): string => datasets[index as number]?.name ?? "";
  const edges = rowsOf(fields.edges, compact.edges).map((value): GraphEdge => {
    return {
      source: nameAt(value("source")), target: nameAt(value("target")),
      job: jobs[(value("job") as number | null) ?? -1] ?? null, runs: value("runs") as number, lastSeen: value("last_seen") as string,
      stale: value("stale") as boolean, declared: value("declared") as boolean,
    };
  });
  const columnEdges = rowsOf(fields.column_edges, compact.column_edges).map((value): ColumnEdge => ({
    source: nameAt(value("source")), sourceColumn: value("source_column") as string,
    target: nameAt(value("target")), targetColumn: value("target_column") as string | null,
    direct: value("type") === "DIRECT", masking: value("masking") === true,
  }));
  const omitted = Object.values(compact.omitted).reduce((sum, count) => sum + count, 0);
  return { datasets, edges, columnEdges, omitted, missing: compact.missing ?? [], fullNames: compact.full_names ?? {} };
}

/** Returns the full name of a dataset; the same rule as DatasetName.full_name in lineage/naming.py. */
export function joinName(namespace: string, name: string): string {
  if (!name.startsWith("/")) return `${namespace}/${name}`;
  return namespace + (namespace.includes("://") ? "" : ":") + name;
}

function rowsOf(names: readonly string[], rows: readonly Row[]): ((name: string) => unknown)[] {
  const positions = new Map(names.map((name, position) => [name, position]));
  return rows.map((row) => (name) => row[positions.get(name) ?? -1]);
}
