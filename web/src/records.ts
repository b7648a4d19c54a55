// The answers of the read API, as far as the page uses them. docs/reference/collector.md has them all.

export interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly full_name: string;
}

export interface Run {
  readonly run_id: string;
  readonly state: string | null;
  readonly event_time: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly error: string | null;
}

export interface JobRun {
  readonly run: Run;
  readonly job: Named | null;
}

export interface RunList<Listed = JobRun> {
  readonly runs: readonly Listed[];
  readonly has_more: boolean;
}

export interface Access extends JobRun {
  readonly dataset: Named;
  readonly is_output: boolean;
  readonly facets: Facets;
  readonly committed: boolean;
}

const CHANGES: Readonly<Record<string, string>> = { alter: "altered", truncate: "truncated", drop: "dropped" };

/** Returns what a run does to a dataset; the same rule as Access.access_kind in lineage/query/run_history.py. */
export function accessKind({ run, is_output, committed, facets }: Access): string {
  if (!is_output) return "read";
  const mode = facetText(facets, "lineage_write", "mode") || facetText(facets, "lifecycleStateChange", "lifecycleStateChange");
  if (committed) return CHANGES[mode.toLowerCase()] ?? "wrote";
  return run.state === "FAIL" || run.state === "ABORT" ? "was to write" : "writes";
}

export type Facets = Readonly<Record<string, unknown>>;

/** Returns a value of a facet as a text, empty if there is none. */
export function facetText(facets: Facets, facet: string, key: string): string {
  const value = (facets[facet] as Facets | undefined)?.[key];
  return value === undefined || value === null ? "" : String(value);
}

export type Omitted = Readonly<Record<string, number>>;

/** Returns how many entries of some lists an answer leaves out. */
export function countOmitted(omitted: Omitted, ...lists: readonly string[]): number {
  return lists.reduce((sum, list) => sum + (omitted[list] ?? 0), 0);
}

/** The rank of a dataset when ranks were last stored. */
export interface StoredRank {
  readonly rank: number;
  readonly position: number;
  readonly total: number;
  readonly dependents: number;
  readonly as_of: string;
}

/** A node of a graph model. */
export interface Asset {
  readonly node_id: string;
  readonly system: string;
  readonly node_type: string;
  readonly display_name: string;
  readonly environment: string | null;
  readonly url: string | null;
}

/** The result of a data quality check; `success` is null if it is not known. */
export interface Check {
  readonly dataset: Named | null;
  readonly job: Named | null;
  readonly checked_at: string | null;
  readonly assertion: string | null;
  readonly name: string | null;
  readonly column: string | null;
  readonly success: boolean | null;
  readonly severity: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
}

export interface DatasetDetails {
  readonly dataset: Named;
  readonly aliases: readonly string[];
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly tags: readonly string[];
  readonly facets: Facets;
  readonly written_by: readonly Named[];
  readonly read_by: readonly Named[];
  readonly declared_written_by: readonly Named[];
  readonly declared_read_by: readonly Named[];
  readonly checks: readonly Check[];
  readonly assets: readonly Asset[];
  readonly rank: StoredRank | null;
  readonly omitted: Omitted;
}

export interface JobDetails {
  readonly job: Named;
  readonly type: string | null;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly facets: Facets;
  readonly inputs: readonly Named[];
  readonly outputs: readonly Named[];
  readonly declared_inputs: readonly Named[];
  readonly declared_outputs: readonly Named[];
  readonly assets: readonly Asset[];
  readonly omitted: Omitted;
}

export interface RunDetails {
  readonly run: Run;
  readonly jobs: readonly Named[];
  readonly parents: readonly string[];
  readonly children: readonly string[];
  readonly facets: Facets;
  readonly accesses: readonly Access[];
  readonly checks: readonly Check[];
  readonly omitted: Omitted;
}

export interface Field {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
  readonly fields?: readonly Field[];
}

export interface ImpactedDataset {
  readonly dataset: Named;
  readonly distance: number;
  readonly columns: readonly string[];
  readonly owners: readonly string[];
  readonly last_written: string | null;
  readonly last_read: string | null;
  readonly reads: number;
  readonly stale: boolean;
}

export interface ImpactedJob {
  readonly job: Named;
  readonly distance: number;
  readonly owners: readonly string[];
  readonly inputs: readonly { last_read: string | null; stale: boolean }[];
}

export interface Impact {
  readonly since: string | null;
  readonly until: string | null;
  readonly datasets: readonly ImpactedDataset[];
  readonly datasets_omitted: number;
  readonly jobs: readonly ImpactedJob[];
  readonly jobs_omitted: number;
  readonly unreported: readonly { source: Named; job: Named | null; target: Named | null }[];
  readonly unreported_omitted: number;
  readonly archive: RunArchive | null;
}

export interface Cause {
  readonly kind: string;
  readonly distance: number;
  readonly run: Run;
  readonly job: Named;
  readonly dataset: Named | null;
  readonly reader: Run | null;
  readonly reason: string;
}

export interface RootCause {
  readonly run: Run;
  readonly jobs: readonly Named[];
  readonly causes: readonly Cause[];
  readonly looked_at: number;
  readonly unlogged: number;
  readonly archive: RunArchive | null;
  readonly omitted: Omitted;
}

export interface Edge {
  readonly source: Named;
  readonly target: Named;
  readonly job: Named | null;
  readonly runs: number;
  readonly last_seen: string;
  readonly declared: boolean;
}

export interface Paths {
  readonly source: Named;
  readonly target: Named;
  readonly reverse: boolean;
  readonly length: number | null;
  readonly nodes: readonly { readonly dataset: Named; readonly distance: number }[];
  readonly edges: readonly Edge[];
  readonly omitted: Omitted;
}

export type Change = "added" | "removed" | "changed" | "unknown";

export interface Difference {
  readonly part: "run" | "job" | "input" | "output";
  readonly dataset: Named | null;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface RunDiff {
  readonly before: Run;
  readonly after: Run;
  readonly differences: readonly Difference[];
  readonly unlogged: readonly string[];
  readonly omitted: Omitted;
  readonly archive: RunArchive | null;
}

export interface Write {
  readonly dataset: Named;
  readonly run: Run;
  readonly job: Named;
  readonly written: string;
  readonly rows: number | null;
  readonly exact: boolean;
}

export interface SchemaChange {
  readonly dataset: Named;
  readonly before_known: boolean;
  readonly after_known: boolean;
  readonly columns: readonly {
    readonly change: Change; readonly name: string; readonly before: string | null; readonly after: string | null;
  }[];
}

export interface DatasetDiff {
  readonly root: Named;
  readonly start: string;
  readonly end: string;
  readonly datasets: readonly { readonly change: Change; readonly dataset: Named }[];
  readonly jobs: readonly { readonly change: Change; readonly job: Named }[];
  readonly writes: readonly { readonly change: Change; readonly write: Write }[];
  readonly schemas: readonly SchemaChange[];
  readonly rows: readonly { readonly dataset: Named; readonly before: Write; readonly after: Write }[];
  readonly unchanged: number;
  readonly log_from: string | null;
  readonly omitted: Omitted;
  readonly archive: RunArchive | null;
}

export interface LoggedEvent {
  readonly received_at: string;
  readonly run_id: string | null;
  readonly job_namespace: string | null;
  readonly job: string | null;
  readonly reason: string | null;
}

export type Counts = Readonly<Record<string, number>>;

export interface Stats {
  readonly vertices: Counts;
  readonly edges: Counts;
  readonly runs: Counts;
  readonly events: number;
  readonly sizes: Counts;
  readonly components: number;
  readonly largest_component: number;
  readonly isolated: number;
  readonly window_days: number;
  readonly sources: number;
  readonly most_downstream: readonly { readonly dataset: Named; readonly downstream: number; readonly reads: number }[];
}

export interface Orphans {
  readonly orphans: readonly { readonly kind: string; readonly entity: Named; readonly last_seen: string | null }[];
  readonly counts: Counts;
}

export interface Cycles {
  readonly components: readonly { readonly datasets: readonly Named[]; readonly path: readonly Named[] }[];
  readonly total: number;
  readonly cycles: number;
  readonly self_loops: number;
}

export interface CannedQuery {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly string[];
  readonly text: string;
}

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly omitted: number;
}

export interface DatasetColumn {
  readonly name: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly upstream: number;
  readonly upstream_direct: number;
  readonly downstream: number;
  readonly downstream_direct: number;
}

export interface DatasetColumns {
  readonly dataset: Named;
  readonly columns: readonly DatasetColumn[];
  readonly omitted: number;
}

/** What is upstream or downstream of a dataset, as far as filters do not remove it. */
export interface DatasetTrace {
  readonly nodes: readonly { readonly dataset: Named }[];
  readonly collapsed_paths: readonly CollapsedPath[];
  readonly omitted: number;
}

/** A path through datasets that filters remove; `near` is the end closer to the root. */
export interface CollapsedPath {
  readonly near: Named;
  readonly far: Named;
  readonly filtered_out: number;
}

export type Job = Named;

/** A read of a dataset, and a run whose write was visible to it. */
export interface RunDependency {
  readonly distance: number;
  readonly reader: Run | null;
  readonly dataset: Named;
  readonly writer: Run | null;
  readonly job: Job | null;
  readonly written: string | null;
  readonly exact: boolean | null;
}

export interface RunVolume {
  readonly run_id: string;
  readonly job: Named | null;
  readonly rows_read: number | null;
  readonly rows_written: number | null;
}

export interface RunLineage {
  readonly root: Run | Named;
  readonly dependencies: readonly RunDependency[];
  readonly volumes: readonly RunVolume[];
  readonly omitted: number;
}

/** Run lineage by job. `perhaps`: further runs of the writer, which its newest run may have replaced. */
export interface RunSteps {
  readonly steps: readonly { readonly writer: Job | null; readonly perhaps: number; readonly since: string | null }[];
}

/** Writes, failed runs and changes of edges by time; times of changes come newest first. */
export interface Timeline {
  readonly start: string | null;
  readonly end: string | null;
  readonly bins: readonly (readonly [start: string, writes: number, failed: number, changes: number])[];
  readonly changes: readonly (readonly [time: string, added: number, removed: number])[];
  readonly omitted: Omitted;
  readonly archive: RunArchive | null;
}

/** Runs that ended before a time are in an event lake, and not in the graph. */
export interface RunArchive {
  readonly before: string;
  readonly lakes: readonly string[];
}

/** A run in numbers; `expected` has the least and the greatest usual value, null if too few runs came before. */
export interface RunFigures {
  readonly run: Run;
  readonly duration: number | null; // seconds
  readonly expected: readonly [low: number, high: number] | null;
  readonly outputs: readonly {
    readonly dataset: Named; readonly rows: number | null; readonly expected: readonly [low: number, high: number] | null;
  }[];
}

export interface JobHistory {
  readonly job: Named;
  readonly runs: readonly RunFigures[];
  readonly archive: RunArchive | null;
}

/** A job whose last run began longer ago than is usual. */
export interface Overdue {
  readonly time: string;
  readonly jobs: readonly { readonly job: Named; readonly last_run: Run; readonly expected_by: string }[];
  readonly omitted: number;
}

export type RowValues = Readonly<Record<string, unknown>>;

/** A question about rows of a dataset, and how exact its answer is. */
export interface SavedTrace {
  readonly trace_id: string;
  readonly dataset: string;
  readonly run: string | null;
  readonly columns: readonly string[];
  readonly condition: string | null; // null if values were not saved
  readonly way: string;
  readonly fidelity: string;
  readonly reasons: readonly string[];
  readonly rows: number;
  readonly counts: readonly {
    readonly hop: number; readonly target: string; readonly source: string; readonly rows: number; readonly saved: number;
  }[];
  readonly reproduced: boolean | null; // null if it was not checked
  readonly saved_at: string;
}

export interface SavedTraces {
  readonly traces: readonly SavedTrace[];
  readonly omitted: number;
}

/** A contributing row, by its position or by its key. */
export interface Witness {
  readonly hop: number;
  readonly target: string;
  readonly source: string;
  readonly file: string | null;
  readonly row_index: number | null;
  readonly key: string;
  readonly values: RowValues | null;
}

export interface TraceDetails {
  readonly trace: SavedTrace;
  readonly values: readonly RowValues[];
  readonly witnesses: readonly Witness[];
}

/** An item at one node of a run. */
export interface ItemHop {
  readonly node_id: string;
  readonly outcome: readonly string[];
  readonly cardinality: string;
  readonly output_emission_count: number | null;
  readonly retry_count: number | null;
  readonly error: string | null;
}

export interface RecordedItem {
  readonly correlation_id: string;
  readonly outcome: readonly string[];
  readonly hops: readonly ItemHop[];
}

export interface RecordedItems {
  readonly nodes: readonly {
    readonly node_id: string; readonly rows_in: number; readonly rows_out: number; readonly outcomes: Readonly<Record<string, number>>;
  }[];
  readonly items: readonly RecordedItem[];
  readonly omitted: number;
}
