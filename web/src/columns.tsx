// The columns of a dataset as its schema declares them, and the columns that one derives from.
import { useState } from "preact/hooks";
import { useAnswer } from "./api.ts";
import { hrefOf } from "./address.ts";
import { DatasetLink, Elsewhere, Lines, Loaded, Table } from "./components.tsx";
import type { Facets, Field, Named, Omitted } from "./records.ts";
import { countOf, showName } from "./text.ts";

const MAX_ROWS = 200;

interface Column {
  readonly dataset: Named;
  readonly name: string | null;
  readonly full_name: string;
}

interface ColumnTrace {
  readonly nodes: readonly { column: Column; distance: number; direct: boolean }[];
  readonly omitted: Omitted;
}

interface Row {
  readonly path: string;
  readonly depth: number;
  readonly field: Field;
}

export function ColumnsTable(props: { dataset: string; facets: Facets; column: string | null }) {
  const [text, setText] = useState("");
  const rows = flattenFields(schemaFields(props.facets));
  const wanted = text.toLowerCase();
  const matching = rows.filter(({ path }) => path.toLowerCase().includes(wanted));
  return (
    <section>
      <h2>Columns</h2>
      {props.column !== null && <ColumnLineage dataset={props.dataset} column={props.column} />}
      {rows.length === 0 ? <p class="quiet">No event stated its schema.</p> : (
        <>
          <label>Filter columns <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
          <Table caption={countOf(rows.length, "column")} rows={matching.slice(0, MAX_ROWS)}
            more={matching.length - Math.min(matching.length, MAX_ROWS)} empty="No column matches." columns={[
              { title: "Column", cell: (row) => <ColumnLink dataset={props.dataset} row={row} /> },
              { title: "Type", cell: (row) => showName(row.field.type ?? "") },
              { title: "Description", cell: (row) => <Lines text={row.field.description ?? ""} /> },
            ]} />
        </>
      )}
    </section>
  );
}

function ColumnLink(props: { dataset: string; row: Row }) {
  const { path, depth, field } = props.row;
  const href = hrefOf("/dataset", { name: props.dataset, column: path });
  return <a class={`depth-${Math.min(depth, 4)}`} href={href}><bdi>{showName(field.name)}</bdi></a>;
}

/** What a column derives from, and what derives from it. */
function ColumnLineage(props: { dataset: string; column: string }) {
  return (
    <div class="panel">
      <h3>Lineage of <bdi>{showName(props.column)}</bdi></h3>
      {(["upstream", "downstream"] as const).map((direction) => (
        <OneDirection key={direction} {...props} direction={direction} />
      ))}
    </div>
  );
}

function OneDirection(props: { dataset: string; column: string; direction: "upstream" | "downstream" }) {
  const { dataset, column: root, direction } = props;
  const parameters = { ...props, limit: MAX_ROWS };
  const answer = useAnswer<ColumnTrace>("column-lineage", parameters);
  return (
    <Loaded answer={answer}>
      {({ nodes, omitted }) => (<>
        <Table caption={direction === "upstream" ? "Derives from" : "Is used by"} rows={nodes.filter((node) => node.distance > 0)}
          more={omitted["nodes"]} empty={`No column is ${direction}.`} columns={[
            { title: "Column", cell: ({ column }) => <bdi>{showName(column.name ?? "the whole dataset")}</bdi> },
            { title: "Dataset", cell: ({ column }) => <DatasetLink dataset={column.dataset} /> },
            { title: "Steps", cell: (node) => node.distance, numeric: true },
            { title: "How", cell: (node) => (node.direct ? "value" : "filter, join, group or sort") },
          ]} />
        <Elsewhere operation="column-lineage" parameters={parameters}
          command={["lineage", "query", "column", dataset, root, `--${direction}`, "--limit", String(MAX_ROWS)]} />
      </>)}
    </Loaded>
  );
}

function schemaFields(facets: Facets): readonly Field[] {
  const fields = (facets["schema"] as { fields?: unknown } | undefined)?.fields;
  return Array.isArray(fields) ? (fields as Field[]) : [];
}

function flattenFields(fields: readonly Field[], above = "", depth = 0): Row[] {
  return fields.flatMap((field) => {
    const path = above + field.name;
    const nested = Array.isArray(field.fields) ? field.fields : [];
    return [{ path, depth, field }, ...flattenFields(nested, `${path}.`, depth + 1)];
  });
}
