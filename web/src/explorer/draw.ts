// The canvas below the boxes: edges, and boxes without text where the picture is small.
import { READABLE_ZOOM, type Camera } from "./camera.ts";
import { bendOf, columnLines, edgeLines, type Colors, type Line, type Scene } from "./lines.ts";
import { heightOf, PITCH, WIDTH } from "./model.ts";

const MOST_CURVES = 1500; // beyond, edges without an end on the screen are straight and faint

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
    drawLine(context, line, colors, curves || isSeen(line.from) || isSeen(line.to));
  }
  if (camera.zoom < READABLE_ZOOM) drawBoxes(context, scene, colors);
}

function drawLine(context: CanvasRenderingContext2D, line: Line, colors: Colors, curved: boolean): void {
  const [[x1, y1], [x2, y2]] = [line.from, line.to];
  context.strokeStyle = context.fillStyle = line.color;
  context.lineWidth = line.width;
  context.globalAlpha = curved ? 1 : 0.4;
  context.setLineDash(curved ? [...line.dash] : []);
  context.beginPath();
  context.moveTo(x1, y1);
  const bend = bendOf(line);
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
  if (curved && line.label) drawLabel(context, line, colors);
}

/** Writes the label of a line at its middle, which is the middle of its ends. */
function drawLabel(context: CanvasRenderingContext2D, { from, to, label, color }: Line, colors: Colors): void {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  const width = context.measureText(label).width + 6;
  context.fillStyle = colors.panel;
  context.fillRect(x - width / 2, y - 8, width, 16);
  context.fillStyle = color;
  context.fillText(label, x, y);
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
