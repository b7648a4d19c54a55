// The whole picture in small, with the part on the screen; shown if not all boxes are on the screen.
import { useLayoutEffect, useRef } from "preact/hooks";
import { fitArea, type Area, type Camera } from "./camera.ts";
import type { Colors } from "./lines.ts";
import { areaOf, heightOf, PITCH, WIDTH, type View } from "./model.ts";

const SIZE = [180, 120] as const;
const LEAST_BOX = 2; // pixels
const LEAST_ZOOM = 0.0001;

export function Minimap(props: {
  view: View; chosen: string | null; shown: Area; colors: (element: HTMLElement) => Colors; moveTo: (x: number, y: number) => void;
}) {
  const { view, chosen, shown } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const area = areaOf(view.boxes.values());
  const isWhole = area.left >= shown.left && area.right <= shown.right && area.top >= shown.top && area.bottom <= shown.bottom;
  const camera = fitArea(area, ...SIZE, LEAST_ZOOM);
  useLayoutEffect(() => {
    if (canvas.current) drawMinimap(canvas.current, camera, view, chosen, shown, props.colors(canvas.current));
  }, [view, chosen, shown, isWhole]);
  if (isWhole) return null;
  const move = (event: PointerEvent) => {
    if (event.buttons === 0) return;
    event.stopPropagation();
    props.moveTo(camera.left + event.offsetX / camera.zoom, camera.top + event.offsetY / camera.zoom);
  };
  return <canvas class="minimap" aria-hidden="true" ref={canvas} onPointerDown={move} onPointerMove={move} />;
}

function drawMinimap(
  canvas: HTMLCanvasElement, { left, top, zoom }: Camera, view: View, chosen: string | null, shown: Area, colors: Colors,
): void {
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [SIZE[0] * ratio, SIZE[1] * ratio];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  for (const [name, box] of view.boxes) {
    const failed = box.subject.state === "FAIL" || box.subject.state === "ABORT";
    context.fillStyle = name === chosen ? colors.mark : failed ? colors.bad : colors.line;
    const [width, height] = [Math.max(LEAST_BOX, WIDTH * zoom), Math.max(LEAST_BOX, heightOf(box) * zoom)];
    context.fillRect((box.layer * PITCH - left) * zoom, (box.y - top) * zoom, width, height);
  }
  context.strokeStyle = colors.mark;
  context.lineWidth = 1.5;
  context.strokeRect(
    (shown.left - left) * zoom, (shown.top - top) * zoom, (shown.right - shown.left) * zoom, (shown.bottom - shown.top) * zoom,
  );
}
