// The shortest paths from one dataset to another, step by step.
import { useAnswer } from "../api.ts";
import { graphHref, hrefOf } from "../address.ts";
import { DatasetLink, Elsewhere, JobLink, Loaded, Table, Time } from "../components.tsx";
import { AddressForm } from "../form.tsx";
import type { Edge, Paths } from "../records.ts";
import { countOf, showNumber } from "../text.ts";

const MOST = 1000;

export function PathPage(props: { query: URLSearchParams }) {
  const from = props.query.get("from") ?? "";
  const to = props.query.get("to") ?? "";
  const all = props.query.get("all") === "true";
  return (
    <>
      <h1>Paths between datasets</h1>
      <AddressForm path="/path" label="Ends of the paths" button="Show paths" fields={[
        { name: "from", label: "From dataset", value: from },
        { name: "to", label: "To dataset", value: to },
      ]} />
      {from && to && <Answered from={from} to={to} all={all} />}
    </>
  );
}

function Answered(props: { from: string; to: string; all: boolean }) {
  const { from, to, all } = props;
  const parameters = { source: from, target: to, all_paths: all, limit: MOST };
  const answer = useAnswer<Paths>("paths", parameters);
  return (
    <>
      <nav class="chips" aria-label="Paths">
        <a href={hrefOf("/path", { from, to })} aria-current={all ? undefined : "true"}>Shortest</a>
        <a href={hrefOf("/path", { from, to, all: true })} aria-current={all ? "true" : undefined}>All</a>
        <a href={hrefOf("/path", { from: to, to: from })}>Turn around</a>
      </nav>
      <Loaded answer={answer}>{(paths) => <Details paths={paths} />}</Loaded>
      <Elsewhere operation="paths" parameters={parameters}
        command={["lineage", "paths", from, to, ...(all ? ["--all-paths"] : []), "--limit", String(MOST)]} />
    </>
  );
}

function Details(props: { paths: Paths }) {
  const { source, target, reverse, length, nodes, edges, omitted } = props.paths;
  if (length === null) {
    return <p>No path leads from <DatasetLink dataset={source} /> to <DatasetLink dataset={target} />, nor back.</p>;
  }
  const steps = Map.groupBy(nodes, ({ distance }) => distance);
  const ordered = [...steps].sort(([a], [b]) => a - b);
  return (
    <>
      {reverse && <p><strong>Against the direction asked:</strong> no path leads there; these lead back.</p>}
      <p>
        The shortest path has {countOf(length, "step")}.{" "}
        <a href={graphHref(source.full_name, nodes.map(({ dataset }) => dataset.full_name))}>Graph of these datasets</a>
      </p>
      <h2>Datasets along the way</h2>
      <ol start={0}>
        {ordered.map(([, places]) => (
          <li><ul>{places.map(({ dataset }) => <li><DatasetLink dataset={dataset} /></li>)}</ul></li>
        ))}
      </ol>
      {!!omitted["nodes"] && <p class="quiet">{omitted["nodes"]} more are not shown.</p>}
      <h2>Steps</h2>
      <Table caption="Edges, nearest to the start first" rows={edges} more={omitted["edges"]} empty="No edge." columns={[
        { title: "From", cell: (edge) => <DatasetLink dataset={edge.source} /> },
        { title: "Job", cell: (edge) => <JobLink job={edge.job} /> },
        { title: "To", cell: (edge) => <DatasetLink dataset={edge.target} /> },
        { title: "Runs", cell: (edge) => (edge.declared ? "declared" : showNumber(edge.runs)), numeric: true },
        { title: "Last seen (UTC)", cell: (edge: Edge) => <Time time={edge.last_seen} /> },
      ]} />
    </>
  );
}
