// Parts of several pages: links, states, tables, and what a page is made from.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { answerHref, type Answer, type ApiError } from "./api.ts";
import { hrefOf, type Parameters } from "./address.ts";
import type { Change, Facets, Named, Run, RunArchive } from "./records.ts";
import { countOf, quoteArgument, shortenId, shortenName, showLines, showName, showTime, STATE_SIGNS } from "./text.ts";

const CHANGE_SIGNS: ReadonlyMap<Change, string> = new Map([["added", "+"], ["removed", "−"], ["changed", "~"], ["unknown", "?"]]);

/** Shows an answer, or that it is awaited, or the reason why there is none. */
export function Loaded<T>(props: { answer: Answer<T>; children: (value: T) => ComponentChildren }) {
  const { answer } = props;
  if (answer.state === "loading") return <p class="quiet" role="status">Loading…</p>;
  if (answer.state === "ready") return <>{props.children(answer.value)}</>;
  return <Problem error={answer.error} retry={answer.retry} />;
}

/** An error with its remedy. */
export function Problem(props: { error: ApiError; retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <p>{showName(props.error.message)}</p>
      {props.error.excerpt.length > 0 && <pre>{showLines(props.error.excerpt.join("\n"))}</pre>}
      {props.error.hint && <p>{showName(props.error.hint)}</p>}
      {props.retry && <button onClick={props.retry}>Retry</button>}
    </div>
  );
}

/** A name of a dataset or a job, isolated from the direction of the text around it. */
export function Name(props: { name: string; most?: number }) {
  return <bdi title={showName(props.name)}>{shortenName(props.name, props.most)}</bdi>;
}

/** A link to the page of a dataset or a job by its full name. */
export function NameLink(props: { path: "/dataset" | "/job"; name: string; most?: number }) {
  return <a href={hrefOf(props.path, { name: props.name })}><Name name={props.name} most={props.most ?? 64} /></a>;
}

export function DatasetLink(props: { dataset: Named; most?: number }) {
  const href = hrefOf("/dataset", { name: props.dataset.full_name });
  return <a href={href}><Name name={props.dataset.full_name} most={props.most ?? 72} /></a>;
}

export function JobLink(props: { job: Named | null }) {
  if (props.job === null) return <>—</>;
  return <a href={hrefOf("/job", { name: props.job.full_name })}><Name name={props.job.full_name} /></a>;
}

export function RunLink(props: { run: string }) {
  const { run } = props;
  return <a class="code" href={hrefOf("/run", { id: run })} title={showName(run)}>{shortenId(run)}</a>;
}

/** The state of a run by a sign and a word, so that it needs no colour. */
export function State(props: { state: string | null }) {
  const state = props.state ?? "unknown";
  return <span class={`state ${state}`}>{STATE_SIGNS.get(state) ?? "·"} {state.toLowerCase()}</span>;
}

export function Time(props: { time: string | null }) {
  if (props.time === null) return <>—</>;
  return <time dateTime={props.time} title={`${props.time}, shown in UTC`}>{showTime(props.time)}</time>;
}

/** The note that an answer does not have the archived runs, if there are any. */
export function ArchiveNote(props: { archive: RunArchive | null }) {
  if (props.archive === null) return null;
  return <p class="quiet">Runs from before {props.archive.before.slice(0, 10)} are archived: they are neither shown nor counted.</p>;
}

export function firstLine(run: Run): string {
  return shortenName((run.error ?? "").split("\n", 1)[0] ?? "", 160);
}

/** A change by a sign and a word, so that it needs no colour. */
export function ChangeSign(props: { change: Change }) {
  return <span class={`change ${props.change}`}>{CHANGE_SIGNS.get(props.change)} {props.change}</span>;
}

/** A text with its line feeds. */
export function Lines(props: { text: string }) {
  return <span class="lines">{showLines(props.text)}</span>;
}

/** A text of several lines that the reader can close. */
export function LongText(props: { title: string; text: string; open?: boolean }) {
  return <details open={props.open ?? false}><summary>{props.title}</summary><pre tabIndex={0}>{showLines(props.text)}</pre></details>;
}

/** The statement of a job, as its newest event has it. */
export function SqlOfJob(props: { facets: Facets }) {
  const sql = (props.facets["sql"] as { query?: unknown } | undefined)?.query;
  return typeof sql === "string" ? <LongText title="SQL of the newest event of the job" text={sql} /> : null;
}

/** How many entries of a list the answer leaves out, if any. */
export function NotShown(props: { count: number | undefined; noun: string; nouns?: string }) {
  return props.count ? <p class="quiet">{countOf(props.count, props.noun, props.nouns)} not shown.</p> : null;
}

export interface ColumnOf<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly numeric?: boolean;
}

/** A table with a row for each of `rows`; `empty` is shown if there is none. `more`: their number, or whether there are any. */
export function Table<Row>(props: {
  caption: string; rows: readonly Row[]; columns: readonly ColumnOf<Row>[]; empty: string; more?: number | boolean | undefined;
}) {
  if (props.rows.length === 0) return <p class="quiet">{props.empty}</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.caption}>
      <table>
        <caption>{props.caption}</caption>
        <thead>
          <tr>{props.columns.map((column) => <th scope="col" class={column.numeric ? "number" : ""}>{column.title}</th>)}</tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr>{props.columns.map((column) => <td class={column.numeric ? "number" : ""}>{column.cell(row)}</td>)}</tr>
          ))}
        </tbody>
      </table>
      {!!props.more && <p class="quiet">{props.more === true ? "More" : `${props.more} more`} are not shown.</p>}
    </div>
  );
}

/** The same answer elsewhere: as JSON, and on the command line if a command gives it. */
export function Elsewhere(props: { operation: string; parameters: Parameters; command?: readonly string[] }) {
  const command = props.command?.map(quoteArgument).join(" ");
  return (
    <footer class="elsewhere">
      <a href={answerHref(props.operation, props.parameters)} target="_blank" rel="noreferrer">JSON</a>
      {command && <code>{showName(command)}</code>}
      {command && <CopyButton text={command} label="Copy command" />}
      <CopyButton text={location.href} label="Copy link" />
    </footer>
  );
}

export function CopyButton(props: { text: string; label: string }) {
  const { text } = props;
  const [last, setLast] = useState({ text: "", said: "" });
  const copy = async (button: HTMLButtonElement) => {
    setLast({ text, said: await copyText(text) ? "Copied" : "Not copied" });
    button.focus();
  };
  return (
    <button class="small" onClick={(event) => void copy(event.currentTarget)}>{last.text === text ? last.said : props.label}</button>
  );
}

/** Copies a text and returns whether it could; pages of plain HTTP from another machine have no clipboard. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.body.appendChild(document.createElement("textarea"));
    field.value = text;
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
