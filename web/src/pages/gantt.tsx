// The runs upstream of a run as bars by time, and the chain of runs that it waited for.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { DatasetLink, Elsewhere, JobLink, Loaded, RunLink, State, Table, Time } from "../components.tsx";
import { EarlierRuns } from "../earlier-runs.tsx";
import { makeChart, type Chart } from "../gantt/chart.ts";
import { Gantt } from "../gantt/gantt.tsx";
import type { Named, Run, RunDetails, RunLineage, RunVolume } from "../records.ts";
import { countOf, shortenId, showDuration, showNumber } from "../text.ts";

const MOST = 500;

export function GanttPage(props: { query: URLSearchParams }) {
  const run = props.query.get("run") ?? "";
  const parameters = { run, runs: true, limit: MOST };
  const details = useAnswer<RunDetails>("run", { run });
  const lineage = useAnswer<RunLineage>("run-lineage", parameters);
  return (
    <>
      <h1 class="code">Runs upstream of {shortenId(run)}</h1>
      <nav class="chips" aria-label="Views">
        <a href={hrefOf("/run", { id: run })}>Run</a>
        <a href={hrefOf("/why", { run })}>Why?</a>
      </nav>
      <Loaded answer={details}>
        {({ run: root, jobs }) => (
          <Loaded answer={lineage}>{(answer) => <Charted root={root} job={jobs[0] ?? null} lineage={answer} />}</Loaded>
        )}
      </Loaded>
      <Elsewhere operation="run-lineage" parameters={parameters} command={["lineage", "query", "run", run, "--runs", "--limit", String(MOST)]} />
    </>
  );
}

function Charted(props: { root: Run; job: Named | null; lineage: RunLineage }) {
  const { dependencies, volumes, omitted } = props.lineage;
  const chart = makeChart(props.root, props.job, dependencies);
  return (
    <>
      <p>
        {countOf(chart.bars.length, "run")} of {countOf(new Set(chart.rows.map(({ job }) => job?.full_name)).size, "job")}.
        A line leads from a write to the run that read it. Bars and lines of the longest chain are thick.
        {omitted > 0 && ` ${countOf(omitted, "further dependency", "further dependencies")} not shown.`}
      </p>
      <EarlierRuns operation="run-lineage" parameters={{ run: props.root.run_id }} />
      <Gantt chart={chart} volumes={volumes} />
      <h2>Longest chain</h2>
      <p class="quiet">From each run to the run whose write it read last. The wait is the time from that write to the start of the reader.</p>
      <ChainTable chart={chart} volumes={volumes} />
    </>
  );
}

function ChainTable(props: { chart: Chart; volumes: readonly RunVolume[] }) {
  const { chart: { bars, links, chain } } = props;
  const rows = chain.map((id, index) => {
    const bar = bars.find(({ run }) => run.run_id === id);
    const link = links.find(({ writer, reader }) => writer === chain[index - 1] && reader === id);
    return { bar, link, volume: props.volumes.find(({ run_id }) => run_id === id) };
  });
  return (
    <Table caption={`${countOf(rows.length, "run")}, the first to start first`} rows={rows} empty="No run." columns={[
      { title: "Run", cell: ({ bar }) => bar && <RunLink run={bar.run.run_id} /> },
      { title: "Job", cell: ({ bar }) => <JobLink job={bar?.job ?? null} /> },
      { title: "State", cell: ({ bar }) => bar && <State state={bar.run.state} /> },
      { title: "Waited for", cell: ({ link }) => (link ? <DatasetLink dataset={link.dataset} most={40} /> : "—") },
      { title: "Wait", numeric: true, cell: ({ bar, link }) => (bar && link ? describeWait(link.written, bar.start) : "") },
      { title: "Rows read", numeric: true, cell: ({ volume }) => showNumber(volume?.rows_read ?? null) },
      { title: "Rows written", numeric: true, cell: ({ volume }) => showNumber(volume?.rows_written ?? null) },
      { title: "Start (UTC)", cell: ({ bar }) => <Time time={bar?.run.started_at ?? null} /> },
      { title: "Duration", numeric: true, cell: ({ bar }) => bar && showDuration(bar.run.started_at, bar.run.ended_at) },
    ]} />
  );
}

function describeWait(written: number, start: number): string {
  if (start < written) return "none";
  return showDuration(new Date(written).toISOString(), new Date(start).toISOString());
}
