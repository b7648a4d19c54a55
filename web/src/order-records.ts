// The answers of the operations `plan` and `sources`.
import type { Named, Omitted } from "./records.ts";

/** A job of the order of jobs. */
export interface OrderedJob {
  readonly level: number | null; // null if there is a cycle
  readonly job: string;
  readonly type: string | null;
  readonly after: readonly string[]; // jobs directly before it
  readonly seconds: number | null;
  readonly seconds_p90: number | null;
  readonly slack: number | null;
  readonly starts: number | null;
  readonly last_successful_run: string | null;
  readonly own: readonly string[];
  readonly declared: boolean;
  readonly stale: string | null;
}

export interface OrderReason {
  readonly dataset: string;
  readonly first_seen: string;
  readonly written: string;
  readonly read: string;
  readonly declared: boolean;
  readonly view: string | null;
}

/** Which jobs must run before which; names are full names. */
export interface JobOrder {
  readonly since: string;
  readonly until: string;
  readonly jobs: readonly OrderedJob[];
  readonly edges: readonly {
    readonly before: string; readonly after: string; readonly implied: boolean | null; readonly reasons: readonly OrderReason[];
  }[];
  readonly cycles: readonly {
    readonly jobs: readonly string[];
    readonly steps: readonly {
      readonly before: string; readonly after: string; readonly datasets: readonly string[]; readonly days: number; readonly days_after: number;
    }[];
    readonly feedback: string | null;
  }[];
  readonly levels: readonly (readonly string[])[];
  readonly width: number;
  readonly critical_path: readonly string[];
  readonly critical_seconds: number;
  readonly work: number;
  readonly workers: number | null;
  readonly seconds: number | null;
  readonly isolated: readonly string[];
  readonly shared_outputs: readonly {
    readonly dataset: string; readonly job: string; readonly last_written: string; readonly modes: readonly string[];
  }[];
  readonly omitted_jobs: readonly { readonly job: string; readonly reason: string }[];
  readonly feedback: readonly { readonly dataset: string; readonly pairs: number }[];
  readonly omitted: Omitted;
}

/** A dataset that no run wrote, and the products that depend on it. */
export interface RankedSource {
  readonly dataset: Named;
  readonly products: number;
  readonly alone: readonly Named[]; // products that depend on no other source
  readonly reads: number;
  readonly readers: number;
  readonly last_read: string | null;
  readonly columns: number;
  readonly columns_used: number | null; // null if a job that reads it reports no columns
  readonly owners: readonly string[];
  readonly tags: readonly string[];
  readonly cost: number | null;
  readonly unused: string | null;
}

export interface SourceRanking {
  readonly since: string;
  readonly until: string;
  readonly products: number;
  readonly sources: readonly RankedSource[];
  readonly omitted: number;
}
