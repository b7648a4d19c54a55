// Names, times and numbers as text. Names come from events and may hold any character.

// Controls, and characters that change the order or the visibility of others (UAX #9, UTR #36).
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** The states of runs by signs, so that they need no colour. */
export const STATE_SIGNS: ReadonlyMap<string, string> = new Map([
  ["COMPLETE", "✓"], ["FAIL", "✗"], ["ABORT", "⊘"], ["RUNNING", "▸"], ["START", "▸"],
]);

/** Returns a name with its invisible characters written as their code points. */
export function showName(name: string): string {
  return name.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Returns a text of several lines as `showName` does; its line feeds and tabs stay. */
export function showLines(text: string): string {
  return text.split(/\r?\n/).map((line) => line.split("\t").map(showName).join("\t")).join("\n");
}

/** Returns a name in at most `most` characters: its middle is cut, because its ends tell more. */
export function shortenName(name: string, most = 64): string {
  const characters = [...showName(name)];
  if (characters.length <= most) return characters.join("");
  const tail = Math.ceil((most - 1) * 0.6);
  return `${characters.slice(0, most - 1 - tail).join("")}…${characters.slice(-tail).join("")}`;
}

let canvas: CanvasRenderingContext2D | null = null; // made once

/** Returns a name that is at most `width` pixels wide, cut as by `shortenName`; `font` has size and weight. */
export function fitName(name: string, width: number, font: string): string {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (canvas) canvas.font = `${font} system-ui, sans-serif`;
  let most = [...showName(name)].length;
  for (let text = shortenName(name, most); ; text = shortenName(name, most)) {
    const measured = canvas?.measureText(text).width ?? 0;
    if (measured <= width || most <= 4) return text;
    most = Math.min(most - 1, Math.floor((most * width) / measured));
  }
}

/** Returns both ends of the id of a run or an item: ids that begin with a time begin alike. */
export function shortenId(id: string): string {
  const shown = showName(id);
  return shown.length > 16 ? `${shown.slice(0, 8)}…${shown.slice(-6)}` : shown;
}

/** Returns the last part of a path or of a dotted name. */
export function lastPart(name: string): string {
  const parts = name.split(/[/\\]/).filter((part) => part !== "");
  return parts.at(-1) ?? name;
}

/** Returns a time of ISO 8601 to the second, in UTC: 2026-01-31 12:00:00. */
export function showTime(time: string | null): string {
  if (time === null) return "";
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString().slice(0, 19).replace("T", " ");
}

/** Returns a time that the reader typed, in UTC if it has no offset. */
export function readTime(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  return /^\d{4}-\d\d-\d\d[T ][\d:.,]+$/.test(text) ? `${text}Z` : text;
}

/** Returns the time between two times: "1 h 02 min", "12.3 s"; empty if one is not known. */
export function showDuration(start: string | null, end: string | null): string {
  if (start === null || end === null) return "";
  return showSeconds((new Date(end).getTime() - new Date(start).getTime()) / 1000);
}

/** Returns a number of seconds as `showDuration` does. */
export function showSeconds(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return "";
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

const NUMBERS = new Intl.NumberFormat("en"); // made once: this takes longer than to write a number

export function showNumber(number: number | null): string {
  return number === null ? "" : NUMBERS.format(number);
}

/** Returns a number and its noun: "1 run", "1,200 runs". */
export function countOf(number: number, noun: string, nouns = `${noun}s`): string {
  return `${showNumber(number)} ${number === 1 ? noun : nouns}`;
}

/** Quotes an argument for a POSIX shell. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
