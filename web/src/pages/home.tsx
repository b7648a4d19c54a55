// The first page: search, failed runs of late, and the newest runs.
import { useAnswer } from "../api.ts";
import { Elsewhere, Loaded } from "../components.tsx";
import type { JobRun } from "../records.ts";
import { RunsTable } from "../runs.tsx";
import { Search } from "../search.tsx";

const MOST = 10;

export function HomePage() {
  const failedOnly = { state: ["FAIL", "ABORT"], limit: MOST };
  const failed = useAnswer<{ runs: JobRun[] }>("runs", failedOnly);
  const newest = useAnswer<{ runs: JobRun[] }>("runs", { limit: MOST });
  return (
    <>
      <h1>Search datasets, jobs, columns and runs</h1>
      <Search autofocus />
      <section>
        <h2>Failed runs</h2>
        <Loaded answer={failed}>
          {({ runs }) => <RunsTable caption="Failed runs, newest first" runs={runs} empty="No run failed." />}
        </Loaded>
      </section>
      <section>
        <h2>Newest runs</h2>
        <Loaded answer={newest}>
          {({ runs }) => <RunsTable caption="Runs, newest first" runs={runs} empty="The graph has no run yet. docs/tutorial.md shows the first." />}
        </Loaded>
        <a href="/runs">All runs</a>
      </section>
      <Elsewhere operation="runs" parameters={failedOnly}
        command={["lineage", "runs", "--state", "fail", "--state", "abort", "--limit", String(MOST)]} />
    </>
  );
}
