// The state of the explorer, and what its buttons and keys do to it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { toApiError, type ApiError } from "../api.ts";
import { countOf, shortenName } from "../text.ts";
import { jobView } from "./job-level.ts";
import { chosenAt, type Level } from "./levels.ts";
import { hiddenCount, removeBoxes, type Side, type View } from "./model.ts";
import { closeColumns, MORE_COLUMNS, openAllColumns, openColumns } from "./open-columns.ts";
import { addressWith, readFragment, toFragment } from "./permalink.ts";
import type { Actions } from "./picture.tsx";
import { layOutAnew, makeRoom } from "./place.ts";
import { addDatasets, addMatches, askFacts, expandBox, openDatasets, openPlaces, openRoot } from "./questions.ts";
import { askRunView } from "./run-level.ts";
import type { Scope } from "./scope.ts";
import { broughtBy, columnPath, waysBetween } from "./ways.ts";

const MAX_UNDO_STEPS = 100;
const NO_PATH: ReadonlySet<string> = new Set();

/** A view with the scope that its facts were asked for. */
interface Moment {
  readonly view: View;
  readonly scope: Scope;
}

/** The views before, the newest last; the view that is shown, and its scope. */
interface Memory {
  readonly before: Moment[];
  latest: View | null;
  scope: Scope;
  chosen: string | null;
  opening: number; // grows when the reader leaves the picture
}

type Work = (view: View, scope: Scope) => Promise<View>;

export type Explorer = ReturnType<typeof useExplorer>;

export function useExplorer(root: string, initial: Scope, level: Level) {
  const { chosen: linked } = readFragment(location.hash);
  const memory = useRef<Memory>({ before: [], latest: null, scope: initial, chosen: linked, opening: 0 });
  const [view, setView] = useState<View | null>(null);
  const [derived, setDerived] = useState<View | null>(null); // the picture at the levels of jobs and runs
  const [scope, setScope] = useState(initial);
  const [chosen, setChosen] = useState(memory.current.chosen);
  const [path, setPath] = useState(NO_PATH);
  const [message, setMessage] = useState("");
  const [busy, setBusy] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);

  const choose = (name: string | null) => {
    memory.current.chosen = name;
    setChosen(name);
    if (memory.current.latest) writeLink(memory.current);
  };
  const show = (next: View, said: string) => {
    memory.current.latest = next;
    setView(next);
    setMessage(said);
    writeLink(memory.current);
  };
  const change = (next: View, said: string) => {
    const { before, latest, scope: asked } = memory.current;
    if (latest) before.push({ view: latest, scope: asked });
    if (before.length > MAX_UNDO_STEPS) before.shift();
    show(next, said);
  };
  useEffect(() => {
    const abort = new AbortController();
    const fail = (error: unknown) => abort.signal.aborted || setProblem(toApiError(error));
    setProblem(null);
    openPicture(root, memory.current.scope, level).then(({ view: opened, said }) => {
      if (abort.signal.aborted) return;
      memory.current.before.length = 0;
      show(opened, said);
      choose(chosenAt(opened, level, memory.current.chosen ?? opened.root));
    }, fail);
    return () => {
      abort.abort();
      memory.current.opening++;
    };
  }, [root, attempt]);

  useEffect(() => {
    const abort = new AbortController();
    const made = !view ? null : level === "job" ? jobView(view) : level === "run" ? askRunView(view, scope) : null;
    made?.then((next) => abort.signal.aborted || setDerived(next), (error: unknown) => abort.signal.aborted || setProblem(toApiError(error)));
    return () => abort.abort();
  }, [view, scope]);
  /** Works on the view that is shown, and finishes with the result. If the picture or its times change meanwhile, works on the new one. */
  const workOn = async (work: Work, finish: (old: View, next: View) => void) => {
    const { opening } = memory.current;
    try {
      for (let old = memory.current.latest, isDone = false; old && !isDone; old = memory.current.latest) {
        const next = await work(old, memory.current.scope);
        if (memory.current.opening !== opening) return; // the reader has left the picture
        isDone = memory.current.latest === old;
        if (isDone) finish(old, next);
      }
      setProblem(null);
    } catch (error) {
      setProblem(toApiError(error));
    }
  };
  /** Applies a change that takes time; one at a time. */
  const ask = async (name: string, work: Work, finish: (old: View, next: View) => void) => {
    if (busy !== null) return;
    setBusy(name);
    await workOn(work, finish);
    setBusy(null);
  };
  /** Asks again for what is shown at other times; all boxes keep their places. */
  const showTimes = useLatest((time: string | null, before: string | null) => {
    const next: Scope = { ...memory.current.scope, time, before };
    return workOn((old) => askFacts(old, next), (_, found) => {
      memory.current.scope = next;
      setScope(next);
      show(found, sayTimes(next));
    });
  });
  const actions = useStable<Actions>({
    choose,
    expand: (name, side, all) => void ask(
      name, (old, asked) => expandBox(old, name, side, all, asked), (old, next) => change(next, sayAdded(old, next, name, side)),
    ),
    fold: (name, side) => {
      const old = memory.current.latest;
      if (!old) return;
      const folded = broughtBy(old, name, side);
      change(removeBoxes(old, folded), `${countOf(folded.size, "dataset")} folded.`);
    },
    toggleColumns: (name) => {
      const isOpen = memory.current.latest?.boxes.get(name)?.opened;
      void ask(name, async (old, asked) => makeRoom(isOpen ? closeColumns(old, name) : await openColumns(old, name, asked), name),
        (_, next) => change(next, isOpen ? "Columns closed." : "Columns opened."));
    },
    listColumns: (name, text, most) => void ask(
      name, async (old, asked) => makeRoom(await openColumns(old, name, asked, text, most ?? MORE_COLUMNS), name),
      (_, next) => change(next, countOf(next.boxes.get(name)?.opened?.total ?? 0, "column")),
    ),
    chooseColumn: (name, column) => {
      choose(name);
      if (memory.current.latest) setPath(columnPath(memory.current.latest, name, column));
    },
  });
  /** Hides the boxes that are not among some. */
  const keepOnly = (names: ReadonlySet<string>) => {
    const old = memory.current.latest;
    if (!old) return;
    const hidden = new Set([...old.boxes.keys()].filter((name) => !names.has(name)));
    change(removeBoxes(old, hidden), `${countOf(hidden.size, "dataset")} hidden.`);
  };
  /** Shows the boxes before the last change, at the times that are shown now. */
  const undo = () => {
    const { before, scope: asked } = memory.current;
    const old = before.at(-1);
    if (!old) return;
    const finish = (view: View) => {
      before.pop();
      show(view, "Undone.");
    };
    if (old.scope === asked) finish(old.view);
    else void ask(root, async (shown, now) => askFacts(before.at(-1)?.view ?? shown, now), (_, next) => finish(next));
  };
  return {
    view, scope, chosen, path, message, busy, problem, actions, showTimes,
    picture: level === "job" || level === "run" ? derived : view,
    canUndo: memory.current.before.length > 0,
    undo,
    keepWays: () => {
      if (view && chosen !== null) keepOnly(waysBetween(view, view.root, chosen));
    },
    keepPath: () => {
      const names = [...path].map((key) => (JSON.parse(key) as [string])[0]);
      if (view && names.length > 0) keepOnly(new Set([view.root, ...names]));
    },
    add: (name: string) => void ask(name, (old, asked) => addDatasets(old, [name], asked), (_, next) => change(next, `${shortenName(name)} added.`)),
    addMatches: () => void ask(root, addMatches, (old, next) => change(next, `${countOf(next.boxes.size - old.boxes.size, "dataset")} added.`)),
    clearPath: () => setPath(NO_PATH),
    tidy: () => void ask(root, (old) => {
      setMessage(`Laying out ${countOf(old.boxes.size, "dataset")}…`);
      return layOutAnew(old);
    }, (_, next) => change(next, "Laid out anew.")),
    retry: () => setAttempt(attempt + 1),
  };
}

/** Opens the picture of the link; without places, its datasets or the neighbours of the root. */
async function openPicture(root: string, scope: Scope, level: Level): Promise<{ view: View; said: string }> {
  const { places, others } = readFragment(location.hash);
  let missing: readonly string[] = [];
  let view: View;
  if (places.length > 0) ({ view, missing } = await openPlaces(root, places, scope));
  else view = await (others.length > 0 ? openDatasets(root, others, scope) : openRoot(root, scope));
  if (level === "column") view = await layOutAnew(await openAllColumns(view, scope));
  else if (places.length > 0) view = await fillColumns(view, scope);
  const said = level === "job" || level === "run" ? [] : [countOf(view.boxes.size, "dataset")]; // of the boxes, as they are
  if (missing.length > 0) said.push(`${countOf(missing.length, "dataset")} of the link are not known any more.`);
  return { view, said: said.join("; ") };
}

/** Lists the columns of the boxes that a link opens. */
async function fillColumns(view: View, scope: Scope): Promise<View> {
  let filled = view;
  for (const [name, box] of view.boxes) if (box.opened) filled = await openColumns(filled, name, scope);
  return filled;
}

/** Returns functions that stay the same while a component is shown and call the newest ones: boxes need not be made anew. */
function useStable<T extends object>(functions: T): T {
  const newest = useRef(functions);
  newest.current = functions;
  return useMemo(() => Object.fromEntries(Object.keys(functions).map((key) => {
    const name = key as keyof T;
    return [name, (...given: unknown[]) => (newest.current[name] as (...given: unknown[]) => unknown)(...given)];
  })) as T, []);
}

/** Returns a function of which one call runs at a time; of those that wait, the newest is next. */
function useLatest<Arguments extends unknown[]>(work: (...given: Arguments) => Promise<void>): (...given: Arguments) => void {
  const state = useRef<{ isRunning: boolean; next: Arguments | null }>({ isRunning: false, next: null });
  return (...given) => {
    state.current.next = given;
    if (state.current.isRunning) return;
    state.current.isRunning = true;
    void (async () => {
      for (let next = state.current.next; next !== null; next = state.current.next) {
        state.current.next = null;
        await work(...next);
      }
      state.current.isRunning = false;
    })();
  };
}

function writeLink({ latest, scope, chosen }: Memory): void {
  if (latest) history.replaceState(null, "", addressWith(location.search, scope, toFragment(latest, chosen)));
}

function sayTimes({ time, before }: Scope): string {
  if (before !== null) return `Compared: ${before} and ${time ?? "now"}.`;
  return time === null ? "As of now." : `As of ${time}.`;
}

function sayAdded(old: View, next: View, name: string, side: Side): string {
  const added = next.boxes.size - old.boxes.size;
  if (added) return `${countOf(added, "dataset")} added ${side} of ${shortenName(name)}.`;
  const hidden = hiddenCount(next, name, side);
  return hidden ? `${countOf(hidden, "dataset")} ${side} cannot be shown here.` : `No further dataset ${side}.`;
}

