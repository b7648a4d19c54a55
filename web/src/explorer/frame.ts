// What a picture needs to know of its frame: the size, the colours, and which boxes are near.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { Size } from "./backdrop.ts";
import { containsArea, shownArea, widenArea, type Area, type Camera } from "./camera.ts";
import type { Colors } from "./lines.ts";
import { heightOf, PITCH, WIDTH, type Box, type View } from "./model.ts";

const MARGIN = 200; // pixels around the screen's part in which boxes are elements already
const MAX_ZOOM_FACTOR = 1.5; // beyond, too many of the boxes are not near any more
const FIRST_SIZE: Size = [1280, 800];

/** Returns the size of an element in pixels, as long as it is shown. */
export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState(FIRST_SIZE);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const read = () => setSize([current.clientWidth, current.clientHeight]);
    read();
    const observer = new ResizeObserver(read);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return size;
}

/** Returns the colours of an element for canvases; null before it is shown. */
export function useColors(element: RefObject<HTMLElement | null>): Colors | null {
  const [colors, setColors] = useState<Colors | null>(null);
  useLayoutEffect(() => {
    const read = () => element.current && setColors(readColors(element.current));
    read();
    const themes = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((theme) => matchMedia(theme));
    for (const theme of themes) theme.addEventListener("change", read);
    return () => themes.forEach((theme) => theme.removeEventListener("change", read));
  }, []);
  return colors;
}

function readColors(element: HTMLElement): Colors {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(`--drawn-${name}`).trim() || "gray";
  return {
    line: color("line"), mark: color("mark"), text: color("text"), panel: color("panel"), bad: color("bad"), good: color("good"),
    change: color("change"),
  };
}

export type Entries = readonly (readonly [name: string, box: Box])[];

interface Near {
  readonly view: View;
  readonly area: Area;
  readonly zoom: number;
  readonly boxes: Entries;
}

/** Returns the boxes on the screen and near it: the same list until the screen shows more than their area. */
export function useNear(view: View, camera: Camera, size: Size): Entries {
  const last = useRef<Near | null>(null);
  const shown = shownArea(camera, ...size);
  const isNear = last.current?.view === view && containsArea(last.current.area, shown)
    && camera.zoom <= last.current.zoom * MAX_ZOOM_FACTOR;
  if (!last.current || !isNear) {
    const area = widenArea(shown, MARGIN / camera.zoom);
    last.current = { view, area, zoom: camera.zoom, boxes: boxesIn(view, area) };
  }
  return last.current.boxes;
}

/** Returns the boxes of an area in the order of reading, which is that of the Tab key. */
function boxesIn(view: View, { left, top, right, bottom }: Area): Entries {
  const near = [...view.boxes].filter(([, box]) => {
    const x = box.layer * PITCH;
    return x <= right && x + WIDTH >= left && box.y <= bottom && box.y + heightOf(box) >= top;
  });
  return near.sort(([, a], [, b]) => a.layer - b.layer || a.y - b.y);
}

/** Returns the boxes that are shown already, `first` and `most` of the others; the rest follow with the next frames. */
export function useGradually(boxes: Entries, most: number, first: string | null): Entries {
  const [, setFrame] = useState(0);
  const shown = useRef<ReadonlySet<string>>(new Set());
  let room = most;
  const now = boxes.filter(([name]) => shown.current.has(name) || name === first || room-- > 0);
  const isWhole = now.length === boxes.length;
  useLayoutEffect(() => {
    shown.current = new Set(now.map(([name]) => name));
    if (isWhole) return undefined;
    const request = requestAnimationFrame(() => setFrame((frame) => frame + 1));
    return () => cancelAnimationFrame(request);
  });
  return isWhole ? boxes : now;
}

/** Returns a function that collects changes and applies them before the browser paints next. */
export function applyPerFrame<T>(apply: (change: (old: T) => T) => void): (change: (old: T) => T) => void {
  let changes: ((old: T) => T)[] = [];
  const flush = () => {
    const all = changes;
    changes = [];
    apply((old) => all.reduce((value, change) => change(value), old));
  };
  return (change) => {
    if (changes.push(change) === 1) requestAnimationFrame(flush);
  };
}
