// Read-only Cypher over the graph: a query as text, or a canned query.
import { useState } from "preact/hooks";
import { parseExactly, useAnswer, usePosted } from "../api.ts";
import { goTo, graphHref, hrefOf } from "../address.ts";
import { CopyButton, Loaded, Name, Table } from "../components.tsx";
import { joinName } from "../explorer/answer.ts";
import type { CannedQuery, Rows } from "../records.ts";
import { saveJson } from "../save.ts";
import { quoteArgument, shortenName, showName } from "../text.ts";

const LIMIT = 1000;
const HISTORY = "lineage.cypher";
const MAX_QUERIES = 20;
const EXAMPLE = "MATCH (d:Dataset)\nRETURN d.namespace AS namespace, count(*) AS datasets\nORDER BY datasets DESC";

export function CypherPage(props: { query: URLSearchParams }) {
  const text = props.query.get("query") ?? "";
  const name = props.query.get("canned") ?? "";
  const params = toParams(props.query.getAll("param"));
  const queries = useAnswer<{ queries: CannedQuery[] }>("canned-queries", { limit: 1000 });
  return (
    <>
      <h1>Cypher</h1>
      <TextForm text={text} params={props.query.getAll("param")} />
      <History text={text} />
      {text && <Answered operation="cypher" body={{ query: text, params, limit: LIMIT }}
        command={["lineage", "cypher", text, ...toArguments(params).flatMap((each) => ["-p", each])]} />}
      <h2>Canned queries</h2>
      <Loaded answer={queries}>{(answer) => <CannedQueries queries={answer.queries} name={name} params={params} />}</Loaded>
    </>
  );
}

function TextForm(props: { text: string; params: readonly string[] }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const param = String(data.get("params")).split(/\r?\n/).filter((line) => line !== "");
    goTo(hrefOf("/cypher", { query: String(data.get("query")).replaceAll("\r\n", "\n"), param }));
  };
  const runByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) (event.currentTarget as HTMLFormElement).requestSubmit();
  };
  return (
    <form class="query" aria-label="Query" onSubmit={submit} onKeyDown={runByKey}>
      <label>Query <small>Ctrl+Enter runs it; it can only read</small>
        <textarea name="query" class="code" rows={6} required spellcheck={false} defaultValue={props.text || EXAMPLE} /></label>
      <label>Parameters <small>name=value, one a line</small>
        <textarea name="params" class="code" rows={2} spellcheck={false} defaultValue={props.params.join("\n")} /></label>
      <button type="submit">Run</button>
    </form>
  );
}

/** The queries of this window, the newest first. The browser forgets them when it is closed. */
function History(props: { text: string }) {
  const known: unknown = JSON.parse(sessionStorage.getItem(HISTORY) ?? "[]");
  const before = Array.isArray(known) ? known.map(String) : [];
  const queries = [...new Set([...(props.text ? [props.text] : []), ...before])].slice(0, MAX_QUERIES);
  sessionStorage.setItem(HISTORY, JSON.stringify(queries));
  if (queries.length === 0) return null;
  return (
    <details>
      <summary>Earlier queries</summary>
      <ul>{queries.map((query) => <li><a class="code" href={hrefOf("/cypher", { query })}>{shortenName(query, 120)}</a></li>)}</ul>
    </details>
  );
}

function CannedQueries(props: { queries: readonly CannedQuery[]; name: string; params: Readonly<Record<string, string>> }) {
  const chosen = props.queries.find(({ name }) => name === props.name);
  return (
    <>
      {chosen && <Canned query={chosen} params={props.params} />}
      <Table caption="Canned queries" rows={props.queries} empty="No canned query." columns={[
        { title: "Name", cell: ({ name }) => <a href={hrefOf("/cypher", { canned: name })}>{name}</a> },
        { title: "Answer", cell: ({ summary }) => summary },
        { title: "Parameters", cell: ({ params }) => params.join(", ") || "—" },
      ]} />
    </>
  );
}

function Canned(props: { query: CannedQuery; params: Readonly<Record<string, string>> }) {
  const { query, params } = props;
  const needed = query.params.filter((name) => name !== "namespace" || !query.params.includes("name"));
  const isComplete = needed.every((name) => params[name]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const param = needed.map((name) => `${name}=${String(data.get(name)).trim()}`);
    goTo(hrefOf("/cypher", { canned: query.name, param }));
  };
  return (
    <section class="panel">
      <h3>{query.name}</h3>
      <p>{query.summary}</p>
      {needed.length > 0 && (
        <form class="fields" aria-label={query.name} onSubmit={submit}>
          {needed.map((name) => <label>{name}<input name={name} required spellcheck={false} defaultValue={params[name] ?? ""} /></label>)}
          <button type="submit">Run</button>
        </form>
      )}
      {isComplete && <Answered operation="canned-query" body={{ name: query.name, params, limit: LIMIT }}
        command={["lineage", "queries", "run", query.name, ...toArguments(params)]} />}
      <details><summary>Text</summary><pre>{query.text}</pre><a href={hrefOf("/cypher", { query: query.text })}>Edit a copy</a></details>
    </section>
  );
}

function Answered(props: { operation: string; body: object; command: readonly string[] }) {
  const [isStopped, setStopped] = useState(false);
  const command = props.command.map(quoteArgument).join(" ");
  return (
    <section aria-label="Answer">
      {isStopped
        ? <p>Stopped. <button onClick={() => setStopped(false)}>Run again</button></p>
        : <Answer {...props} stop={() => setStopped(true)} />}
      <footer class="elsewhere">
        <code>{showName(command)}</code>
        <CopyButton text={command} label="Copy command" />
        <CopyButton text={location.href} label="Copy link" />
      </footer>
    </section>
  );
}

/** The rows of a query. Its request ends when the component is no longer shown. */
function Answer(props: { operation: string; body: object; stop: () => void }) {
  const answer = usePosted<Rows>(props.operation, props.body, parseExactly);
  return (
    <>
      {answer.state === "loading" && <button onClick={props.stop}>Stop</button>}
      <Loaded answer={answer}>
        {({ columns, rows, omitted }) => (
          <>
            <Table caption="Rows" rows={rows} empty="No row." more={omitted} columns={columns.map((title, index) => (
              { title: showName(title), cell: (row: readonly unknown[]) => <Value value={row[index]} /> }
            ))} />
            <div class="chips">
              <button class="small" onClick={() => saveJson("rows.json", answer.state === "ready" && answer.value)}>Save JSON</button>
              <GraphLink rows={rows} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function GraphLink(props: { rows: Rows["rows"] }) {
  const names = [...new Set(props.rows.flat().flatMap((value) => datasetName(value) ?? []))];
  if (names[0] === undefined) return null;
  return <a href={graphHref(names[0], names.slice(1))}>Graph of {names.length > 1 ? "these datasets" : "this dataset"}</a>;
}

/** A value of a row: a vertex is a link to its page, what is no text is JSON. */
function Value(props: { value: unknown }) {
  const { value } = props;
  if (value === null || value === undefined) return <span class="quiet">null</span>;
  if (typeof value === "string") return <bdi>{shortenName(value, 400)}</bdi>;
  const href = typeof value === "object" ? vertexHref(value as Partial<Vertex>) : null;
  if (href !== null) return <a href={href.href}><Name name={href.name} /></a>;
  return <code>{shortenName(JSON.stringify(value), 400)}</code>;
}

interface Vertex {
  readonly label: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

function vertexHref({ label, properties }: Partial<Vertex>): { href: string; name: string } | null {
  const { namespace, name, run_id } = properties ?? {};
  if (label === "Run" && typeof run_id === "string") return { href: hrefOf("/run", { id: run_id }), name: run_id };
  if (typeof namespace !== "string" || typeof name !== "string") return null;
  const dataset = datasetName({ label, properties });
  if (dataset !== null) return { href: hrefOf("/dataset", { name: dataset }), name: dataset };
  const full = `${namespace}/${name}`;
  if (label === "Job") return { href: hrefOf("/job", { name: full }), name: full };
  return null;
}

/** Returns the full name of a vertex that is a dataset. */
function datasetName(value: unknown): string | null {
  const { label, properties } = (typeof value === "object" && value !== null ? value : {}) as Partial<Vertex>;
  const { namespace, name } = properties ?? {};
  return label === "Dataset" && typeof namespace === "string" && typeof name === "string" ? joinName(namespace, name) : null;
}

/** Converts `name=value` to parameters; their values are text. */
function toParams(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => {
    const end = text.indexOf("=");
    return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
  }));
}

function toArguments(params: Readonly<Record<string, string>>): string[] {
  return Object.entries(params).map(([name, value]) => `${name}=${value}`);
}
