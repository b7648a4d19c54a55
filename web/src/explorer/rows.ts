// The rows of a long table: thousands of them would make every change of the page slow.
import { useState } from "preact/hooks";
import { useGradually } from "./frame.ts";
import type { Box } from "./model.ts";

const MAX_ROWS = 200;
const MAX_NEW_ROWS = 40; // in one frame

/** Returns the first boxes and the chosen one, and what shows the others too; null if none is left out. */
export function useRows(boxes: readonly Box[], chosen: string | null): [rows: readonly Box[], showAll: (() => void) | null] {
  const [isWhole, setWhole] = useState(false);
  const rows = isWhole ? boxes : boxes.filter(({ subject }, index) => index < MAX_ROWS || subject.name === chosen);
  const shown = useGradually(rows.map((box) => [box.subject.name, box] as const), MAX_NEW_ROWS, chosen);
  return [shown.map(([, box]) => box), rows.length < boxes.length ? () => setWhole(true) : null];
}
