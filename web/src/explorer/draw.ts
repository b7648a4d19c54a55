// The canvas below the boxes: edges, and boxes without text where the picture is small.
import { READABLE_ZOOM, type Camera } from "./camera.ts";
import { columnKey, heightOf, HEAD, PITCH, ROW, WIDTH, type Box, type View } from "./model.ts";

const MOST_CURVES = 1500; // beyond, edges without an end on the screen are straight and faint

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

interface Line {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly color: string;
  readonly width: number;
  readonly dash: readonly number[];
  readonly isNear: boolean;
}

/** Draws the scene on a canvas that has the size of the screen's part. */
export function drawScene(canvas: HTMLCanvasElement, camera: Camera, scene: Scene, colors: Colors): void {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const scale = camera.zoom * ratio;
  context.setTransform(scale, 0, 0, scale, -camera.left * scale, -camera.top * scale);
  const right = camera.left + width / camera.zoom;
  const bottom = camera.top + height / camera.zoom;
  const isSeen = ([x, y]: readonly [number, number]) => x >= camera.left && x <= right && y >= camera.top && y <= bottom;
  const lines = [...edgeLines(scene, colors), ...columnLines(scene, colors)];
  const curves = lines.length <= MOST_CURVES;
  for (const line of lines) {
    if (Math.max(line.from[1], line.to[1]) < camera.top || Math.min(line.from[1], line.to[1]) > bottom) continue;
    if (Math.max(line.from[0], line.to[0]) < camera.left || Math.min(line.from[0], line.to[0]) > right) continue;
    drawLine(context, line, curves || isSeen(line.from) || isSeen(line.to));
  }
  if (camera.zoom < READABLE_ZOOM) drawBoxes(context, scene, colors);
}

function* edgeLines({ view, chosen, path }: Scene, colors: Colors): Generator<Line> {
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

function* columnLines({ view, path }: Scene, colors: Colors): Generator<Line> {
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

function drawLine(context: CanvasRenderingContext2D, line: Line, curved: boolean): void {
  const [[x1, y1], [x2, y2]] = [line.from, line.to];
  context.strokeStyle = context.fillStyle = line.color;
  context.lineWidth = line.width;
  context.globalAlpha = curved ? 1 : 0.4;
  context.setLineDash(curved ? [...line.dash] : []);
  context.beginPath();
  context.moveTo(x1, y1);
  const bend = Math.max(40, Math.abs(x2 - x1) / 2);
  if (curved) context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
  else context.lineTo(x2, y2);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 7, y2 - 4);
  context.lineTo(x2 - 7, y2 + 4);
  context.fill();
  context.globalAlpha = 1;
}

function drawBoxes(context: CanvasRenderingContext2D, { view, chosen }: Scene, colors: Colors): void {
  for (const [name, box] of view.boxes) {
    const failed = box.subject.state === "FAIL" || box.subject.state === "ABORT";
    context.fillStyle = name === chosen ? colors.mark : failed ? colors.bad : colors.panel;
    context.strokeStyle = colors.text;
    context.lineWidth = 2;
    context.beginPath();
    context.rect(box.layer * PITCH, box.y, WIDTH, heightOf(box));
    context.fill();
    context.stroke();
  }
}
