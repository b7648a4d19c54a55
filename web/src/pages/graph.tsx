// The explorer: a picture of datasets that grows where the reader asks, and the same as a table.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, toApiError } from "../api.ts";
import { Elsewhere } from "../components.tsx";
import { ExportMenu } from "../explorer/export.tsx";
import { BoxList } from "../explorer/list.tsx";
import { removeBoxes, type Side, type View } from "../explorer/model.ts";
import { readFragment, toFragment } from "../explorer/permalink.ts";
import { Picture, type Actions } from "../explorer/picture.tsx";
import { layOutAnew, makeRoom } from "../explorer/place.ts";
import { closeColumns, expandBox, openColumns, openDatasets, openPlaces, openRoot } from "../explorer/questions.ts";
import { broughtBy, columnPath, waysBetween } from "../explorer/ways.ts";
import { countOf, lastPart, shortenName, showName } from "../text.ts";

const MOST_UNDO = 100;
const NO_PATH: ReadonlySet<string> = new Set();

export function GraphPage(props: { query: URLSearchParams }) {
  const root = props.query.get("root") ?? "";
  const explorer = useExplorer(root, props.query.getAll("with"));
  const { view, problem, chosen } = explorer;
  return (
    <div class="explorer">
      <h1>Graph of <bdi>{shortenName(root, 80)}</bdi></h1>
      <div class="chips" role="toolbar" aria-label="Picture">
        <button onClick={explorer.undo} disabled={!explorer.canUndo}>Undo</button>
        <button onClick={explorer.tidy}>Tidy</button>
        {view && chosen !== null && chosen !== view.root && (
          <button onClick={explorer.keepWays}>Only the ways to {shortenName(lastPart(chosen), 24)}</button>
        )}
        {explorer.path.size > 0 && <button onClick={explorer.clearPath}>Show all columns</button>}
        <span role="status" aria-label="Last change">{explorer.message}</span>
        {view && <ExportMenu scene={{ view, chosen, path: explorer.path }} />}
      </div>
      {problem && (
        <div class="problem" role="alert">
          <p>{showName(problem.message)}</p>
          {problem.hint && <p>{showName(problem.hint)}</p>}
          <button onClick={explorer.retry}>Retry</button>
        </div>
      )}
      {!view && !problem && <p class="quiet" role="status">Loading…</p>}
      {view && (
        <>
          <Picture view={view} chosen={chosen} path={explorer.path} busy={explorer.busy} actions={explorer.actions} />
          <BoxList view={view} chosen={chosen} actions={explorer.actions} />
        </>
      )}
      <Elsewhere operation="neighbours" parameters={{ dataset: root }}
        command={["lineage", "query", root, "--depth", "1"]} />
    </div>
  );
}

/** The state of the explorer, and what its buttons and keys do. */
function useExplorer(root: string, others: readonly string[]) {
  const [view, setView] = useState<View | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [path, setPath] = useState(NO_PATH);
  const [message, setMessage] = useState("");
  const [busy, setBusy] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  const before = useRef<View[]>([]);
  const latest = useRef<View | null>(null);
  const openings = useRef(0);
  const show = (next: View, said: string) => {
    latest.current = next;
    setView(next);
    setMessage(said);
    history.replaceState(null, "", `${location.pathname}${location.search}#${toFragment(next)}`);
  };
  const change = (next: View, said: string) => {
    if (latest.current) before.current = [...before.current.slice(-MOST_UNDO), latest.current];
    show(next, said);
  };
  useEffect(() => {
    const abort = new AbortController();
    const fail = (error: unknown) => abort.signal.aborted || setProblem(toApiError(error));
    setProblem(null);
    openPicture(root, others).then(({ view: opened, said }) => {
      if (abort.signal.aborted) return;
      before.current = [];
      show(opened, said);
      setChosen(opened.root);
    }, fail);
    return () => {
      abort.abort();
      openings.current++;
    };
  }, [root, attempt]);
  /** Applies a change that takes time; one at a time. If the picture changes meanwhile, it is applied to the new one. */
  const ask = async (name: string, work: (view: View) => Promise<View>, say: (old: View, next: View) => string) => {
    if (busy !== null) return;
    const opening = openings.current;
    setBusy(name);
    try {
      for (let old = latest.current, isDone = false; old && !isDone; old = latest.current) {
        const next = await work(old);
        if (openings.current !== opening) return; // the reader has left the picture
        isDone = latest.current === old;
        if (isDone) change(next, say(old, next));
      }
      setProblem(null);
    } catch (error) {
      setProblem(toApiError(error));
    } finally {
      setBusy(null);
    }
  };
  const actions: Actions = {
    choose: setChosen,
    expand: (name, side, all) => void ask(name, (old) => expandBox(old, name, side, all), (old, next) => sayAdded(old, next, name, side)),
    fold: (name, side) => {
      const old = latest.current;
      if (!old) return;
      const folded = broughtBy(old, name, side);
      change(removeBoxes(old, folded), `${countOf(folded.size, "dataset")} folded.`);
    },
    toggleColumns: (name) => {
      const isOpen = latest.current?.boxes.get(name)?.opened;
      void ask(name, async (old) => makeRoom(isOpen ? closeColumns(old, name) : await openColumns(old, name), name),
        () => (isOpen ? "Columns closed." : "Columns opened."));
    },
    chooseColumn: (name, column) => {
      setChosen(name);
      if (latest.current) setPath(columnPath(latest.current, name, column));
    },
  };
  const undo = () => {
    const old = before.current.pop();
    if (old) show(old, "Undone.");
  };
  const keepWays = () => {
    const old = latest.current;
    if (!old || chosen === null) return;
    const ways = waysBetween(old, old.root, chosen);
    const others = new Set([...old.boxes.keys()].filter((name) => !ways.has(name)));
    change(removeBoxes(old, others), `${countOf(others.size, "dataset")} hidden.`);
  };
  return {
    view, chosen, path, message, busy, problem, actions, undo,
    canUndo: before.current.length > 0,
    keepWays,
    clearPath: () => setPath(NO_PATH),
    tidy: () => void ask(root, (old) => {
      setMessage(`Laying out ${countOf(old.boxes.size, "dataset")}…`);
      return layOutAnew(old);
    }, () => "Laid out anew."),
    retry: () => setAttempt(attempt + 1),
  };
}

/** Opens the picture of the link; without places, `others` or the neighbours of the root. */
async function openPicture(root: string, others: readonly string[]): Promise<{ view: View; said: string }> {
  const places = readFragment(location.hash);
  if (places.length === 0) {
    const view = await (others.length > 0 ? openDatasets(root, others) : openRoot(root));
    return { view, said: countOf(view.boxes.size, "dataset") };
  }
  const { view, missing } = await openPlaces(root, places);
  const said = countOf(view.boxes.size, "dataset");
  return { view, said: missing.length ? `${said}; ${countOf(missing.length, "dataset")} of the link are not known any more.` : said };
}

function sayAdded(old: View, next: View, name: string, side: Side): string {
  const added = next.boxes.size - old.boxes.size;
  return added ? `${countOf(added, "dataset")} added ${side} of ${shortenName(name)}.` : `No further dataset ${side}.`;
}
