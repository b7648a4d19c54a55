// The whole picture in small, with the part on the screen; shown if not all boxes are on the screen.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { containsArea, fitArea, type Area, type Camera } from "./camera.ts";
import type { Colors } from "./lines.ts";
import { areaOf, heightOf, PITCH, WIDTH, type View } from "./model.ts";

const SIZE = [180, 120] as const;
const LEAST_BOX = 2; // pixels
const LEAST_ZOOM = 0.0001;

export function Minimap(props: {
  view: View; chosen: string | null; shown: Area; colors: Colors; moveTo: (x: number, y: number) => void;
}) {
  const { view, chosen, shown, colors } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const area = useMemo(() => areaOf(view.boxes.values()), [view]);
  const isWhole = containsArea(shown, area);
  const camera = fitArea(area, ...SIZE, LEAST_ZOOM);
  useLayoutEffect(() => {
    if (canvas.current) drawMinimap(canvas.current, camera, view, chosen, colors);
  }, [view, chosen, colors, isWhole]);
  if (isWhole) return null;
  const move = (event: PointerEvent) => {
    if (event.buttons === 0) return;
    event.stopPropagation();
    props.moveTo(camera.left + event.offsetX / camera.zoom, camera.top + event.offsetY / camera.zoom);
  };
  return (
    <div class="minimap" aria-hidden="true">
      <canvas ref={canvas} onPointerDown={move} onPointerMove={move} />
      <span class="shown" style={shownStyle(shown, camera)} />
    </div>
  );
}

function shownStyle(shown: Area, { left, top, zoom }: Camera): Record<string, string> {
  return {
    transform: `translate(${(shown.left - left) * zoom}px, ${(shown.top - top) * zoom}px)`,
    width: `${(shown.right - shown.left) * zoom}px`, height: `${(shown.bottom - shown.top) * zoom}px`,
  };
}

function drawMinimap(
  canvas: HTMLCanvasElement, { left, top, zoom }: Camera, view: View, chosen: string | null, colors: Colors,
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
}
