// What is on the canvas below the boxes: edges, and boxes without text where the picture is small.
import { READABLE_ZOOM, type Area } from "./camera.ts";
import { bendOf, columnLines, edgeLines, type Colors, type Line, type Scene } from "./lines.ts";
import { heightOf, PITCH, WIDTH } from "./model.ts";

const MAX_CURVED_LINES = 1500; // beyond, edges without an end on the screen are straight and faint
const FAINT = 0.4;
const LEAST_ARROW = 0.25; // the zoom below which an arrow is a dot
const BORDER = 2;
const MAX_DASHED_PIXELS = 4000; // pixels of a line whose dashes are drawn also where they are not seen
const CURVE_STEPS = 64;

/** Lines of one style. */
interface Strokes {
  readonly color: string;
  readonly width: number;
  readonly dash: readonly number[];
  readonly lines: Line[];
}

interface Rectangles {
  readonly color: string;
  readonly areas: Area[];
}

/** A scene in the order in which it is drawn, by style: it is computed once and drawn often. */
export interface Drawing {
  readonly strokes: readonly Strokes[];
  readonly lineCount: number;
  readonly boxes: readonly Rectangles[];
  readonly border: string;
  readonly panel: string;
}

export function prepareDrawing(scene: Scene, colors: Colors): Drawing {
  const lines = [...edgeLines(scene, colors), ...columnLines(scene, colors)];
  lines.sort((a, b) => Number(a.isNear) - Number(b.isNear)); // those of the chosen box above the others
  const strokes = new Map<string, Strokes>();
  for (const line of lines) {
    const { color, width, dash } = line;
    const style = `${color} ${width} ${dash.join()}`;
    const known = strokes.get(style);
    if (known) known.lines.push(line);
    else strokes.set(style, { color, width, dash, lines: [line] });
  }
  return { strokes: [...strokes.values()], lineCount: lines.length, boxes: groupBoxes(scene, colors), border: colors.text, panel: colors.panel };
}

function groupBoxes({ view, chosen }: Scene, colors: Colors): Rectangles[] {
  const groups = new Map<string, Area[]>();
  for (const [name, box] of view.boxes) {
    const isBad = box.subject.state === "FAIL" || box.subject.state === "ABORT";
    const color = name === chosen ? colors.mark : isBad ? colors.bad : colors.panel;
    const left = box.layer * PITCH;
    const area = { left, top: box.y, right: left + WIDTH, bottom: box.y + heightOf(box) };
    const areas = groups.get(color);
    if (areas) areas.push(area);
    else groups.set(color, [area]);
  }
  return [...groups].map(([color, areas]) => ({ color, areas }));
}

/** Draws the part of a drawing in an area; `scale` is the number of pixels of the canvas for one of the picture. */
export function drawArea(context: CanvasRenderingContext2D, drawing: Drawing, area: Area, zoom: number, scale: number): void {
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  context.setTransform(scale, 0, 0, scale, -area.left * scale, -area.top * scale);
  const hasCurves = drawing.lineCount <= MAX_CURVED_LINES;
  const hasDashes = hasCurves || zoom >= READABLE_ZOOM; // a long line has thousands of dashes
  for (const strokes of drawing.strokes) {
    drawStrokes(context, hasDashes ? strokes : { ...strokes, dash: [] }, { area, hasCurves, zoom, scale, panel: drawing.panel });
  }
  if (zoom < READABLE_ZOOM) drawBoxes(context, drawing, area);
}

interface Pen {
  readonly area: Area;
  readonly hasCurves: boolean;
  readonly zoom: number;
  readonly scale: number;
  readonly panel: string;
}

function drawStrokes(context: CanvasRenderingContext2D, strokes: Strokes, pen: Pen): void {
  const { area, hasCurves, zoom, scale, panel } = pen;
  const curves: Line[] = [];
  const straight: Line[] = [];
  for (const line of strokes.lines) {
    if (hasCurves || isInside(area, line.from) || isInside(area, line.to)) {
      if (meetsArea(area, line)) curves.push(line);
    } else if (crossesArea(area, line)) straight.push(line);
  }
  context.strokeStyle = context.fillStyle = strokes.color;
  if (straight.length > 0) {
    context.lineWidth = Math.min(strokes.width, 1 / scale);
    context.globalAlpha = FAINT;
    context.beginPath();
    for (const { from, to } of straight) {
      context.moveTo(from[0], from[1]);
      context.lineTo(to[0], to[1]);
    }
    context.stroke();
    context.globalAlpha = 1;
  }
  context.lineWidth = strokes.width;
  context.setLineDash([...strokes.dash]);
  context.beginPath();
  for (const line of curves) {
    if (strokes.dash.length > 0 && lengthOf(line) * scale > MAX_DASHED_PIXELS) addCurveWithin(context, line, area);
    else addCurve(context, line);
  }
  context.stroke();
  context.setLineDash([]);
  if (zoom < LEAST_ARROW) return;
  context.beginPath();
  for (const { to } of curves) addArrow(context, to);
  context.fill();
  for (const line of curves) if (line.label) drawLabel(context, line, panel);
}

/** Writes the label of a line at its middle, which is the middle of its ends. */
function drawLabel(context: CanvasRenderingContext2D, { from, to, label, color }: Line, panel: string): void {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  const width = context.measureText(label).width + 6;
  context.fillStyle = panel;
  context.fillRect(x - width / 2, y - 8, width, 16);
  context.fillStyle = color;
  context.fillText(label, x, y);
}

function addCurve(context: CanvasRenderingContext2D, line: Line): void {
  const [[x1, y1], [x2, y2]] = [line.from, line.to];
  const bend = bendOf(line);
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
}

/** Adds the parts of a curve that have a point in the area, for a curve with many dashes outside of it. */
function addCurveWithin(context: CanvasRenderingContext2D, line: Line, area: Area): void {
  let last = pointAt(line, 0);
  let isOpen = false;
  for (let step = 1; step <= CURVE_STEPS; step++) {
    const next = pointAt(line, step / CURVE_STEPS);
    const isSeen = meetsArea(area, { from: last, to: next });
    if (isSeen && !isOpen) context.moveTo(last[0], last[1]);
    if (isSeen) context.lineTo(next[0], next[1]);
    isOpen = isSeen;
    last = next;
  }
}

/** Returns the point of the curve of a line, from 0 at its source to 1 at its target. */
function pointAt(line: Line, share: number): readonly [x: number, y: number] {
  const [[x1, y1], [x2, y2]] = [line.from, line.to];
  const bend = bendOf(line);
  const rest = 1 - share;
  const [start, early, late, end] = [rest ** 3, 3 * rest * rest * share, 3 * rest * share * share, share ** 3];
  return [
    start * x1 + early * (x1 + bend) + late * (x2 - bend) + end * x2,
    (start + early) * y1 + (late + end) * y2,
  ];
}

function lengthOf({ from, to }: Line): number {
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}

function addArrow(context: CanvasRenderingContext2D, [x, y]: readonly [number, number]): void {
  context.moveTo(x, y);
  context.lineTo(x - 7, y - 4);
  context.lineTo(x - 7, y + 4);
}

function drawBoxes(context: CanvasRenderingContext2D, { boxes, border }: Drawing, area: Area): void {
  for (const { color, areas } of boxes) {
    const seen = areas.filter(({ left, top, right, bottom }) => (
      left <= area.right && right >= area.left && top <= area.bottom && bottom >= area.top
    ));
    context.fillStyle = border;
    for (const { left, top, right, bottom } of seen) context.fillRect(left, top, right - left, bottom - top);
    context.fillStyle = color;
    for (const { left, top, right, bottom } of seen) {
      context.fillRect(left + BORDER, top + BORDER, right - left - 2 * BORDER, bottom - top - 2 * BORDER);
    }
  }
}

function isInside({ left, top, right, bottom }: Area, [x, y]: readonly [number, number]): boolean {
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** Returns whether the rectangle around a line has a part in the area. */
function meetsArea({ left, top, right, bottom }: Area, { from, to }: Pick<Line, "from" | "to">): boolean {
  return Math.max(from[1], to[1]) >= top && Math.min(from[1], to[1]) <= bottom
    && Math.max(from[0], to[0]) >= left && Math.min(from[0], to[0]) <= right;
}

/** Returns whether a straight line crosses the area: its corners are not all on one side of the line. */
function crossesArea(area: Area, line: Line): boolean {
  if (!meetsArea(area, line)) return false;
  const { left, top, right, bottom } = area;
  const [[x1, y1], [x2, y2]] = [line.from, line.to];
  const sideOf = (x: number, y: number) => (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) > 0;
  const side = sideOf(left, top);
  return sideOf(right, top) !== side || sideOf(left, bottom) !== side || sideOf(right, bottom) !== side;
}
