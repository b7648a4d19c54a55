// The address of the page: its path and its query hold all state, so that a link shows the same.
import { shareValue } from "./shared.ts";

export type Parameters = Record<string, string | number | boolean | readonly string[] | undefined>;

const MAX_NAMES = 100;

export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly visit: number; // grows with each page that is shown
}

let visits = 0;

export const address = shareValue(readAddress());

/** Returns the address of a page; parameters that are undefined, empty or false are left out. */
export function hrefOf(path: string, parameters: Parameters = {}): string {
  const query = toQuery(parameters).toString();
  return query ? `${path}?${query}` : path;
}

/** Returns the address of the picture of some datasets; the others follow "#", because a request line is short. */
export function graphHref(root: string, others: readonly string[]): string {
  return `${hrefOf("/graph", { root })}#${toQuery({ with: others.slice(0, MAX_NAMES) })}`;
}

/** Converts parameters to a query string; lists become repeated parameters. */
export function toQuery(parameters: Parameters): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === "" || value === false) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  return query;
}

/** Shows another page; `replace` does not add an entry to the history. */
export function goTo(href: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", href);
  address.value = readAddress();
}

/** Follows links within the page without loading it again, and the buttons back and forward. */
export function followAddress(): void {
  addEventListener("popstate", () => (address.value = readAddress()));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.origin !== location.origin) return;
    if (link.hasAttribute("download") || /^\/(api|ui|openapi)/.test(link.pathname)) return;
    event.preventDefault();
    goTo(link.pathname + link.search + link.hash);
    scrollTo(0, 0);
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  });
}

function readAddress(): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search), visit: ++visits };
}
