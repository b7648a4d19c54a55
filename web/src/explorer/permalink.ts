// The boxes and their places in the address, behind "#", which browsers do not send: a request line
// may have 8 KiB only. A link therefore shows the same boxes at the same places to everybody.
import type { Scope } from "./scope.ts";
import type { Box, View } from "./model.ts";

/** The place of a box in a link. */
export interface Place {
  readonly name: string;
  readonly layer: number;
  readonly y: number;
  readonly opened: boolean;
}

/** What a link describes: boxes at their places, or datasets that the page lays out. */
export interface Linked {
  readonly places: readonly Place[];
  readonly others: readonly string[];
  readonly chosen: string | null;
}

const FORM = /^(-?\d+),(-?\d+),([01]),(.*)$/s;

export function toFragment(view: View, chosen: string | null): string {
  const places = [...view.boxes].map(([name, box]) => ["box", writePlace(name, box)]);
  return new URLSearchParams([...(chosen === null ? [] : [["chosen", chosen]]), ...places]).toString();
}

/** Reads the places of a link; what is not one is left out. */
export function readFragment(fragment: string): Linked {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const places = fields.getAll("box").flatMap((text) => {
    const [, layer, y, opened, name] = FORM.exec(text) ?? [];
    if (!layer || !y || !name) return [];
    return [{ name, layer: Number(layer), y: Number(y), opened: opened === "1" }];
  });
  return { places, others: fields.getAll("with"), chosen: fields.get("chosen") };
}

/** Returns the address of the page with the times of a scope. */
export function addressWith(search: string, { time, before }: Scope, fragment: string): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of [["time", time], ["before", before]] as const) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `${location.pathname}?${query}#${fragment}`;
}

function writePlace(name: string, box: Box): string {
  return `${box.layer},${Math.round(box.y)},${box.opened ? 1 : 0},${name}`;
}
