// The note that an answer by run leaves out runs of jobs whose write mode is not known.
import { useAnswer } from "./api.ts";
import type { Parameters } from "./address.ts";
import { JobLink, NotShown, Time } from "./components.tsx";
import type { RunSteps } from "./records.ts";
import { countOf } from "./text.ts";

const MOST = 5; // jobs that are listed

/** Asks `operation` for its steps by job, which count these runs. */
export function EarlierRuns(props: { operation: string; parameters: Parameters }) {
  const answer = useAnswer<RunSteps>(props.operation, { ...props.parameters, limit: 500 });
  if (answer.state !== "ready") return null;
  const steps = answer.value.steps.filter(({ perhaps }) => perhaps > 0);
  if (steps.length === 0) return null;
  return (
    <div class="quiet" role="note">
      <p>Only the newest run of a job is shown if its write mode is not known. Perhaps these are sources too:</p>
      <ul>
        {steps.slice(0, MOST).map(({ writer, perhaps, since }) => (
          <li>{countOf(perhaps, "earlier run")} of <JobLink job={writer} /> since <Time time={since} /></li>
        ))}
      </ul>
      <NotShown count={steps.length - Math.min(MOST, steps.length)} noun="further job" />
    </div>
  );
}
