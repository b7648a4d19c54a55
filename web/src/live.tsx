// News from the server: whether events arrived since the page was loaded. Nothing moves by itself.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isLoginNeeded, request } from "./api.ts";
import { countOf } from "./text.ts";

const PERIOD = 10_000;  // milliseconds

interface Identity {
  readonly session: boolean;
  readonly last_event: number;
  readonly pending_events: number;
}

const identity = signal<Identity | null>(null);
const isDown = signal(false);
const shownEvent = signal<number | null>(null);

/** Is true if the requests of the page have the rights of a session. */
export const hasSession = computed(() => identity.value?.session ?? false);

/** Is the number of events that are stored and not in the graph yet. */
export const pendingEvents = computed(() => identity.value?.pending_events ?? 0);

/** Grows when the reader asks for the news. A page with another number is loaded again. */
export const revision = signal(0);

/** Counts what is on the screen as up to date, because it was just loaded. */
export function markShown(): void {
  shownEvent.value = identity.value?.last_event ?? null;
}

/** Says that events arrived after the page was loaded, and loads it again on request. */
export function NewsBanner() {
  useEffect(followServer, [isLoginNeeded.value]);
  const news = identity.value;
  const isNew = news !== null && shownEvent.value !== null && news.last_event > shownEvent.value;
  const show = () => {
    markShown();
    revision.value += 1;
  };
  return (
    <div class="news" role="status" aria-label="News">
      {isDown.value && <p>The server does not answer. What is shown can be out of date.</p>}
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
    isDown.value = false;
    shownEvent.value ??= identity.value.last_event;
  } catch {
    isDown.value = !isLoginNeeded.value;
  }
}
