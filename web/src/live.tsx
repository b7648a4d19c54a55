// News from the server: whether events arrived since the page was loaded. Nothing moves by itself.
import { useEffect } from "preact/hooks";
import { isLoginNeeded, request, toApiError } from "./api.ts";
import { shareValue, useShared } from "./shared.ts";
import { countOf } from "./text.ts";

const PERIOD = 10_000;  // milliseconds

interface Identity {
  readonly session: boolean;
  readonly last_event: number;
  readonly pending_events: number;
}

const identity = shareValue<Identity | null>(null);
const fault = shareValue("");
const shown = shareValue<Identity | null>(null); // when the page was loaded

/** Returns whether the requests of the page have the rights of a session. */
export function useSession(): boolean {
  return useShared(identity, (known) => known?.session ?? false);
}

/** Returns the number of events that are stored and not in the graph yet. */
export function usePendingEvents(): number {
  return useShared(identity, (known) => known?.pending_events ?? 0);
}

/** Grows when the reader asks for the news. A page with another number is loaded again. */
export const revision = shareValue(0);

/** Counts what is on the screen as up to date, because it was just loaded. */
export function markShown(): void {
  shown.value = identity.value;
}

/** Says that events arrived or came into the graph after the page was loaded, and loads it again on request. */
export function NewsBanner() {
  const isWithoutToken = useShared(isLoginNeeded, (is) => is);
  useEffect(followServer, [isWithoutToken]);
  const [news, old] = [useShared(identity, (known) => known), useShared(shown, (known) => known)];
  const problem = useShared(fault, (text) => text);
  const isNew = news !== null && old !== null && isNewer(news, old);
  const show = () => {
    markShown();
    revision.value += 1;
  };
  return (
    <div class="news" role="status" aria-label="News">
      {problem && <p>{problem} What is shown can be out of date.</p>}
      {isNew && (
        <p>
          New events have arrived{news.pending_events > 0 && `; ${countOf(news.pending_events, "event")} not in the graph yet`}.{" "}
          <button class="small" onClick={show}>Show</button>
        </p>
      )}
    </div>
  );
}

function followServer(): () => void {
  const ask = () => {
    if (document.visibilityState === "visible" && !isLoginNeeded.value) void askServer();
  };
  ask();
  const timer = setInterval(ask, PERIOD);
  document.addEventListener("visibilitychange", ask);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", ask);
  };
}

async function askServer(): Promise<void> {
  try {
    identity.value = await request<Identity>("/api/v1/whoami", {});
    fault.value = "";
    shown.value ??= identity.value;
  } catch (error) {
    fault.value = isLoginNeeded.value ? "" : toApiError(error).message;
  }
}

function isNewer(news: Identity, old: Identity): boolean {
  return news.last_event > old.last_event || (old.pending_events > 0 && news.pending_events === 0);
}
