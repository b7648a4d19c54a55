// The boxes of the picture as a table: the same selection, for reading, sorting and screen readers.
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { DatasetLink, JobLink, RunLink, State, Time } from "../components.tsx";
import { countOf, showName, shortenId, shortenName, showNumber } from "../text.ts";
import type { Subject } from "./answer.ts";
import { hiddenCount, type Box, type View } from "./model.ts";
import type { Actions } from "./picture.tsx";
import { useRows } from "./rows.ts";

interface ColumnOf {
  readonly title: string;
  readonly numeric?: boolean;
  readonly key: (box: Box, view: View) => string | number;
  readonly cell: (box: Box, view: View) => ComponentChildren;
}

const FACTS: readonly ColumnOf[] = [
  { title: "State", key: ({ subject }) => subject.state ?? "", cell: ({ subject }) => <ShownState subject={subject} /> },
  { title: "Time (UTC)", key: ({ subject }) => subject.writtenAt ?? "", cell: ({ subject }) => <Time time={subject.writtenAt} /> },
  { title: "Rows", numeric: true, key: ({ subject }) => subject.rows ?? -1, cell: ({ subject }) => showNumber(subject.rows) },
];
const HIDDEN: readonly ColumnOf[] = [
  {
    title: "Hidden up", numeric: true, key: ({ subject }, view) => hiddenCount(view, subject.name, "upstream"),
    cell: ({ subject }, view) => hiddenCount(view, subject.name, "upstream"),
  },
  {
    title: "Hidden down", numeric: true, key: ({ subject }, view) => hiddenCount(view, subject.name, "downstream"),
    cell: ({ subject }, view) => hiddenCount(view, subject.name, "downstream"),
  },
];

export function BoxList(props: { view: View; chosen: string | null; canExpand: boolean; actions: Actions }) {
  const { view } = props;
  const columns = props.canExpand ? [...FACTS, ...HIDDEN] : FACTS;
  const [text, setText] = useState("");
  const [sorting, setSorting] = useState<{ title: string; descending: boolean } | null>(null);
  const boxes = sortBoxes(view, sorting).filter(({ subject }) => subject.name.toLowerCase().includes(text.toLowerCase()));
  const [rows, showAll] = useRows(boxes, props.chosen);
  const sortBy = (title: string) => setSorting({ title, descending: sorting?.title === title && !sorting.descending });
  return (
    <>
      <label class="list-filter">Filter the table{" "}
        <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
      <div class="scroll list" tabIndex={0} role="region" aria-label="Nodes of the picture, as a table">
        <table>
          <caption>{countOf(boxes.length, "node")}, {countOf(view.edges.length, "edge")}{sorting ? "" : ", sources first"}</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              {columns.map(({ title, numeric }) => (
                <th scope="col" class={numeric ? "number" : ""} aria-sort={orderOf(sorting, title)}>
                  <button class="plain" onClick={() => sortBy(title)}>{title}</button>
                </th>
              ))}
              <th scope="col">Page</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((box) => (
              <tr key={box.subject.name} class={box.subject.name === props.chosen ? "chosen" : ""}>
                <th scope="row">
                  <button class="plain" aria-pressed={box.subject.name === props.chosen} title={showName(box.subject.name)}
                    onClick={() => props.actions.choose(box.subject.name)}><bdi>{shownName(box.subject)}</bdi></button>
                </th>
                {columns.map(({ numeric, cell }) => <td class={numeric ? "number" : ""}>{cell(box, view)}</td>)}
                <td><PageLink subject={box.subject} /></td>
              </tr>
            ))}
          </tbody>
        </table>
        {showAll && <button onClick={showAll}>Show all {countOf(boxes.length, "node")}</button>}
      </div>
    </>
  );
}

function shownName({ kind, name, label }: Subject): string {
  return shortenName(kind === "run" ? `${label}, run ${shortenId(name)}` : name, 60);
}

function ShownState(props: { subject: Subject }) {
  const { kind, state, detail } = props.subject;
  return kind === "dataset" && state === null ? <>{detail ?? "never written"}</> : <State state={state} />;
}

function PageLink(props: { subject: Subject }) {
  const { kind, name, namespace, label } = props.subject;
  const named = { namespace, name: label, full_name: name };
  if (kind === "run") return <RunLink run={name} />;
  return kind === "job" ? <JobLink job={named} /> : <DatasetLink dataset={named} most={24} />;
}

function sortBoxes(view: View, sorting: { title: string; descending: boolean } | null): Box[] {
  const column = [...FACTS, ...HIDDEN].find(({ title }) => title === sorting?.title);
  const boxes = [...view.boxes.values()].toSorted((a, b) => a.layer - b.layer || a.y - b.y);
  if (!column) return boxes;
  const sign = sorting?.descending ? -1 : 1;
  return boxes.toSorted((a, b) => {
    const [one, other] = [column.key(a, view), column.key(b, view)];
    return one === other ? 0 : (one < other ? -1 : 1) * sign;
  });
}

function orderOf(sorting: { title: string; descending: boolean } | null, title: string): "ascending" | "descending" | "none" {
  if (sorting?.title !== title) return "none";
  return sorting.descending ? "descending" : "ascending";
}
