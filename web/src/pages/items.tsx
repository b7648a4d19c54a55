// The recorded items of a run: what became of single rows at the nodes that they passed.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { Elsewhere, Loaded, RunLink, Table } from "../components.tsx";
import type { ItemHop, RecordedItem, RecordedItems } from "../records.ts";
import { shortenId, shortenName, showName, showNumber } from "../text.ts";

const MAX_ITEMS = 100;
const OUTCOMES = ["emitted", "filtered_out", "joined", "aggregated", "retried", "error", "dead_lettered"];

export function ItemsPage(props: { query: URLSearchParams }) {
  const run = props.query.get("run") ?? "";
  const outcome = OUTCOMES.find((each) => each === props.query.get("outcome"));
  const parameters = { run, outcome, limit: MAX_ITEMS };
  const answer = useAnswer<RecordedItems>("record-items", parameters);
  return (
    <>
      <h1>Recorded items of run <RunLink run={run} /></h1>
      <nav class="chips" aria-label="Outcomes">
        <a href={hrefOf("/items", { run })} aria-current={outcome ? undefined : "true"}>all</a>
        {OUTCOMES.map((each) => (
          <a href={hrefOf("/items", { run, outcome: each })} aria-current={outcome === each ? "true" : undefined}>{toWords(each)}</a>
        ))}
      </nav>
      <Loaded answer={answer}>{(items) => <Items items={items} outcome={outcome} />}</Loaded>
      <Elsewhere operation="record-items" parameters={parameters} command={
        ["lineage", "trace", "--run", run, ...(outcome ? ["--outcome", outcome] : []), "--limit", String(MAX_ITEMS)]} />
    </>
  );
}

function Items(props: { items: RecordedItems; outcome: string | undefined }) {
  const { nodes, items, omitted } = props.items;
  return (
    <>
      <Table caption="All rows by node" rows={nodes} empty="No items of this run are recorded." columns={[
        { title: "Node", cell: ({ node_id }) => <bdi>{shortenName(node_id, 60)}</bdi> },
        { title: "Rows in", cell: ({ rows_in }) => showNumber(rows_in), numeric: true },
        { title: "Rows out", cell: ({ rows_out }) => showNumber(rows_out), numeric: true },
        ...OUTCOMES.map((name) => ({
          title: toWords(name), cell: (node: RecordedItems["nodes"][number]) => showNumber(node.outcomes[name] ?? 0), numeric: true,
        })),
      ]} />
      {nodes.length > 0 && (
        <Table caption="Sampled items, by id" rows={items} more={omitted}
          empty={props.outcome ? `No sampled item was ${toWords(props.outcome)}.` : "No item was sampled."} columns={[
            { title: "Item", cell: ({ correlation_id }) => <code title={correlation_id}>{shortenId(correlation_id)}</code> },
            { title: "Outcome", cell: ({ outcome }) => outcome.map(toWords).join(", ") },
            { title: "Hops", cell: ({ hops }) => <Hops hops={hops} /> },
            { title: "Retries", cell: (item) => showNumber(retriesOf(item)), numeric: true },
            { title: "Error", cell: ({ hops }) => <bdi>{shortenName(hops.find(({ error }) => error !== null)?.error ?? "", 160)}</bdi> },
          ]} />
      )}
    </>
  );
}

function Hops(props: { hops: readonly ItemHop[] }) {
  return (
    <ol class="hops">
      {props.hops.map((hop) => (
        <li title={showName(hop.node_id)}><bdi>{shortenName(hop.node_id, 40)}</bdi>: {hop.outcome.map(toWords).join(", ")}, {outputsOf(hop)}</li>
      ))}
    </ol>
  );
}

function outputsOf({ cardinality, output_emission_count }: ItemHop): string {
  return output_emission_count === null ? `${cardinality} outputs` : `${showNumber(output_emission_count)} out`;
}

function retriesOf({ hops }: RecordedItem): number {
  return hops.reduce((sum, { retry_count }) => sum + (retry_count ?? 0), 0);
}

function toWords(outcome: string): string {
  return outcome.replace("_", " ");
}
