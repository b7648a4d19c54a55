// The search field: hits as the reader types, chosen with the keyboard or the mouse.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { getAnswer, toApiError } from "./api.ts";
import { goTo, hrefOf } from "./address.ts";
import { isInField } from "./form.tsx";
import type { Named, StoredRank } from "./records.ts";
import { shortenName, showName, showNumber } from "./text.ts";

const MAX_HITS = 12;
const PAUSE_MS = 20; // keys that a program or a paste writes at once make one request
const RUN_ID = /^[0-9a-f]{8}[0-9a-f-]*$/i;

interface Hit {
  readonly kind: string;
  readonly match: string;
  readonly dataset: Named | null;
  readonly job: Named | null;
  readonly column: string | null;
  readonly node_types: readonly string[];
  readonly rank: StoredRank | null;
}

interface Target {
  readonly kind: string;
  readonly label: string;
  readonly href: string;
  readonly graph: string;
  readonly rank?: string; // "rank 3 of 1,200"
}

/** The answer to a text; the reader may have typed another one since. */
interface Found {
  readonly text: string;
  readonly targets: readonly Target[];
  readonly problem: string;
}

export function Search(props: { autofocus?: boolean }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found>({ text, targets: [], problem: "" });
  const [chosen, setChosen] = useState(0);
  const [entered, setEntered] = useState<"href" | "graph" | null>(null); // waits for the answer to the text
  const input = useRef<HTMLInputElement>(null);
  const { targets } = found;
  const isAnswered = found.text === text;
  const write = (next: string) => {
    setText(next);
    setEntered(null);
  };
  const close = () => write("");
  useEffect(() => findTargets(text, (answer) => {
    setFound(answer);
    setChosen(0);
  }), [text]);
  useEffect(() => {
    const target = targets[chosen];
    if (entered === null || !isAnswered || !target) return;
    close();
    goTo(target[entered]);
  }, [entered, isAnswered]);
  useLayoutEffect(() => focusOnSlash(input.current), []);
  useLayoutEffect(() => { if (props.autofocus) input.current?.focus(); }, []); // before the first paint: no key is lost
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = new Map([["ArrowDown", 1], ["ArrowUp", -1]]).get(event.key);
    if (steps !== undefined && targets.length) setChosen((chosen + steps + targets.length) % targets.length);
    else if (event.key === "Enter") setEntered(event.ctrlKey || event.metaKey ? "graph" : "href");
    else if (event.key === "Escape") close();
    else if (event.key !== "/" || text !== "") return; // the key that opens the search
    event.preventDefault();
  };
  const open = text.trim() !== "";
  return (
    <div class="search" role="search">
      <input ref={input} type="search" role="combobox" list={undefined} aria-label="Search datasets, jobs, columns and runs"
        aria-expanded={open} aria-controls="hits" aria-autocomplete="list" placeholder="Search   /"
        aria-activedescendant={targets.length ? `hit-${chosen}` : undefined}
        autocomplete="off" spellcheck={false} value={text} maxLength={400}
        onInput={(event) => write(event.currentTarget.value)} onKeyDown={onKeyDown} />
      {open && (
        <div class="hits">
          <ul id="hits" role="listbox" aria-label="Hits">
            {targets.map((target, index) => (
              <li key={target.href} id={`hit-${index}`} role="option" aria-selected={index === chosen}>
                <a href={target.href} tabIndex={-1} onClick={close}>
                  <small>{target.kind}</small> <bdi><Marked text={target.label} words={text} /></bdi>
                  {target.rank && <> <small>{target.rank}</small></>}
                </a>
              </li>
            ))}
          </ul>
          <p class="quiet" role="status">{!isAnswered ? "Searching…" : found.problem || (targets.length ? "" : "Nothing matches.")}</p>
        </div>
      )}
    </div>
  );
}

/** Marks the letters that match a word of the search. */
function Marked(props: { text: string; words: string }) {
  const words = props.words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const parts = pattern ? props.text.split(new RegExp(`(${pattern})`, "i")) : [props.text];
  return <>{parts.map((part, index) => (index % 2 ? <mark>{part}</mark> : part))}</>;
}

/** Searches after a pause; returns what cancels the search. */
function findTargets(text: string, finish: (found: Found) => void): () => void {
  const abort = new AbortController();
  const timer = setTimeout(async () => {
    if (!text.trim()) return finish({ text, targets: [], problem: "" });
    try {
      const { hits } = await getAnswer<{ hits: Hit[] }>("search", { text, limit: MAX_HITS }, abort.signal);
      const runs = RUN_ID.test(text.trim()) ? [runTarget(text.trim())] : [];
      const targets = hits.map(hitTarget);
      const isSure = hits[0]?.match !== "similar";
      finish({ text, targets: isSure ? [...targets, ...runs] : [...runs, ...targets], problem: "" }); // the run may not exist
    } catch (error) {
      if (!abort.signal.aborted) finish({ text, targets: [], problem: toApiError(error).message });
    }
  }, PAUSE_MS);
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}

function runTarget(id: string): Target {
  const href = hrefOf("/run", { id });
  return { kind: "run", label: id, href, graph: href };
}

function hitTarget({ dataset, job, column, node_types, rank }: Hit): Target {
  const types = node_types.map(showName).join(", ");
  if (dataset) {
    const target = datasetTarget(dataset.full_name, column ?? undefined, types);
    return rank ? { ...target, rank: `rank ${showNumber(rank.position)} of ${showNumber(rank.total)}` } : target;
  }
  const name = job?.full_name ?? "";
  const href = hrefOf("/job", { name });
  return { kind: types || "job", label: shortenName(name, 90), href, graph: href };
}

function datasetTarget(name: string, column: string | undefined, types: string): Target {
  const label = column === undefined ? shortenName(name, 90) : `${showName(column)} in ${shortenName(name, 70)}`;
  return {
    kind: column === undefined ? types || "dataset" : "column",
    label,
    href: hrefOf("/dataset", { name, column }),
    graph: hrefOf("/graph", { root: name }),
  };
}

/** Moves the focus to the field when the reader presses "/" outside of any field. */
function focusOnSlash(input: HTMLInputElement | null): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "/" || isInField(event) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input?.focus();
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}
