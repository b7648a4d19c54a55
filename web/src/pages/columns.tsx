// The columns of a whole table, with the numbers of columns that each derives from and that use it.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { DatasetLink, Elsewhere, Lines, Loaded, Table } from "../components.tsx";
import { AddressForm } from "../form.tsx";
import type { DatasetColumn, DatasetColumns } from "../records.ts";
import { countOf, shortenName, showName, showNumber } from "../text.ts";

const STEP = 200;

export function ColumnsPage(props: { query: URLSearchParams }) {
  const name = props.query.get("name") ?? "";
  const text = props.query.get("text") ?? "";
  const offset = Math.max(0, Number(props.query.get("offset")) || 0);
  const parameters = { dataset: name, text, offset, limit: STEP };
  const answer = useAnswer<DatasetColumns>("dataset-columns", parameters);
  return (
    <>
      <h1>Columns of <bdi>{shortenName(name, 80)}</bdi></h1>
      <AddressForm path="/columns" label="Columns" button="Show" fields={[
        { name: "name", label: "Dataset", value: name },
        { name: "text", label: "Names that contain", value: text, required: false },
      ]} />
      <Loaded answer={answer}>{(found) => <Details found={found} text={text} offset={offset} />}</Loaded>
      <Elsewhere operation="dataset-columns" parameters={parameters} />
    </>
  );
}

function Details(props: { found: DatasetColumns; text: string; offset: number }) {
  const { found: { dataset, columns, omitted }, text, offset } = props;
  const name = dataset.full_name;
  const hrefAt = (place: number) => hrefOf("/columns", { name, text, offset: place || undefined });
  return (
    <>
      <p><DatasetLink dataset={dataset} />, {countOf(offset + columns.length + omitted, "column")}</p>
      <Table caption="Columns by name" rows={columns} empty="No column matches." columns={[
        { title: "Column", cell: (column) => <a href={hrefOf("/dataset", { name, column: column.name })}><bdi>{showName(column.name)}</bdi></a> },
        { title: "Type", cell: ({ type }) => (type === null ? "not in the schema" : showName(type)) },
        { title: "Derives from", cell: (column) => showCounts(column.upstream, column.upstream_direct), numeric: true },
        { title: "Used by", cell: (column) => showCounts(column.downstream, column.downstream_direct), numeric: true },
        { title: "Tags", cell: ({ tags }) => tags.map(showName).join(", ") },
        { title: "Description", cell: ({ description }: DatasetColumn) => <Lines text={description ?? ""} /> },
      ]} />
      <nav class="chips" aria-label="Parts of the list">
        {offset > 0 && <a href={hrefAt(Math.max(0, offset - STEP))}>Previous {STEP}</a>}
        {omitted > 0 && <a href={hrefAt(offset + STEP)}>Next {Math.min(STEP, omitted)}</a>}
      </nav>
    </>
  );
}

function showCounts(all: number, direct: number): string {
  return direct === all ? showNumber(all) : `${showNumber(all)}, ${showNumber(direct)} direct`;
}
