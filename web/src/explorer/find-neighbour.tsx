// Neighbours of the chosen box by their names, to add one of many without all others.
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../components.tsx";
import { toApiError, type ApiError } from "../api.ts";
import { shortenName } from "../text.ts";
import { hiddenCount, type View } from "./model.ts";
import { findNeighbours } from "./questions.ts";
import type { Scope } from "./scope.ts";

const PAUSE_MS = 150;
const NOTHING: Awaited<ReturnType<typeof findNeighbours>> = { found: [], hasMore: false };

export function FindNeighbour(props: { view: View; chosen: string; scope: Scope; add: (name: string) => void }) {
  const { view, chosen, scope } = props;
  const [text, setText] = useState("");
  const [{ found, hasMore }, setAnswer] = useState(NOTHING);
  const [error, setError] = useState<ApiError | null>(null);
  const hidden = hiddenCount(view, chosen, "upstream") + hiddenCount(view, chosen, "downstream");
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(async () => {
      try {
        const answer = text.trim() ? await findNeighbours(view, chosen, text.trim(), scope) : NOTHING;
        if (isWanted) setAnswer(answer);
        if (isWanted) setError(null);
      } catch (reason) {
        if (isWanted) setError(toApiError(reason));
      }
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text, chosen, scope, view]);
  if (hidden === 0) return null;
  return (
    <div class="find-neighbour">
      <label>Search the {hidden} hidden neighbours of <bdi>{shortenName(chosen, 40)}</bdi>{" "}
        <input type="search" value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} /></label>
      {error && <Problem error={error} />}
      {text.trim() !== "" && (
        <ul aria-label="Hidden neighbours">
          {found.map(({ name }) => <li><button onClick={() => props.add(name)}>Show <bdi>{shortenName(name, 70)}</bdi></button></li>)}
          {hasMore ? <li class="quiet">More neighbours match. Type more of the name.</li>
            : found.length === 0 && <li class="quiet">No hidden neighbour matches.</li>}
        </ul>
      )}
    </div>
  );
}
