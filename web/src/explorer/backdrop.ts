// The canvas behind the boxes. It is drawn with a margin; while the reader moves or zooms a little, the
// browser moves and scales what was drawn.
import { containsArea, shownArea, widenArea, type Area, type Camera } from "./camera.ts";
import { drawArea, type Drawing } from "./draw.ts";

const MARGIN = 256; // pixels on each side
const MAX_BACKDROP_SCALING = 1.5; // beyond, it is drawn again at once
const SETTLED = 120; // milliseconds after the last change of zoom

export type Size = readonly [width: number, height: number];

export interface Backdrop {
  readonly show: (camera: Camera, drawing: Drawing, size: Size) => void;
  readonly stop: () => void;
}

interface Drawn {
  readonly drawing: Drawing;
  readonly area: Area;
  readonly zoom: number;
  readonly ratio: number;
}

export function makeBackdrop(canvas: HTMLCanvasElement): Backdrop {
  let drawn: Drawn | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const redraw = (camera: Camera, drawing: Drawing, size: Size) => {
    drawn = drawCanvas(canvas, camera, drawing, size);
    moveCanvas(canvas, drawn, camera);
  };
  const show = (camera: Camera, drawing: Drawing, size: Size) => {
    clearTimeout(timer);
    if (!drawn || drawn.drawing !== drawing || !isEnough(drawn, camera, size)) {
      redraw(camera, drawing, size);
      return;
    }
    moveCanvas(canvas, drawn, camera);
    if (drawn.zoom !== camera.zoom) timer = setTimeout(redraw, SETTLED, camera, drawing, size);
  };
  return { show, stop: () => clearTimeout(timer) };
}

function isEnough(drawn: Drawn, camera: Camera, size: Size): boolean {
  const scaling = camera.zoom / drawn.zoom;
  return drawn.ratio === devicePixelRatio && scaling <= MAX_BACKDROP_SCALING && scaling >= 1 / MAX_BACKDROP_SCALING
    && containsArea(drawn.area, shownArea(camera, ...size));
}

function drawCanvas(canvas: HTMLCanvasElement, camera: Camera, drawing: Drawing, [width, height]: Size): Drawn {
  const ratio = devicePixelRatio;
  const [wide, high] = [Math.round((width + 2 * MARGIN) * ratio), Math.round((height + 2 * MARGIN) * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    [canvas.width, canvas.height] = [wide, high];
    [canvas.style.width, canvas.style.height] = [`${wide / ratio}px`, `${high / ratio}px`];
  }
  const area = widenArea(shownArea(camera, width, height), MARGIN / camera.zoom);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context) drawArea(context, drawing, area, camera.zoom, camera.zoom * ratio);
  return { drawing, area, zoom: camera.zoom, ratio };
}

function moveCanvas(canvas: HTMLCanvasElement, { area, zoom }: Drawn, camera: Camera): void {
  const [x, y] = [(area.left - camera.left) * camera.zoom, (area.top - camera.top) * camera.zoom];
  canvas.style.transform = `translate(${x}px, ${y}px) scale(${camera.zoom / zoom})`;
}
