// A box: a dataset, the numbers of its hidden neighbours, and its columns if they are open.
import { columnKey, heightOf, hiddenCount, PITCH, ROW, shownNeighbours, WIDTH, type Box, type Side, type View } from "./model.ts";
import type { Actions } from "./picture.tsx";
import { countOf, lastPart, shortenName, showName, showTime } from "../text.ts";

const SIGNS: ReadonlyMap<Side, string> = new Map([["upstream", "left"], ["downstream", "right"]]);

export function BoxView(props: {
  box: Box; view: View; isChosen: boolean; isBusy: boolean; path: ReadonlySet<string>; actions: Actions;
}) {
  const { box, view, actions } = props;
  const { subject } = box;
  const { name } = subject;
  const isLit = props.path.size === 0 || [...(box.opened?.names ?? [])].some((column) => props.path.has(columnKey(name, column)));
  const style = {
    left: `${box.layer * PITCH}px`, top: `${box.y}px`, width: `${WIDTH}px`, height: `${heightOf(box)}px`,
  };
  return (
    <li class={`box ${props.isChosen ? "chosen" : ""} ${isLit ? "" : "faint"}`} style={style} data-name={name} aria-busy={props.isBusy}>
      <button class="title" aria-pressed={props.isChosen} title={showName(name)}
        onClick={() => actions.choose(name)}>
        <bdi>{shortenName(lastPart(subject.label), 28)}</bdi>
        <small><bdi>{shortenName(subject.namespace, 30)}</bdi></small>
        <small class={`state ${subject.state ?? ""}`}>{describeWrite(box)}</small>
        <span class="unseen">{describeHidden(box, view)}</span>
      </button>
      <SideButton side="upstream" box={box} view={view} actions={actions} />
      <SideButton side="downstream" box={box} view={view} actions={actions} />
      {subject.columns > 0 && (
        <button class="columns-button" aria-expanded={box.opened !== null} title="Columns (c)"
          aria-label={`Columns of ${shortenName(name)}`} onClick={() => actions.toggleColumns(name)}>≡</button>
      )}
      {box.opened && <Columns box={box} path={props.path} actions={actions} />}
    </li>
  );
}

/** Shows more neighbours on a side, or folds those that it brought. */
function SideButton(props: { side: Side; box: Box; view: View; actions: Actions }) {
  const { side, view, actions } = props;
  const { name } = props.box.subject;
  const hidden = hiddenCount(view, name, side);
  const shown = shownNeighbours(view, name, side).length;
  const where = `${SIGNS.get(side)} side`;
  if (hidden > 0) {
    return (
      <button class={where} aria-label={`Show ${countOf(hidden, "hidden dataset")} ${side} of ${shortenName(name)}`}
        title={`${shown} of ${shown + hidden} shown; with Shift all`}
        onClick={(event) => actions.expand(name, side, event.shiftKey)}>+{hidden}</button>
    );
  }
  if (shown === 0) return null;
  return <button class={where} aria-label={`Fold ${side} of ${shortenName(name)}`} onClick={() => actions.fold(name, side)}>−</button>;
}

function Columns(props: { box: Box; path: ReadonlySet<string>; actions: Actions }) {
  const { subject, opened } = props.box;
  if (!opened) return null;
  return (
    <ul class="columns" aria-label={`Columns of ${shortenName(subject.name)}`}>
      {opened.names.map((column) => (
        <li key={column} style={{ height: `${ROW}px` }}>
          <button class={props.path.has(columnKey(subject.name, column)) ? "lit" : ""} title={showName(column)}
            aria-pressed={props.path.has(columnKey(subject.name, column))}
            onClick={() => props.actions.chooseColumn(subject.name, column)}><bdi>{shortenName(column, 28)}</bdi></button>
        </li>
      ))}
      {opened.total > opened.names.length && <li class="quiet">{countOf(opened.total - opened.names.length, "more column")}</li>}
    </ul>
  );
}

function describeWrite({ subject }: Box): string {
  if (subject.state === null) return "never written";
  return `${subject.state.toLowerCase()} ${showTime(subject.writtenAt)}`;
}

function describeHidden(box: Box, view: View): string {
  const { name } = box.subject;
  return (["upstream", "downstream"] as const)
    .map((side) => [hiddenCount(view, name, side), side] as const)
    .filter(([count]) => count > 0)
    .map(([count, side]) => `, ${count} ${side} hidden`)
    .join("");
}
