// A dataset: its names, its columns, its jobs, and its runs.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { AssetsList } from "../assets.tsx";
import { ArchiveNote, Elsewhere, firstLine, JobLink, Lines, Loaded, Name, NotShown, RunLink, State, Table, Time } from "../components.tsx";
import { ColumnsTable } from "../columns.tsx";
import { Checks } from "../checks.tsx";
import { ownersOf } from "../facets.ts";
import { HistoryBars } from "../history.tsx";
import {
  accessKind, countOmitted, facetText, type Access, type DatasetDetails, type Named, type RunArchive, type SavedTraces, type StoredRank,
} from "../records.ts";
import { countOf, shortenName, showName, showNumber } from "../text.ts";

const MAX_RUNS = 20;
const MAX_TRACES = 20;
const MAX_WRITERS = 3; // whose runs are drawn

export function DatasetPage(props: { query: URLSearchParams }) {
  const name = props.query.get("name") ?? "";
  const parameters = { dataset: name };
  const answer = useAnswer<DatasetDetails>("dataset", parameters);
  return (
    <>
      <Loaded answer={answer}>{(details) => <Details name={name} details={details} column={props.query.get("column")} />}</Loaded>
      <Elsewhere operation="dataset" parameters={parameters} command={["lineage", "show", name]} />
    </>
  );
}

function Details(props: { name: string; details: DatasetDetails; column: string | null }) {
  const { dataset, aliases, tags, facets, first_seen, last_seen, omitted } = props.details;
  const { full_name } = dataset;
  return (
    <>
      <h1><Name name={dataset.name} most={90} /></h1>
      <p class="quiet"><Name name={dataset.namespace} /></p>
      <nav class="chips" aria-label="Views">
        <a href={hrefOf("/graph", { root: full_name })}>Graph</a>
        <a href={hrefOf("/impact", { dataset: full_name })}>Impact</a>
        <a href={hrefOf("/order", { name: full_name })}>Jobs that make it fresh</a>
        <a href={hrefOf("/columns", { name: full_name })}>All columns</a>
        <a href={hrefOf("/path", { from: full_name })}>Paths from here</a>
        <a href={hrefOf("/compare", { dataset: full_name })}>Compare two times</a>
      </nav>
      <dl>
        <dt>Description</dt><dd><Lines text={facetText(facets, "documentation", "description") || "—"} /></dd>
        <dt>Seen (UTC)</dt><dd><Time time={first_seen} /> to <Time time={last_seen} /></dd>
        <dt>Tags</dt><dd>{tags.map(showName).join(", ") || "—"}</dd>
        <dt>Owners</dt><dd>{ownersOf(facets).map(showName).join(", ") || "—"}</dd>
        {props.details.rank && <><dt>Rank</dt><dd><Rank rank={props.details.rank} /></dd></>}
        {props.details.assets.length > 0 && <><dt>Assets</dt><dd><AssetsList assets={props.details.assets} /></dd></>}
        <dt>Other names</dt><dd>{aliases.length ? aliases.map((alias) => <div><Name name={alias} /></div>) : "—"}<NotShown count={omitted["aliases"]} noun="further name" /></dd>
      </dl>
      <JobsList title="Written by" jobs={props.details.written_by} declared={props.details.declared_written_by}
        more={countOmitted(omitted, "written_by", "declared_written_by")} />
      <JobsList title="Read by" jobs={props.details.read_by} declared={props.details.declared_read_by}
        more={countOmitted(omitted, "read_by", "declared_read_by")} />
      <Checks checks={props.details.checks} of="dataset" more={omitted["checks"]} />
      <ColumnsTable dataset={full_name} facets={facets} column={props.column} />
      <History name={props.name} dataset={dataset} writers={props.details.written_by} more={countOmitted(omitted, "written_by")} />
      <Traces dataset={props.name} />
    </>
  );
}

function Rank({ rank }: { rank: StoredRank }) {
  return <>{showNumber(rank.position)} of {showNumber(rank.total)}, {countOf(rank.dependents, "dependent")} (as of <Time time={rank.as_of} />)</>;
}

function JobsList(props: { title: string; jobs: readonly Named[]; declared: readonly Named[]; more: number }) {
  return (
    <section>
      <h2>{props.title}</h2>
      {props.jobs.length + props.declared.length === 0 && <p class="quiet">No job.</p>}
      <ul>
        {props.jobs.map((job) => <li><JobLink job={job} /></li>)}
        {props.declared.map((job) => <li><JobLink job={job} /> <small>declared</small></li>)}
      </ul>
      <NotShown count={props.more} noun="further job" />
    </section>
  );
}

function History(props: { name: string; dataset: Named; writers: readonly Named[]; more: number }) {
  const parameters = { dataset: props.name, limit: MAX_RUNS };
  const answer = useAnswer<{ accesses: Access[]; has_more: boolean; archive: RunArchive | null }>("dataset-runs", parameters);
  return (
    <section>
      <h2>Runs</h2>
      <Loaded answer={answer}>
        {({ accesses, has_more, archive }) => (<>
          {newestFirst(props.writers, accesses).slice(0, MAX_WRITERS).map((job) => (
            <section aria-label={`Runs of ${shortenName(job.full_name)}`}>
              <h3><JobLink job={job} /></h3>
              <HistoryBars job={job.full_name} dataset={props.dataset.full_name} />
            </section>
          ))}
          <NotShown count={Math.max(0, props.writers.length - MAX_WRITERS) + props.more} noun="further job that writes it" nouns="further jobs that write it" />
          <Dropped access={accesses.find(({ committed }) => committed)} />
          <Table caption="Runs that wrote or read it, newest first" rows={accesses} more={has_more} empty="No run." columns={[
            { title: "Access", cell: accessKind },
            { title: "State", cell: ({ run }) => <State state={run.state} /> },
            { title: "Run", cell: ({ run }) => <RunLink run={run.run_id} /> },
            { title: "Job", cell: ({ job }) => <JobLink job={job} /> },
            { title: "Time (UTC)", cell: ({ run }) => <Time time={run.ended_at ?? run.event_time} /> },
            { title: "Rows", cell: (access) => showNumber(rowCount(access)), numeric: true },
            { title: "Error", cell: ({ run }) => <bdi>{firstLine(run)}</bdi> },
          ]} />
          {!has_more && <ArchiveNote archive={archive} />}
        </>)}
      </Loaded>
    </section>
  );
}

/** Returns jobs in the order of their newest runs, the others last. */
function newestFirst(writers: readonly Named[], accesses: readonly Access[]): Named[] {
  const names = accesses.filter(({ is_output }) => is_output).map(({ job }) => job?.full_name);
  const place = ({ full_name }: Named) => names.indexOf(full_name) + 1 || Infinity;
  return writers.toSorted((one, other) => place(one) - place(other) || 0);
}

/** The note that the newest change of the dataset dropped it. */
function Dropped({ access }: { access: Access | undefined }) {
  if (!access || accessKind(access) !== "dropped") return null;
  return <p><strong>Dropped</strong> <Time time={access.run.ended_at ?? access.run.event_time} /> (UTC) by run <RunLink run={access.run.run_id} />.</p>;
}

/** Traces of rows that people saved, if there are any. */
function Traces(props: { dataset: string }) {
  const answer = useAnswer<SavedTraces>("record-traces", { dataset: props.dataset, limit: MAX_TRACES });
  if (answer.state !== "ready" || answer.value.traces.length === 0) return null;
  return (
    <section>
      <h2>Saved traces of rows</h2>
      <Table caption="Saved traces, newest first" rows={answer.value.traces} empty="" more={answer.value.omitted} columns={[
        {
          title: "Rows", cell: ({ trace_id, rows, columns }) => (
            <a href={hrefOf("/record", { trace: trace_id })}>{countOf(rows, "row")} by {columns.map(showName).join(", ") || "a condition"}</a>
          ),
        },
        { title: "Fidelity", cell: ({ fidelity }) => fidelity },
        { title: "Contributing", cell: ({ counts }) => showNumber(counts.reduce((sum, { rows }) => sum + rows, 0)), numeric: true },
        { title: "Saved (UTC)", cell: ({ saved_at }) => <Time time={saved_at} /> },
      ]} />
    </section>
  );
}

function rowCount(access: Access): number | null {
  const key = access.is_output ? "outputStatistics" : "inputStatistics";
  const count = (access.facets[key] as { rowCount?: unknown } | undefined)?.rowCount;
  return typeof count === "number" ? count : null;
}
