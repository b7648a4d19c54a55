// A box: a dataset, the numbers of its hidden neighbours, and its columns if they are open.
import type { DatasetColumn } from "../records.ts";
import {
  columnKey, heightOf, hiddenCount, PITCH, ROW, SEARCH, shownNeighbours, WIDTH, type Box, type Side, type View,
} from "./model.ts";
import { MORE_COLUMNS } from "./open-columns.ts";
import type { Actions } from "./picture.tsx";
import { countOf, fitName, lastPart, shortenName, showName } from "../text.ts";
import { describeHidden, describeWrite } from "./describe.ts";

const SIGNS: ReadonlyMap<Side, string> = new Map([["upstream", "left"], ["downstream", "right"]]);

const PRESENCE: ReadonlyMap<string, string> = new Map([["absent", "not seen yet"], ["added", "+ seen since"]]);

// Widths in pixels: of the text of a box, and of what stands beside it.
const TEXT = WIDTH - 30;
const COLUMNS_BUTTON = 24;
const MARK = 90;

const WRITE_TITLE = "State, time (UTC) and rows of the last write";
const RUN_TITLE = "State and time (UTC) of the last run";

export function BoxView(props: {
  box: Box; view: View; isChosen: boolean; isBusy: boolean; canExpand: boolean; path: ReadonlySet<string>; actions: Actions;
}) {
  const { box, view, actions } = props;
  const { subject } = box;
  const { name } = subject;
  const hasColumns = props.canExpand && subject.columns !== 0;
  const isLit = props.path.size === 0 || [...(box.opened?.names ?? [])].some((column) => props.path.has(columnKey(name, column)));
  const style = {
    left: `${box.layer * PITCH}px`, top: `${box.y}px`, width: `${WIDTH}px`, height: `${heightOf(box)}px`,
  };
  return (
    <li class={`box ${props.isChosen ? "chosen" : ""} ${isLit ? "" : "faint"} ${box.presence ?? ""}`} style={style} data-name={name} aria-busy={props.isBusy}>
      <button class="title" aria-pressed={props.isChosen} title={showName(subject.kind === "row" ? `${subject.label}, ${subject.namespace}` : name)}
        onClick={() => actions.choose(name)}>
        <bdi>{fitName(lastPart(subject.label), hasColumns ? TEXT - COLUMNS_BUTTON : TEXT, "15px")}</bdi>
        <small>
          {box.presence && <><span class={`change ${box.presence}`}>{PRESENCE.get(box.presence)}</span> </>}
          <bdi>{fitName([subject.namespace, ...subject.tags].join(" · "), box.presence ? TEXT - MARK : TEXT, "12.5px")}</bdi>
        </small>
        <small class={`state ${subject.state ?? ""}`} title={subject.detail !== undefined ? undefined : subject.kind === "job" ? RUN_TITLE : WRITE_TITLE}>{describeWrite(box)}</small>
        <span class="unseen">{describeHidden(box, view)}</span>
      </button>
      {props.canExpand && <SideButton side="upstream" box={box} view={view} actions={actions} />}
      {props.canExpand && <SideButton side="downstream" box={box} view={view} actions={actions} />}
      {hasColumns && (
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
  const { subject: { name }, opened } = props.box;
  if (!opened) return null;
  const { names, total, text, details } = opened;
  const list = (wanted: string, most?: number) => props.actions.listColumns(name, wanted, most);
  return (
    <div class="columns">
      <input type="search" aria-label={`Search columns of ${shortenName(name)}`} placeholder={`Search ${countOf(total, "column")}`}
        defaultValue={text} style={{ height: `${SEARCH - 4}px` }} onChange={(event) => list(event.currentTarget.value)} />
      <ul aria-label={`Columns of ${shortenName(name)}`}>
        {names.map((column) => (
          <li key={column} style={{ height: `${ROW}px` }}>
            <button class={props.path.has(columnKey(name, column)) ? "lit" : ""} title={describeColumn(column, details.get(column))}
              aria-pressed={props.path.has(columnKey(name, column))}
              onClick={() => props.actions.chooseColumn(name, column)}><bdi>{fitName(column, TEXT, "12.75px")}</bdi></button>
          </li>
        ))}
        {total > names.length && (
          <li><button class="quiet" onClick={() => list(text, names.length + MORE_COLUMNS)}>{countOf(total - names.length, "more column")}</button></li>
        )}
      </ul>
    </div>
  );
}

function describeColumn(column: string, details: DatasetColumn | undefined): string {
  if (!details) return showName(column);
  const sources = `derives from ${countOf(details.upstream, "column")}, used by ${countOf(details.downstream, "column")}`;
  return [showName(column), showName(details.type ?? "type not reported"), sources].join("; ");
}
