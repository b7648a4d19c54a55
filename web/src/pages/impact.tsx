// What depends on a dataset or a column: datasets by owner, and the jobs that read them.
import { useAnswer } from "../api.ts";
import { graphHref, hrefOf } from "../address.ts";
import { ArchiveNote, CopyButton, DatasetLink, Elsewhere, JobLink, Loaded, Name, NotShown, Table, Time } from "../components.tsx";
import type { Impact, ImpactedDataset, ImpactedJob } from "../records.ts";
import { countOf, showName, showNumber } from "../text.ts";

const MOST = 1000;
const NO_OWNER = "no owner";

export function ImpactPage(props: { query: URLSearchParams }) {
  const dataset = props.query.get("dataset") ?? "";
  const column = props.query.get("column") ?? undefined;
  const parameters = { dataset, column, limit: MOST };
  const answer = useAnswer<Impact>("impact", parameters);
  const command = ["lineage", "impact", dataset, ...(column === undefined ? [] : ["--column", column]), "--limit", String(MOST)];
  return (
    <>
      <h1>Impact of {column !== undefined && <><bdi>{showName(column)}</bdi> of </>}<Name name={dataset} most={80} /></h1>
      <nav class="chips" aria-label="Views">
        <a href={hrefOf("/dataset", { name: dataset })}>Dataset</a>
        <a href={hrefOf("/graph", { root: dataset })}>Graph</a>
        <a href={hrefOf("/order", { name: dataset, direction: "downstream" })}>Jobs to run again</a>
        <a href={hrefOf("/sources")}>Sources that matter</a>
      </nav>
      <Loaded answer={answer}>{(impact) => <Dependents root={dataset} impact={impact} />}</Loaded>
      <Elsewhere operation="impact" parameters={parameters} command={command} />
    </>
  );
}

function Dependents(props: { root: string; impact: Impact }) {
  const { root, impact } = props;
  const nearest = impact.datasets.toSorted((a, b) => a.distance - b.distance).map(({ dataset }) => dataset.full_name);
  const owners = groupByOwner(impact.datasets);
  return (
    <>
      <p>
        {countOf(impact.datasets.length + impact.datasets_omitted, "dataset")} and{" "}
        {countOf(impact.jobs.length + impact.jobs_omitted, "job")} depend on it. Reads are counted
        from <Time time={impact.since} /> to <Time time={impact.until} /> (UTC).{" "}
        {nearest.length > 0 && <a href={graphHref(root, nearest)}>Graph of the nearest</a>}
      </p>
      <ArchiveNote archive={impact.archive} />
      {owners.map(([owner, datasets]) => <OwnersTable key={owner} owner={owner} datasets={datasets} />)}
      <NotShown count={impact.datasets_omitted} noun="further dataset" />
      <section>
        <h2>Jobs</h2>
        <Table caption="Jobs that read it or a dataset made from it" rows={impact.jobs} empty="No job."
          more={impact.jobs_omitted} columns={[
            { title: "Job", cell: ({ job }) => <JobLink job={job} /> },
            { title: "Steps", cell: ({ distance }) => distance, numeric: true },
            { title: "Last read (UTC)", cell: ({ inputs }) => <><Time time={lastRead(inputs)} />{inputs.every(({ stale }) => stale) && ", stale"}</> },
            { title: "Owners", cell: (job) => job.owners.map(showName).join(", ") || "—" },
          ]} />
      </section>
      {impact.unreported.length > 0 && (
        <section>
          <h2>Possibly affected</h2>
          <Table caption="Jobs that read these datasets and report no columns" rows={impact.unreported} empty=""
            more={impact.unreported_omitted} columns={[
              { title: "Job", cell: ({ job }) => <JobLink job={job} /> },
              { title: "Reads", cell: ({ source }) => <DatasetLink dataset={source} /> },
              { title: "Writes", cell: ({ target }) => (target ? <DatasetLink dataset={target} /> : "—") },
            ]} />
        </section>
      )}
    </>
  );
}

function OwnersTable(props: { owner: string; datasets: readonly ImpactedDataset[] }) {
  const names = props.datasets.map(({ dataset }) => dataset.full_name).join("\n");
  return (
    <section>
      <h2><bdi>{showName(props.owner)}</bdi> <CopyButton text={names} label="Copy names" /></h2>
      <Table caption={`Datasets of ${showName(props.owner)}, nearest first`} rows={props.datasets} empty="No dataset." columns={[
        { title: "Dataset", cell: ({ dataset, stale }) => <><DatasetLink dataset={dataset} />{stale && ", stale"}</> },
        { title: "Columns", cell: ({ columns }) => columns.map(showName).join(", ") },
        { title: "Steps", cell: ({ distance }) => distance, numeric: true },
        { title: "Reads", cell: ({ reads }) => showNumber(reads), numeric: true },
        { title: "Last read (UTC)", cell: (each) => <Time time={each.last_read} /> },
        { title: "Last written (UTC)", cell: (each) => <Time time={each.last_written} /> },
      ]} />
    </section>
  );
}

/** Returns the time of the last read of one of the inputs of a job. */
function lastRead(inputs: ImpactedJob["inputs"]): string | null {
  return inputs.map(({ last_read }) => last_read).filter((time) => time !== null).toSorted().at(-1) ?? null;
}

/** Returns owners with their datasets, those with most first; a dataset of two owners is in both. */
function groupByOwner(datasets: readonly ImpactedDataset[]): [string, ImpactedDataset[]][] {
  const groups = new Map<string, ImpactedDataset[]>();
  for (const dataset of datasets) {
    for (const owner of dataset.owners.length ? dataset.owners : [NO_OWNER]) {
      groups.set(owner, [...(groups.get(owner) ?? []), dataset]);
    }
  }
  return [...groups].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
}
