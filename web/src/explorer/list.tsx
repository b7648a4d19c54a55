// The boxes of the picture as a table: the same selection, for reading, sorting and screen readers.
import { DatasetLink, State, Time } from "../components.tsx";
import { countOf, showName, shortenName, showNumber } from "../text.ts";
import { hiddenCount, type View } from "./model.ts";
import type { Actions } from "./picture.tsx";
import { useRows } from "./rows.ts";

export function BoxList(props: { view: View; chosen: string | null; actions: Actions }) {
  const { view } = props;
  const boxes = [...view.boxes.values()].toSorted((a, b) => a.layer - b.layer || a.y - b.y);
  const [rows, showAll] = useRows(boxes, props.chosen);
  return (
    <div class="scroll list" tabIndex={0} role="region" aria-label="Datasets in the picture, as a table">
      <table>
        <caption>{countOf(boxes.length, "dataset")}, {countOf(view.edges.length, "edge")}, sources first</caption>
        <thead>
          <tr>
            <th scope="col">Dataset</th><th scope="col">State</th><th scope="col">Written (UTC)</th>
            <th scope="col" class="number">Rows</th><th scope="col" class="number">Hidden up</th>
            <th scope="col" class="number">Hidden down</th><th scope="col">Page</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ subject }) => (
            <tr key={subject.name} class={subject.name === props.chosen ? "chosen" : ""}>
              <th scope="row">
                <button class="plain" aria-pressed={subject.name === props.chosen} title={showName(subject.name)}
                  onClick={() => props.actions.choose(subject.name)}><bdi>{shortenName(subject.name, 60)}</bdi></button>
              </th>
              <td>{subject.state === null ? "never written" : <State state={subject.state} />}</td>
              <td><Time time={subject.writtenAt} /></td>
              <td class="number">{showNumber(subject.rows)}</td>
              <td class="number">{hiddenCount(view, subject.name, "upstream")}</td>
              <td class="number">{hiddenCount(view, subject.name, "downstream")}</td>
              <td><DatasetLink dataset={{ namespace: subject.namespace, name: subject.label, full_name: subject.name }} most={24} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {showAll && <button onClick={showAll}>Show all {countOf(boxes.length, "dataset")}</button>}
    </div>
  );
}
