// The boxes and their places in the address, behind "#", which browsers do not send: a request line
// may have 8 KiB only. A link therefore shows the same boxes at the same places to everybody.
import type { Box, View } from "./model.ts";

/** The place of a box in a link. */
export interface Place {
  readonly name: string;
  readonly layer: number;
  readonly y: number;
  readonly opened: boolean;
}

const FORM = /^(-?\d+),(-?\d+),([01]),(.*)$/s;

export function toFragment(view: View): string {
  const places = [...view.boxes].map(([name, box]) => ["box", writePlace(name, box)]);
  return new URLSearchParams(places).toString();
}

/** Reads the places of a link; what is not one is left out. */
export function readFragment(fragment: string): Place[] {
  return new URLSearchParams(fragment.replace(/^#/, "")).getAll("box").flatMap((text) => {
    const [, layer, y, opened, name] = FORM.exec(text) ?? [];
    if (!layer || !y || !name) return [];
    return [{ name, layer: Number(layer), y: Number(y), opened: opened === "1" }];
  });
}

function writePlace(name: string, box: Box): string {
  return `${box.layer},${Math.round(box.y)},${box.opened ? 1 : 0},${name}`;
}
