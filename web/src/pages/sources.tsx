// Which sources matter: the products that depend on each dataset that no run wrote.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { DatasetLink, Elsewhere, Loaded, Table, Time } from "../components.tsx";
import { AddressForm } from "../form.tsx";
import type { RankedSource, SourceRanking } from "../order-records.ts";
import { countOf, readTime, showName, showNumber } from "../text.ts";

const MOST = 500;
const MAX_NAMED_PRODUCTS = 5; // products that are named for each source
const UNUSED: ReadonlyMap<string, string> = new Map([
  ["not read", "not read"], ["products not read", "its products were not read"],
]);

export function SourcesPage(props: { query: URLSearchParams }) {
  const products = props.query.getAll("products").filter((pattern) => pattern !== "");
  const since = readTime(props.query.get("since") ?? "");
  const [unused, observed] = ["unused", "observed"].map((name) => props.query.get(name) === "true") as [boolean, boolean];
  const shown = { since, products, unused, observed };
  const parameters = { ...shown, limit: MOST };
  const answer = useAnswer<SourceRanking>("sources", parameters);
  const command = [
    "lineage", "sources", ...(since ? ["--since", since] : []), ...products.flatMap((pattern) => ["--products", pattern]),
    ...(unused ? ["--unused"] : []), ...(observed ? ["--observed"] : []), "--limit", String(MOST),
  ];
  return (
    <>
      <h1>Sources that matter</h1>
      <nav class="chips" aria-label="Views">
        <a href={hrefOf("/sources", { ...shown, unused: false })} aria-current={unused ? undefined : "true"}>All</a>
        <a href={hrefOf("/sources", { ...shown, unused: true })} aria-current={unused ? "true" : undefined}>Not used</a>
        <a href={hrefOf("/sources", { ...shown, observed: !observed })} aria-current={observed ? "true" : undefined}>Without designs</a>
      </nav>
      <AddressForm path="/sources" label="Products and window" button="Show sources" kept={shown} fields={[
        { name: "products", label: "Products", hint: "pattern of full names, as */gold/*", value: products[0] ?? "", required: false },
        { name: "since", label: "Reads since", hint: "UTC; by default 30 days", value: since, required: false },
      ]} />
      <Loaded answer={answer}>{(ranking) => <Ranking ranking={ranking} isUnused={unused} />}</Loaded>
      <Elsewhere operation="sources" parameters={parameters} command={command} />
    </>
  );
}

function Ranking(props: { ranking: SourceRanking; isUnused: boolean }) {
  const { products, sources, since, until, omitted } = props.ranking;
  return (
    <>
      <p>
        A source is read, and no run wrote it. {countOf(products, "dataset is a product", "datasets are products")}. Reads are those
        of the products from <Time time={since} /> to <Time time={until} /> (UTC), without those by the jobs that write them; reads that
        nobody reports are not in the log.
      </p>
      <Table caption="Sources, those whose products are read most first" rows={sources} more={omitted}
        empty={props.isUnused ? "Every source is used." : "No source: no job read a dataset that no run wrote."} columns={[
          { title: "Source", cell: (source) => <Source source={source} /> },
          { title: "Products", cell: (source) => <Products source={source} />, numeric: true },
          { title: "Of no other source", cell: ({ alone }) => <Alone products={alone} /> },
          { title: "Reads", cell: ({ reads }) => showNumber(reads), numeric: true },
          { title: "Readers", cell: ({ readers }) => showNumber(readers), numeric: true },
          { title: "Columns used", cell: describeColumns, numeric: true },
          { title: "Last read (UTC)", cell: ({ last_read }) => <Time time={last_read} /> },
          { title: "Owners", cell: ({ owners }) => <bdi>{owners.map(showName).join(", ") || "—"}</bdi> },
          { title: "Cost", cell: ({ cost }) => showNumber(cost) || "—", numeric: true },
        ]} />
    </>
  );
}

function Source(props: { source: RankedSource }) {
  const { dataset, unused } = props.source;
  return (
    <>
      <DatasetLink dataset={dataset} most={60} />
      {unused !== null && <div class="change changed">! {UNUSED.get(unused) ?? unused}</div>}
    </>
  );
}

function Products(props: { source: RankedSource }) {
  const { dataset, products } = props.source;
  return <a href={hrefOf("/impact", { dataset: dataset.full_name })} title="Impact of the source">{showNumber(products)}</a>;
}

function Alone(props: { products: RankedSource["alone"] }) {
  const { products } = props;
  if (products.length === 0) return <>—</>;
  return (
    <ul>
      {products.slice(0, MAX_NAMED_PRODUCTS).map((product) => <li><DatasetLink dataset={product} most={40} /></li>)}
      {products.length > MAX_NAMED_PRODUCTS && <li>{countOf(products.length - MAX_NAMED_PRODUCTS, "further product")}</li>}
    </ul>
  );
}

function describeColumns({ columns, columns_used }: RankedSource): string {
  if (columns === 0) return "—";
  return `${columns_used === null ? "?" : showNumber(columns_used)} of ${showNumber(columns)}`;
}
