// A run: its state, its error, the datasets it read and wrote, and its parents and children.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { Checks } from "../checks.tsx";
import { DatasetLink, Elsewhere, JobLink, Loaded, LongText, NotShown, RunLink, SqlOfJob, State, Table, Time } from "../components.tsx";
import { joinFacet } from "../facets.ts";
import { accessKind, facetText, type Access, type Facets, type JobDetails, type Named, type RecordedItems, type RunDetails } from "../records.ts";
import { showDuration, showName, showNumber } from "../text.ts";

export function RunPage(props: { query: URLSearchParams }) {
  const run = props.query.get("id") ?? "";
  const answer = useAnswer<RunDetails>("run", { run });
  return (
    <>
      <Loaded answer={answer}>{(details) => <Details details={details} />}</Loaded>
      <Elsewhere operation="run" parameters={{ run }} command={["lineage", "show", run]} />
    </>
  );
}

function Details(props: { details: RunDetails }) {
  const { run, jobs, parents, children, facets, accesses, checks, omitted } = props.details;
  const nominal = joinFacet(facets, "nominalTime", ["nominalStartTime", "nominalEndTime"], " to ");
  const engine = joinFacet(facets, "processing_engine", ["name", "version"], " ");
  return (
    <>
      <h1 class="code">Run {showName(run.run_id)}</h1>
      <p><State state={run.state} /> {jobs.map((job) => <JobLink job={job} />)}</p>
      <nav class="chips" aria-label="Views">
        <a href={hrefOf("/why", { run: run.run_id })}>Why?</a>
        <a href={hrefOf("/gantt", { run: run.run_id })}>Runs upstream by time</a>
        <a href={hrefOf("/compare", { after: run.run_id })}>Compare with another run</a>
        <ItemsLink run={run.run_id} />
      </nav>
      <dl>
        <dt>Start (UTC)</dt><dd><Time time={run.started_at} /></dd>
        <dt>End (UTC)</dt><dd><Time time={run.ended_at} /></dd>
        <dt>Duration</dt><dd>{showDuration(run.started_at, run.ended_at) || "—"}</dd>
        {nominal && <><dt>Nominal time</dt><dd>{showName(nominal)}</dd></>}
        {engine && <><dt>Engine</dt><dd>{showName(engine)}</dd></>}
        <dt>Parents</dt><dd><Runs runs={parents} more={omitted["parents"]} /></dd>
        <dt>Children</dt><dd><Runs runs={children} more={omitted["children"]} /></dd>
      </dl>
      {run.error !== null && <LongText title="Error" text={run.error} open />}
      {jobs.map((job) => <Sql job={job} />)}
      {["Read", "Wrote", "Altered", "Truncated", "Dropped", "Writes", "Was to write"].map((title) => <AccessTable title={title} accesses={accesses} />)}
      <NotShown count={omitted["accesses"]} noun="further dataset that it read or wrote" nouns="further datasets that it read or wrote" />
      <Checks checks={checks} of="run" more={omitted["checks"]} />
    </>
  );
}

/** Leads to the recorded items of a run that has any. */
function ItemsLink(props: { run: string }) {
  const answer = useAnswer<RecordedItems>("record-items", { run: props.run, limit: 1 });
  if (answer.state !== "ready" || answer.value.nodes.length === 0) return null;
  return <a href={hrefOf("/items", { run: props.run })}>Recorded items</a>;
}

function Runs(props: { runs: readonly string[]; more: number | undefined }) {
  if (props.runs.length === 0) return <>—</>;
  return <>{props.runs.map((run) => <><RunLink run={run} /> </>)}<NotShown count={props.more} noun="further run" /></>;
}

/** The statement of a job of the run; events report it for the job. */
function Sql(props: { job: Named }) {
  const answer = useAnswer<JobDetails>("job", { job: props.job.full_name });
  return answer.state === "ready" ? <SqlOfJob facets={answer.value.facets} /> : null;
}

function AccessTable(props: { title: string; accesses: readonly Access[] }) {
  const kind = props.title.toLowerCase();
  const rows = props.accesses.filter((access) => accessKind(access) === kind);
  if (rows.length === 0 && kind !== "read" && kind !== "wrote") return null;
  return (
    <section>
      <h2>{props.title}</h2>
      <Table caption={`Datasets: ${kind}`} rows={rows} empty="No dataset." columns={[
        { title: "Dataset", cell: ({ dataset }) => <DatasetLink dataset={dataset} /> },
        { title: "Version", cell: ({ facets }) => showName(facetText(facets, "version", "datasetVersion")) },
        { title: "Rows", cell: (access) => showNumber(statistic(access, "rowCount")), numeric: true },
        { title: "Bytes", cell: (access) => showNumber(statistic(access, "size")), numeric: true },
      ]} />
    </section>
  );
}

function statistic(access: Access, key: string): number | null {
  const facet = access.facets[access.is_output ? "outputStatistics" : "inputStatistics"] as Facets | undefined;
  const value = facet?.[key];
  return typeof value === "number" ? value : null;
}
