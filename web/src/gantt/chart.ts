// Runs as bars by time: their rows, and the chain of runs that the last one waited for.
import type { Named, Run, RunDependency } from "../records.ts";

export interface Bar {
  readonly run: Run;
  readonly job: Named | null;
  readonly row: number;
  readonly start: number; // milliseconds
  readonly end: number;
  readonly isOpen: boolean; // no event reported its start or its end
}

export interface Link {
  readonly writer: string;
  readonly reader: string;
  readonly dataset: Named;
  readonly written: number; // milliseconds
}

export interface Chart {
  readonly bars: readonly Bar[]; // by row, then by start
  readonly rows: readonly { readonly job: Named | null; readonly lane: number }[];
  readonly links: readonly Link[];
  readonly chain: readonly string[]; // ids of runs, the root last
  readonly start: number;
  readonly end: number;
}

/**
 * Lays out the runs upstream of a run: a row for each job, further rows for its runs that overlap. The chain is that
 * from the first run of `from` that is among them; without one, the longest.
 */
export function makeChart(
  root: Run, job: Named | null, dependencies: readonly RunDependency[], from: readonly string[] = [],
): Chart {
  const runs = new Map<string, { run: Run; job: Named | null }>([[root.run_id, { run: root, job }]]);
  const links: Link[] = [];
  for (const { writer, reader, job: writerJob, dataset, written } of dependencies) {
    if (!writer || !reader) continue;
    runs.set(writer.run_id, { run: writer, job: runs.get(writer.run_id)?.job ?? writerJob });
    const at = toMilliseconds(written ?? writer.ended_at ?? writer.event_time);
    if (at !== null) links.push({ writer: writer.run_id, reader: reader.run_id, dataset, written: at });
  }
  const known = [...runs.values()].flatMap(({ run }) => [run.started_at, run.ended_at, run.event_time]).map(toMilliseconds);
  const times = known.filter((time) => time !== null);
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const placed = placeBars([...runs.values()], end);
  const begin = from.find((run) => runs.has(run));
  const chain = begin === undefined ? longestChain(root.run_id, links) : shortestChain(begin, root.run_id, links);
  return { ...placed, links, chain, start, end };
}

/** Returns the runs of which each waited for the one before: of the writes that a run read, the last. */
function longestChain(root: string, links: readonly Link[]): string[] {
  const byReader = Map.groupBy(links, (link) => link.reader);
  const chain = [root];
  for (let run = root; ;) {
    const last = (byReader.get(run) ?? []).reduce<Link | null>((latest, link) => (
      chain.includes(link.writer) || (latest && latest.written >= link.written) ? latest : link
    ), null);
    if (!last) return chain.reverse();
    chain.push(last.writer);
    run = last.writer;
  }
}

/** Returns the runs on a shortest way from one run to a run that read its writes, directly or not. */
function shortestChain(from: string, to: string, links: readonly Link[]): string[] {
  const byWriter = Map.groupBy(links, (link) => link.writer);
  const before = new Map<string, string | null>([[from, null]]);
  const open = [from];
  for (let run = open.shift(); run !== undefined && run !== to; run = open.shift()) {
    for (const { reader } of byWriter.get(run) ?? []) {
      if (before.has(reader)) continue;
      before.set(reader, run);
      open.push(reader);
    }
  }
  const chain: string[] = [];
  for (let run: string | null = before.has(to) ? to : from; run !== null; run = before.get(run) ?? null) chain.push(run);
  return chain.reverse();
}

function placeBars(runs: readonly { run: Run; job: Named | null }[], end: number): Pick<Chart, "bars" | "rows"> {
  const timed = runs.map(({ run, job }) => {
    const [from, to] = [toMilliseconds(run.started_at), toMilliseconds(run.ended_at)];
    const event = toMilliseconds(run.event_time) ?? end;
    return { run, job, start: from ?? Math.min(to ?? event, event), end: to ?? (run.state === "RUNNING" ? end : event), isOpen: from === null || to === null };
  });
  const jobs = [...Map.groupBy(timed, ({ job }) => job?.full_name ?? "")]
    .map(([, bars]) => bars.toSorted((a, b) => a.start - b.start || (a.run.run_id < b.run.run_id ? -1 : 1)))
    .sort((a, b) => a[0]!.start - b[0]!.start);
  const rows: { job: Named | null; lane: number }[] = [];
  const bars: Bar[] = [];
  for (const ofJob of jobs) {
    const lanes: number[] = []; // the end of the last bar of each
    const first = rows.length;
    for (const bar of ofJob) {
      const free = lanes.findIndex((last) => last <= bar.start);
      const lane = free < 0 ? lanes.length : free;
      if (free < 0) rows.push({ job: bar.job, lane });
      lanes[lane] = Math.max(bar.end, bar.start + 1);
      bars.push({ ...bar, row: first + lane });
    }
  }
  return { bars, rows };
}

function toMilliseconds(time: string | null): number | null {
  if (time === null) return null;
  const milliseconds = new Date(time).getTime();
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
