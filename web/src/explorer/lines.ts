// The lines of edges: where they lead, and how they show what an edge is.
import type { GraphEdge } from "./answer.ts";
import { hasFailed } from "./comparison.ts";
import { columnKey, HEAD, PITCH, rowOffset, WIDTH, type Box, type View } from "./model.ts";

export interface Colors {
  readonly line: string;
  readonly mark: string;
  readonly text: string;
  readonly panel: string;
  readonly bad: string;
  readonly good: string;
  readonly change: string;
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
  readonly label: string; // at the middle of the line
}

/** Yields a line for each edge between datasets. */
export function* edgeLines({ view, chosen, path }: Scene, colors: Colors): Generator<Line> {
  for (const edge of view.edges) {
    const [source, target] = [view.boxes.get(edge.source), view.boxes.get(edge.target)];
    if (!source || !target) continue;
    const isNear = chosen === edge.source || chosen === edge.target;
    const style = styleOf(edge);
    const color = style.color ? colors[style.color] : isNear && path.size === 0 ? colors.mark : colors.line;
    yield {
      ...endsOf(source, HEAD / 2, target, HEAD / 2), isNear, color,
      width: (isNear ? 2 : 1.25) + (edge.change || edge.way ? 1 : 0), dash: style.dash, label: style.label,
    };
  }
}

interface Style {
  readonly color?: "good" | "bad" | "change" | "text";
  readonly dash: readonly number[];
  readonly label: string;
}

/** Returns how a line shows what its edge is; never by its colour alone. */
export function styleOf(edge: GraphEdge): Style {
  if (edge.change === "added") return { color: "good", dash: [], label: "+" };
  if (edge.change === "removed") return { color: "bad", dash: [3, 3], label: "−" };
  if (edge.change === "changed") return { color: "change", dash: [], label: "~" };
  if (edge.way === "critical") return { color: "text", dash: declaredDash(edge), label: "" };
  if (edge.way === "cycle") return { color: "bad", dash: declaredDash(edge), label: "↻" };
  if (edge.hidden !== undefined) return { dash: [10, 3, 2, 3], label: edge.hidden ? `${edge.hidden} filtered` : "filtered" };
  if (hasFailed(edge)) return { color: "bad", dash: edge.stale ? [6, 4] : [1, 3], label: "✗" };
  return { dash: edge.stale ? [6, 4] : declaredDash(edge), label: "" };
}

/** The dashes of an edge that only a design shows. */
function declaredDash({ declared, runs }: GraphEdge): readonly number[] {
  return declared && runs === 0 ? [2, 3] : [];
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
      label: edge.masking ? "masked" : "",
    };
  }
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
