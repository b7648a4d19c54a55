// The lines of edges: where they lead, and how they show what an edge is.
import { columnKey, HEAD, PITCH, ROW, WIDTH, type Box, type View } from "./model.ts";

export interface Colors {
  readonly line: string;
  readonly mark: string;
  readonly text: string;
  readonly panel: string;
  readonly bad: string;
}

export interface Scene {
  readonly view: View;
  readonly chosen: string | null;
  readonly path: ReadonlySet<string>; // keys of the columns that are lit
}

/** An edge as it is drawn, from the right side of a box to the left side of another. */
export interface Line {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly color: string;
  readonly width: number;
  readonly dash: readonly number[];
  readonly isNear: boolean;
}

/** Yields a line for each edge between datasets. */
export function* edgeLines({ view, chosen, path }: Scene, colors: Colors): Generator<Line> {
  for (const edge of view.edges) {
    const [source, target] = [view.boxes.get(edge.source), view.boxes.get(edge.target)];
    if (!source || !target) continue;
    const isNear = chosen === edge.source || chosen === edge.target;
    const failed = edge.jobState === "FAIL" || edge.jobState === "ABORT";
    yield {
      ...endsOf(source, HEAD / 2, target, HEAD / 2), isNear,
      color: failed ? colors.bad : isNear && path.size === 0 ? colors.mark : colors.line,
      width: isNear ? 2 : 1.25,
      dash: edge.stale ? [6, 4] : edge.declared ? [2, 3] : failed ? [1, 3] : [],
    };
  }
}

/** Yields a line for each edge between open columns; only the lit ones if some are. */
export function* columnLines({ view, path }: Scene, colors: Colors): Generator<Line> {
  for (const edge of view.columnEdges) {
    const [source, target] = [view.boxes.get(edge.source), view.boxes.get(edge.target)];
    if (!source?.opened || !target?.opened) continue;
    const isLit = path.has(columnKey(edge.source, edge.sourceColumn)) && path.has(columnKey(edge.target, edge.targetColumn));
    if (path.size > 0 && !isLit) continue;
    yield {
      ...endsOf(source, rowOffset(source, edge.sourceColumn), target, rowOffset(target, edge.targetColumn)),
      isNear: isLit, color: isLit ? colors.mark : colors.line, width: isLit ? 2 : 1, dash: edge.direct ? [] : [4, 3],
    };
  }
}

/** Returns where an edge meets a box: the row of the column, or below the rows if it is not shown. */
function rowOffset(box: Box, column: string | null): number {
  if (column === null) return HEAD / 2;
  const names = box.opened?.names ?? [];
  const index = names.indexOf(column);
  return HEAD + ((index < 0 ? names.length : index) + 0.5) * ROW;
}

function endsOf(source: Box, sourceY: number, target: Box, targetY: number): Pick<Line, "from" | "to"> {
  return {
    from: [source.layer * PITCH + WIDTH, source.y + sourceY],
    to: [target.layer * PITCH, target.y + targetY],
  };
}

/** Returns how far the curve of a line is bent at its ends. */
export function bendOf({ from, to }: Line): number {
  return Math.max(40, Math.abs(to[0] - from[0]) / 2);
}
