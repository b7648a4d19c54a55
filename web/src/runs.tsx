// Runs as rows of a table.
import { firstLine, JobLink, RunLink, State, Table, Time } from "./components.tsx";
import type { JobRun } from "./records.ts";
import { showDuration } from "./text.ts";

export function RunsTable(props: { caption: string; runs: readonly JobRun[]; more?: boolean; empty: string }) {
  return (
    <Table caption={props.caption} rows={props.runs} more={props.more} empty={props.empty} columns={[
      { title: "State", cell: ({ run }) => <State state={run.state} /> },
      { title: "Run", cell: ({ run }) => <RunLink run={run.run_id} /> },
      { title: "Job", cell: ({ job }) => <JobLink job={job} /> },
      { title: "Start (UTC)", cell: ({ run }) => <Time time={run.started_at ?? run.event_time} /> },
      { title: "Duration", cell: ({ run }) => showDuration(run.started_at, run.ended_at), numeric: true },
      { title: "Error", cell: ({ run }) => <bdi>{firstLine(run)}</bdi> },
    ]} />
  );
}
