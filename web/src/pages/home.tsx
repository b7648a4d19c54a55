// The first page: search, what failed, what is overdue, what waits, and the newest runs.
import { useAnswer } from "../api.ts";
import { Elsewhere, JobLink, Loaded, RunLink, State, Table, Time } from "../components.tsx";
import { usePendingEvents } from "../live.tsx";
import type { Overdue, RunList } from "../records.ts";
import { RunsTable } from "../runs.tsx";
import { Search } from "../search.tsx";
import { countOf } from "../text.ts";

const MOST = 10;

export function HomePage() {
  const failedOnly = { state: ["FAIL", "ABORT"], limit: MOST };
  const failed = useAnswer<RunList>("runs", failedOnly);
  const newest = useAnswer<RunList>("runs", { limit: MOST });
  const pending = usePendingEvents();
  const overdue = useAnswer<Overdue>("overdue-jobs", { limit: MOST });
  return (
    <>
      <h1>Search datasets, jobs, columns and runs</h1>
      <Search autofocus />
      {pending > 0 && <p role="status">{countOf(pending, "event")} not in the graph yet.</p>}
      <section>
        <h2>Failed runs</h2>
        <Loaded answer={failed}>
          {({ runs, has_more }) => <RunsTable caption="Failed runs, newest first" runs={runs} more={has_more} empty="No run failed." />}
        </Loaded>
      </section>
      <section>
        <h2>Overdue jobs</h2>
        <Loaded answer={overdue}>{(answer) => <OverdueTable overdue={answer} />}</Loaded>
      </section>
      <section>
        <h2>Newest runs</h2>
        <Loaded answer={newest}>
          {({ runs, has_more }) => <RunsTable caption="Runs, newest first" runs={runs} more={has_more} empty="The graph has no run yet. `make demo` and docs/tutorial show the first." />}
        </Loaded>
        <a href="/runs">All runs</a>
      </section>
      <Elsewhere operation="runs" parameters={failedOnly}
        command={["lineage", "runs", "--state", "fail", "--state", "abort", "--limit", String(MOST)]} />
    </>
  );
}

function OverdueTable(props: { overdue: Overdue }) {
  const { jobs, omitted } = props.overdue;
  return (
    <Table caption="Jobs without the run that was expected, the last expected first" rows={jobs} more={omitted} empty="No job is overdue." columns={[
      { title: "Job", cell: ({ job }) => <JobLink job={job} /> },
      { title: "Expected by (UTC)", cell: (each) => <Time time={each.expected_by} /> },
      { title: "Last run", cell: (each) => <RunLink run={each.last_run.run_id} /> },
      { title: "State", cell: (each) => <State state={each.last_run.state} /> },
      { title: "Start (UTC)", cell: (each) => <Time time={each.last_run.started_at ?? each.last_run.event_time} /> },
    ]} />
  );
}
