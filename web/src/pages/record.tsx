// A saved trace: rows of a dataset, and the rows that they are made of, as a picture and as a table.
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { Elsewhere, Loaded, Name, RunLink, Table, Time } from "../components.tsx";
import { onlyChoose, Picture } from "../explorer/picture.tsx";
import { rowName, rowView } from "../explorer/row-level.ts";
import type { RowValues, SavedTrace, TraceDetails } from "../records.ts";
import { countOf, lastPart, shortenName, showName, showNumber } from "../text.ts";

const MAX_ROWS = 50; // of each source
const NO_PATH: ReadonlySet<string> = new Set();
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["exact", "The rows below are those that contribute."],
  ["superset", "All contributing rows are among those below, possibly with others."],
  ["sampled", "The rows below are some of those that contribute."],
  ["unverified", "The query was not run again on the rows below alone, so that they may not give the traced rows."],
  ["stale", "The sources have changed since the run."],
  ["unknown", "Contributing rows may be missing."],
]);

export function RecordPage(props: { query: URLSearchParams }) {
  const trace = props.query.get("trace") ?? "";
  const parameters = { trace, limit: MAX_ROWS };
  const answer = useAnswer<TraceDetails>("record-trace", parameters);
  return (
    <div class="explorer">
      <Loaded answer={answer}>{(details) => <Details details={details} />}</Loaded>
      <Elsewhere operation="record-trace" parameters={parameters} command={["lineage", "trace", "--saved", trace]} />
    </div>
  );
}

function Details(props: { details: TraceDetails }) {
  const { trace, values, witnesses } = props.details;
  const [chosen, setChosen] = useState<string | null>(null);
  const view = useMemo(() => rowView(props.details), [props.details]);
  const actions = useMemo(() => onlyChoose(setChosen), []);
  return (
    <>
      <h1>{countOf(trace.rows, "row")} of <a href={hrefOf("/dataset", { name: trace.dataset })}><Name name={trace.dataset} most={80} /></a></h1>
      <Question trace={trace} />
      <p><strong>{trace.fidelity}</strong>: {MEANINGS.get(trace.fidelity)}</p>
      {trace.reasons.length > 0 && <ul aria-label="Reasons">{trace.reasons.map((reason) => <li><bdi>{shortenName(reason, 160)}</bdi></li>)}</ul>}
      <Table caption="Contributing rows by source" rows={trace.counts} empty="No source." columns={[
        { title: "Source", cell: ({ source }) => <Source name={source} /> },
        { title: "Contributes to", cell: ({ target }) => <Source name={target} /> },
        { title: "Writes between", cell: ({ hop }) => hop, numeric: true },
        { title: "Rows", cell: ({ rows }) => showNumber(rows), numeric: true },
        { title: "In the picture", cell: ({ saved }) => showNumber(Math.min(saved, MAX_ROWS)), numeric: true },
      ]} />
      <Picture view={view} chosen={chosen} path={NO_PATH} busy={null} canExpand={false} actions={actions} />
      {values.length > 0 && (
        <Table caption="Values of traced rows" rows={values} empty="" columns={[{ title: "Values", cell: (row) => <Values values={row} /> }]} />
      )}
      <Table caption={`The first ${MAX_ROWS} contributing rows of each source`} rows={witnesses} empty="No contributing row." columns={[
        {
          title: "Row", cell: (row) => (
            <button class="plain" aria-pressed={rowName(row) === chosen} onClick={() => setChosen(rowName(row))}>
              {row.row_index === null ? `key ${row.key.slice(0, 12)}` : `row ${row.row_index}`}</button>
          ),
        },
        { title: "File", cell: ({ file }) => (file === null ? <>—</> : <Name name={file} most={100} />) },
        { title: "Source", cell: ({ source }) => <Name name={source} most={60} /> },
        { title: "Values", cell: (row) => (row.values === null ? <span class="quiet">not saved</span> : <Values values={row.values} />) },
      ]} />
    </>
  );
}

function Question(props: { trace: SavedTrace }) {
  const { columns, condition, way, run, reproduced, saved_at } = props.trace;
  const names = columns.map(showName).join(", ");
  return (
    <dl>
      <dt>Condition</dt>
      <dd>{condition === null ? <>on {names || "no column"} <span class="quiet">(its values are not saved)</span></> : <code><bdi>{shortenName(condition, 400)}</bdi></code>}</dd>
      <dt>Traced by</dt><dd>{way === "live" ? "a Spark session" : "a dry run of the job"}{run !== null && <> of run <RunLink run={run} /></>}</dd>
      <dt>Checked</dt><dd>{reproduced === null ? "no" : reproduced ? "yes: these rows give the traced rows again" : "yes: these rows do not give the traced rows again"}</dd>
      <dt>Saved (UTC)</dt><dd><Time time={saved_at} /></dd>
    </dl>
  );
}

/** A dataset of a trace; one that the graph does not have is a name alone. */
function Source(props: { name: string }) {
  return <a href={hrefOf("/dataset", { name: props.name })}><Name name={props.name} most={60} /></a>;
}

function Values(props: { values: RowValues }) {
  const text = Object.entries(props.values).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`).join(" ");
  return <bdi title={showName(lastPart(text)).slice(0, 400)}>{shortenName(text, 200)}</bdi>;
}
