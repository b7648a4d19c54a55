// Possible causes why a run failed, was late or gave a bad result, as sentences.
import { useAnswer } from "../api.ts";
import { DatasetLink, Elsewhere, JobLink, Loaded, RunLink, State, Time } from "../components.tsx";
import type { Cause, RootCause } from "../records.ts";
import { countOf, showName } from "../text.ts";

const MOST = 100;

export function WhyPage(props: { query: URLSearchParams }) {
  const run = props.query.get("run") ?? "";
  const parameters = { run, limit: MOST };
  const answer = useAnswer<RootCause>("root-cause", parameters);
  return (
    <>
      <h1>Causes</h1>
      <Loaded answer={answer}>{(found) => <Causes found={found} />}</Loaded>
      <Elsewhere operation="root-cause" parameters={parameters} command={["lineage", "root-cause", run]} />
    </>
  );
}

function Causes(props: { found: RootCause }) {
  const { run, jobs, causes, looked_at, omitted } = props.found;
  const hidden = omitted["causes"] ?? 0;
  return (
    <>
      <p>
        Run <RunLink run={run.run_id} /> of {jobs.map((job) => <JobLink job={job} />)}: <State state={run.state} />,
        ended <Time time={run.ended_at} />. {countOf(looked_at, "run")} examined.
      </p>
      {causes.length === 0 && <p>None of the runs failed, was late, or wrote less than usual.</p>}
      <ol class="causes">{causes.map((cause) => <CauseItem cause={cause} />)}</ol>
      {hidden > 0 && <p class="quiet">{countOf(hidden, "further cause")} not shown.</p>}
    </>
  );
}

function CauseItem(props: { cause: Cause }) {
  const { kind, distance, run, job, dataset, reason } = props.cause;
  return (
    <li>
      <strong>{showName(kind)}</strong>: {showName(reason)}
      <p class="quiet">
        Job <JobLink job={job} />, run <RunLink run={run.run_id} />
        {dataset && <>, dataset <DatasetLink dataset={dataset} /></>}
        {distance > 0 && `, ${countOf(distance, "step")} upstream`}
      </p>
    </li>
  );
}
