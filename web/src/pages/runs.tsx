// Runs of all jobs, by state, page by page.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { Elsewhere, Loaded } from "../components.tsx";
import type { RunList } from "../records.ts";
import { RunsTable } from "../runs.tsx";

const PAGE = 50;
const STATES = ["FAIL", "ABORT", "RUNNING", "COMPLETE"];

export function RunsPage(props: { query: URLSearchParams }) {
  const state = props.query.getAll("state").filter((each) => STATES.includes(each));
  const offset = Math.max(0, Number(props.query.get("offset")) || 0);
  // Most producers send no RUNNING between START and the end.
  const parameters = { state: state.flatMap((each) => (each === "RUNNING" ? ["START", each] : each)), limit: PAGE, offset };
  const answer = useAnswer<RunList>("runs", parameters);
  const command = ["lineage", "runs", ...state.flatMap((each) => ["--state", each.toLowerCase()]), "--limit", String(PAGE)];
  return (
    <>
      <h1>Runs</h1>
      <nav class="chips" aria-label="States">
        <a href="/runs" aria-current={state.length ? undefined : "true"}>all</a>
        {STATES.map((each) => (
          <a href={hrefOf("/runs", { state: each })} aria-current={state.includes(each) ? "true" : undefined}>{each.toLowerCase()}</a>
        ))}
      </nav>
      <Loaded answer={answer}>
        {({ runs, has_more }) => (
          <>
            <RunsTable caption="Runs, newest first" runs={runs} empty="No run." />
            <nav class="chips" aria-label="Newer and older runs">
              {offset > 0 && <a href={hrefOf("/runs", { state, offset: Math.max(0, offset - PAGE) })}>Newer</a>}
              {has_more && <a href={hrefOf("/runs", { state, offset: offset + PAGE })}>Older</a>}
            </nav>
          </>
        )}
      </Loaded>
      <Elsewhere operation="runs" parameters={parameters} {...(offset === 0 && { command })} />
    </>
  );
}
