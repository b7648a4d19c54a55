// The differences between two runs, or between the lineage of a dataset at two times.
import { useAnswer } from "../api.ts";
import { ArchiveNote, ChangeSign, DatasetLink, Elsewhere, JobLink, Loaded, NotShown, RunLink, State, Table, Time } from "../components.tsx";
import { AddressForm } from "../form.tsx";
import type { Change, DatasetDiff, Difference, RunDiff, SchemaChange } from "../records.ts";
import { countOf, readTime, shortenName, showName, showNumber } from "../text.ts";

const MOST = 1000;

export function ComparePage(props: { query: URLSearchParams }) {
  const { query } = props;
  const [before, after] = [query.get("before") ?? "", query.get("after") ?? ""];
  const [dataset, start, end] = [query.get("dataset") ?? "", readTime(query.get("start") ?? ""), readTime(query.get("end") ?? "")];
  return (
    <>
      <h1>Compare</h1>
      {dataset === "" && (
        <AddressForm path="/compare" label="Two runs" button="Compare runs" fields={[
          { name: "before", label: "Run before", value: before, hint: "an id, or a job or dataset for its last run" },
          { name: "after", label: "Run after", value: after },
        ]} />
      )}
      {before === "" && after === "" && (
        <AddressForm path="/compare" label="A dataset at two times" button="Compare times" fields={[
          { name: "dataset", label: "Dataset", value: dataset },
          { name: "start", label: "Start", value: start, hint: "UTC, as 2026-01-31 18:00" },
          { name: "end", label: "End", value: end },
        ]} />
      )}
      {before && after && <ComparedRuns before={before} after={after} />}
      {dataset && start && end && <ComparedTimes dataset={dataset} start={start} end={end} />}
    </>
  );
}

function ComparedRuns(props: { before: string; after: string }) {
  const { before, after } = props;
  const parameters = { before, after, limit: MOST };
  const answer = useAnswer<RunDiff>("run-diff", parameters);
  return (
    <>
      <Loaded answer={answer}>{(diff) => <RunDifferences diff={diff} />}</Loaded>
      <Elsewhere operation="run-diff" parameters={parameters}
        command={["lineage", "diff", "run", before, after, "--limit", String(MOST)]} />
    </>
  );
}

function RunDifferences(props: { diff: RunDiff }) {
  const { before, after, differences, unlogged, omitted, archive } = props.diff;
  return (
    <>
      <h2>Runs</h2>
      <ArchiveNote archive={archive} />
      <p>Before: <RunLink run={before.run_id} /> <State state={before.state} />, <Time time={before.started_at} /> (UTC)</p>
      <p>After: <RunLink run={after.run_id} /> <State state={after.state} />, <Time time={after.started_at} /> (UTC)</p>
      {unlogged.length > 0 && (
        <p><strong>Incomplete:</strong> the log has no events of {unlogged.map((run) => <><RunLink run={run} /> </>)}.
          Facets of jobs and schemas are not compared.</p>
      )}
      <Table caption={countOf(differences.length, "difference")} rows={differences} more={omitted["differences"]} empty="The runs do not differ." columns={[
        { title: "Change", cell: (each) => <ChangeSign change={changeOf(each)} /> },
        { title: "Part", cell: ({ part }) => part },
        { title: "Dataset", cell: ({ dataset }) => (dataset ? <DatasetLink dataset={dataset} /> : "—") },
        { title: "What", cell: ({ key }) => <bdi>{shortenName(key, 120)}</bdi> },
        { title: "Before", cell: (each) => <Value value={each.before} /> },
        { title: "After", cell: (each) => <Value value={each.after} /> },
      ]} />
    </>
  );
}

function ComparedTimes(props: { dataset: string; start: string; end: string }) {
  const { dataset, start, end } = props;
  const parameters = { dataset, start, end, limit: MOST };
  const answer = useAnswer<DatasetDiff>("dataset-diff", parameters);
  return (
    <>
      <Loaded answer={answer}>{(diff) => <DatasetDifferences diff={diff} />}</Loaded>
      <Elsewhere operation="dataset-diff" parameters={parameters}
        command={["lineage", "diff", "dataset", dataset, "--start", start, "--end", end, "--limit", String(MOST)]} />
    </>
  );
}

function DatasetDifferences(props: { diff: DatasetDiff }) {
  const { diff } = props;
  const change = { title: "Change", cell: (each: { change: Change }) => <ChangeSign change={each.change} /> };
  return (
    <>
      <p>
        <DatasetLink dataset={diff.root} /> and what is upstream of it, from <Time time={diff.start} /> to{" "}
        <Time time={diff.end} /> (UTC). {countOf(diff.unchanged, "write")} did not change.
      </p>
      {diff.log_from !== null && <p>The log has all events from <Time time={diff.log_from} /> on; earlier schemas may not be known.</p>}
      <ArchiveNote archive={diff.archive} />
      <h2>Datasets</h2>
      <Table caption="Datasets added or removed" rows={diff.datasets} more={diff.omitted["datasets"]} empty="No dataset was added or removed." columns={[
        change, { title: "Dataset", cell: ({ dataset }) => <DatasetLink dataset={dataset} /> },
      ]} />
      <h2>Jobs</h2>
      <Table caption="Jobs added or removed" rows={diff.jobs} more={diff.omitted["jobs"]} empty="No job was added or removed." columns={[
        change, { title: "Job", cell: ({ job }) => <JobLink job={job} /> },
      ]} />
      <h2>Columns</h2>
      <SchemaChanges schemas={diff.schemas} more={diff.omitted["schemas"]} />
      <h2>Rows</h2>
      <Table caption="Numbers of rows of the newest writes" rows={diff.rows} more={diff.omitted["rows"]} empty="No number of rows changed." columns={[
        { title: "Change", cell: () => <ChangeSign change="changed" /> },
        { title: "Dataset", cell: ({ dataset }) => <DatasetLink dataset={dataset} /> },
        { title: "Before", cell: ({ before }) => <><RunLink run={before.run.run_id} /> {showNumber(before.rows)}</>, numeric: true },
        { title: "After", cell: ({ after }) => <><RunLink run={after.run.run_id} /> {showNumber(after.rows)}</>, numeric: true },
      ]} />
      <h2>Writes</h2>
      <Table caption="Writes added or removed" rows={diff.writes} more={diff.omitted["writes"]} empty="No write was added or removed." columns={[
        change,
        { title: "Dataset", cell: ({ write }) => <DatasetLink dataset={write.dataset} /> },
        { title: "Run", cell: ({ write }) => <RunLink run={write.run.run_id} /> },
        { title: "Job", cell: ({ write }) => <JobLink job={write.job} /> },
        { title: "Written (UTC)", cell: ({ write }) => <Time time={write.written} /> },
        { title: "Rows", cell: ({ write }) => showNumber(write.rows), numeric: true },
        { title: "Match", cell: ({ write }) => (write.exact ? "by version" : "by time") },
      ]} />
    </>
  );
}

function SchemaChanges(props: { schemas: readonly SchemaChange[]; more: number | undefined }) {
  const known = props.schemas.filter((schema) => schema.before_known && schema.after_known);
  const rows = known.flatMap(({ dataset, columns }) => columns.map((column) => ({ ...column, dataset })));
  const unknown = props.schemas.filter((schema) => !known.includes(schema));
  return (
    <>
      <Table caption="Columns that differ" rows={rows} empty="No column is known to differ." columns={[
        { title: "Change", cell: ({ change }) => <ChangeSign change={change} /> },
        { title: "Dataset", cell: ({ dataset }) => <DatasetLink dataset={dataset} /> },
        { title: "Column", cell: ({ name }) => <bdi>{shortenName(name)}</bdi> },
        { title: "Type before", cell: ({ before }) => <Value value={before} /> },
        { title: "Type after", cell: ({ after }) => <Value value={after} /> },
      ]} />
      {unknown.map(({ dataset, before_known, after_known }) => (
        <p><DatasetLink dataset={dataset} />: the schema is {before_known ? "known only before" : after_known ? "known only after" : "not known"}.</p>
      ))}
      <NotShown count={props.more} noun="further dataset" />
    </>
  );
}

function changeOf(difference: Difference): Change {
  if (difference.before === null) return "added";
  return difference.after === null ? "removed" : "changed";
}

function Value(props: { value: unknown }) {
  if (props.value === null) return <>—</>;
  const text = typeof props.value === "string" ? props.value : JSON.stringify(props.value);
  return <bdi title={showName(text).slice(0, 2000)}>{shortenName(text, 300)}</bdi>;
}
