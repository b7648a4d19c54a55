// What a box says of its node.
import { countOf, shortenName, showTime, STATE_SIGNS } from "../text.ts";
import { hiddenCount, type Box, type View } from "./model.ts";

/** Returns state, time and rows of the last write; a state other than COMPLETE is written out. If the node has a detail, returns that. */
export function describeWrite({ subject: { kind, state, writtenAt, rows, detail } }: Box): string {
  if (detail !== undefined) return shortenName(detail, 34);
  if (kind === "dataset" && state === null) return "never written";
  const sign = STATE_SIGNS.get(state ?? "") ?? "·";
  const word = state === "COMPLETE" ? "" : ` ${(state ?? "unknown").toLowerCase()}`;
  return `${sign}${word} ${showTime(writtenAt).slice(0, 16)}${rows === null ? "" : ` · ${countOf(rows, "row")}`}`;
}

/** Returns what cannot be seen by eye alone: the state as a word, and the numbers of hidden neighbours. */
export function describeHidden({ subject: { name, state } }: Box, view: View): string {
  const hidden = (["upstream", "downstream"] as const)
    .map((side) => [hiddenCount(view, name, side), side] as const)
    .filter(([count]) => count > 0)
    .map(([count, side]) => `, ${count} ${side} hidden`);
  return [state === "COMPLETE" ? ", complete" : "", ...hidden].join("");
}
