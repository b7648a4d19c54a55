// Read-only Cypher over the graph: a query as text, or a canned query.
import { useAnswer, usePosted } from "../api.ts";
import { goTo, hrefOf } from "../address.ts";
import { CopyButton, Loaded, Name, Table } from "../components.tsx";
import type { CannedQuery, Rows } from "../records.ts";
import { saveJson } from "../save.ts";
import { quoteArgument, shortenName, showName } from "../text.ts";

const LIMIT = 1000;
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
  const answer = usePosted<Rows>(props.operation, props.body);
  const command = props.command.map(quoteArgument).join(" ");
  return (
    <section aria-label="Answer">
      <Loaded answer={answer}>
        {({ columns, rows, omitted }) => (
          <Table caption="Rows" rows={rows} empty="No row." more={omitted} columns={columns.map((title, index) => (
            { title: showName(title), cell: (row: readonly unknown[]) => <Value value={row[index]} /> }
          ))} />
        )}
      </Loaded>
      <footer class="elsewhere">
        {answer.state === "ready" && <button class="small" onClick={() => saveJson("rows.json", answer.value)}>Save JSON</button>}
        <code>{showName(command)}</code>
        <CopyButton text={command} label="Copy command" />
        <CopyButton text={location.href} label="Copy link" />
      </footer>
    </section>
  );
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
  const full = `${namespace}/${name}`;
  if (label === "Dataset") return { href: hrefOf("/dataset", { name: full }), name: full };
  if (label === "Job") return { href: hrefOf("/job", { name: full }), name: full };
  return null;
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
