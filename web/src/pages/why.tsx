// Possible causes why a run failed, was late or gave a bad result: as sentences, and as ways through the runs.
import { useState } from "preact/hooks";
import { useAnswer } from "../api.ts";
import { graphHref } from "../address.ts";
import { ArchiveNote, DatasetLink, Elsewhere, JobLink, Loaded, NotShown, RunLink, State, Time } from "../components.tsx";
import { makeChart, type Chart } from "../gantt/chart.ts";
import { Gantt } from "../gantt/gantt.tsx";
import type { Cause, RootCause, RunLineage } from "../records.ts";
import { countOf, showName } from "../text.ts";

const MOST = 100;
const MAX_RUNS = 500;

export function WhyPage(props: { query: URLSearchParams }) {
  const run = props.query.get("run") ?? "";
  const parameters = { run, limit: MOST };
  const answer = useAnswer<RootCause>("root-cause", parameters);
  return (
    <>
      <h1>Causes</h1>
      <Loaded answer={answer}>{(found) => <Causes found={found} />}</Loaded>
      <Elsewhere operation="root-cause" parameters={parameters} command={["lineage", "root-cause", run, "--limit", String(MOST)]} />
    </>
  );
}

function Causes(props: { found: RootCause }) {
  const { run, jobs, causes, looked_at, unlogged, archive, omitted } = props.found;
  const [chosen, setChosen] = useState(0);
  return (
    <>
      <p>
        Run <RunLink run={run.run_id} /> of {jobs.map((job) => <JobLink job={job} />)}: <State state={run.state} />,
        ended <Time time={run.ended_at} />. {countOf(looked_at, "run")} examined.
      </p>
      {causes.length === 0 && <p>None of the runs failed, was late, or wrote less than usual.</p>}
      <ol class="causes">
        {causes.map((cause, index) => <CauseItem cause={cause} isChosen={index === chosen} choose={() => setChosen(index)} />)}
      </ol>
      <NotShown count={omitted["causes"]} noun="further cause" />
      {unlogged > 0 && <p class="quiet">The columns of {countOf(unlogged, "write")} are not compared: the log has no events of the runs.</p>}
      <ArchiveNote archive={archive} />
      <Way found={props.found} cause={causes[chosen] ?? null} />
    </>
  );
}

function CauseItem(props: { cause: Cause; isChosen: boolean; choose: () => void }) {
  const { kind, distance, run, job, dataset, reason } = props.cause;
  return (
    <li>
      <strong>{showName(kind)}</strong>: {showName(reason)}{" "}
      <button class="small" aria-pressed={props.isChosen} onClick={props.choose}>Show its way</button>
      <p class="quiet">
        Job <JobLink job={job} />, run <RunLink run={run.run_id} />
        {dataset && <>, dataset <DatasetLink dataset={dataset} /></>}
        {distance > 0 && `, ${countOf(distance, "step")} upstream`}
      </p>
    </li>
  );
}

/** The runs upstream by time, with the way from the cause to the run marked. */
function Way(props: { found: RootCause; cause: Cause | null }) {
  const { found: { run, jobs }, cause } = props;
  const answer = useAnswer<RunLineage>("run-lineage", { run: run.run_id, runs: true, limit: MAX_RUNS });
  // A run that failed wrote nothing that could be read: then the way begins at the run that read what was there before.
  const from = cause ? [cause.run.run_id, ...(cause.reader ? [cause.reader.run_id] : [])] : [];
  return (
    <section>
      <h2>{cause ? "Way from the cause to the run" : "Runs upstream"}</h2>
      <Loaded answer={answer}>
        {({ dependencies, volumes, omitted }) => {
          const chart = makeChart(run, jobs[0] ?? null, dependencies, from);
          const datasets = datasetsOn(chart, cause);
          return (
            <>
              <Gantt chart={chart} volumes={volumes} />
              <NotShown count={omitted} noun="further dependency" nouns="further dependencies" />
              {datasets[0] !== undefined && <a href={graphHref(datasets[0], datasets.slice(1))}>Graph of the datasets on the way</a>}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function datasetsOn({ links, chain }: Chart, cause: Cause | null): string[] {
  const read = links.filter(({ writer, reader }) => chain.indexOf(reader) === chain.indexOf(writer) + 1 && chain.includes(writer));
  return [...new Set([...(cause?.dataset ? [cause.dataset.full_name] : []), ...read.map(({ dataset }) => dataset.full_name)])];
}
