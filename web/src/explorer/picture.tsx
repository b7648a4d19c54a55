// The picture: boxes as a list of buttons over a canvas with the edges.
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { makeBackdrop, type Backdrop } from "./backdrop.ts";
import { fitArea, moveBy, OPENING_ZOOM, panTo, READABLE_ZOOM, shownArea, zoomAbout, type Camera } from "./camera.ts";
import { BoxView } from "./box.tsx";
import { prepareDrawing } from "./draw.ts";
import { applyPerFrame, useColors, useGradually, useNear, useSize, type Entries } from "./frame.ts";
import { Minimap } from "./minimap.tsx";
import { areaOf, shownNeighbours, type Side, type View } from "./model.ts";

const WHEEL = 0.0015;
const STEP = 1.25;
const MAX_NEW_BOXES = 30; // boxes that become elements in one frame
const NONE: Entries = [];
const KINDS: ReadonlyMap<string, string> = new Map([["row", "Rows"], ["plan", "Jobs"]]);

export interface Actions {
  readonly choose: (name: string) => void;
  readonly expand: (name: string, side: Side, all: boolean) => void;
  readonly fold: (name: string, side: Side) => void;
  readonly toggleColumns: (name: string) => void;
  readonly listColumns: (name: string, text: string, most?: number) => void;
  readonly chooseColumn: (name: string, column: string) => void;
}

/** The actions of a picture whose boxes can only be chosen. */
export function onlyChoose(choose: (name: string) => void): Actions {
  const nothing = () => undefined;
  return { choose, expand: nothing, fold: nothing, toggleColumns: nothing, listColumns: nothing, chooseColumn: nothing };
}

export interface PictureProps {
  readonly view: View;
  readonly chosen: string | null;
  readonly path: ReadonlySet<string>;
  readonly busy: string | null;
  readonly canExpand: boolean;
  readonly actions: Actions;
}

export function Picture(props: PictureProps) {
  const { view, chosen, path, actions } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [camera, setCamera] = useState<Camera>({ left: -60, top: -120, zoom: 1 });
  const isEmpty = view.boxes.size === 0;
  useLayoutEffect(() => {
    if (frame.current && !isEmpty) setCamera(fitArea(areaOf(view.boxes.values()), ...sizeOf(frame.current), OPENING_ZOOM));
  }, [isEmpty, view.root]);
  const size = useSize(frame);
  const colors = useColors(frame);
  const drawing = useMemo(() => colors && prepareDrawing({ view, chosen, path }, colors), [view, chosen, path, colors]);
  const backdrop = useRef<Backdrop | null>(null);
  useLayoutEffect(() => {
    if (canvas.current && drawing) (backdrop.current ??= makeBackdrop(canvas.current)).show(camera, drawing, size);
  }, [drawing, camera, size]);
  useEffect(() => () => backdrop.current?.stop(), []);
  useEffect(() => (frame.current ? listenToPointer(frame.current, applyPerFrame(setCamera)) : undefined), []);
  const fit = () => {
    if (frame.current) setCamera(fitArea(areaOf(view.boxes.values()), ...sizeOf(frame.current)));
  };
  const zoom = (factor: number) => {
    if (!frame.current) return;
    const [width, height] = sizeOf(frame.current);
    setCamera((old) => zoomAbout(old, factor, width / 2, height / 2));
  };
  const moveTo = (x: number, y: number) => {
    if (!frame.current) return;
    const [width, height] = sizeOf(frame.current);
    setCamera((old) => ({ ...old, left: x - width / old.zoom / 2, top: y - height / old.zoom / 2 }));
  };
  const focus = (name: string | undefined) => {
    const box = view.boxes.get(name ?? "");
    if (name === undefined || !box || !frame.current) return;
    setCamera((old) => panTo(old, areaOf([box]), ...sizeOf(frame.current as HTMLElement)));
    actions.choose(name);
    requestAnimationFrame(() => findBox(frame.current, name)?.focus({ preventScroll: true }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const name = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-name]")?.dataset["name"] : undefined;
    const act = keyAction(event, view, name, { focus, fit, zoom, canExpand: props.canExpand, actions });
    if (!act) return;
    event.preventDefault();
    act();
  };
  const rootKind = view.boxes.get(view.root)?.subject.kind;
  const near = useNear(view, camera, size);
  const boxes = useGradually(camera.zoom >= READABLE_ZOOM ? near : NONE, MAX_NEW_BOXES, chosen); // the chosen one gets the focus
  const shownBoxes = useMemo(() => new Map<string, VNode>(), [view, chosen, path, actions]);
  const toElement = ([name, box]: Entries[number]): VNode => {
    const isBusy = name === props.busy;
    const known = shownBoxes.get(name);
    if (known && !isBusy) return known; // which Preact does not compare again
    const made = (
      <BoxView key={name} box={box} view={view} isChosen={name === chosen} isBusy={isBusy}
        canExpand={props.canExpand} path={path} actions={actions} />
    );
    if (!isBusy) shownBoxes.set(name, made);
    return made;
  };
  const list = useMemo(() => <>{boxes.map(toElement)}</>, [boxes, shownBoxes, props.busy]);
  const transform = `scale(${camera.zoom}) translate(${-camera.left}px, ${-camera.top}px)`;
  return (
    <div class="picture" ref={frame} onKeyDown={onKeyDown}>
      <canvas class="edges" ref={canvas} aria-hidden="true" />
      <ul class="pane" aria-label={`${KINDS.get(rootKind ?? "") ?? "Datasets"} in the picture`} style={{ transform }}>{list}</ul>
      {!isEmpty && colors && (
        <Minimap view={view} chosen={chosen} shown={shownArea(camera, ...size)} colors={colors} moveTo={moveTo} />
      )}
      <div class="zoom">
        <button aria-label="Zoom in" onClick={() => zoom(STEP)}>+</button>
        <button aria-label="Zoom out" onClick={() => zoom(1 / STEP)}>−</button>
        <button onClick={fit}>Fit</button>
      </div>
    </div>
  );
}

interface KeyTargets {
  readonly focus: (name: string | undefined) => void;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  readonly canExpand: boolean;
  readonly actions: Actions;
}

/** Returns what a key does on a box: arrows go along edges and within a layer. */
function keyAction(event: KeyboardEvent, view: View, name: string | undefined, to: KeyTargets): (() => void) | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return undefined;
  const always = new Map([
    ["0", to.fit], ["+", () => to.zoom(STEP)], ["-", () => to.zoom(1 / STEP)],
  ]).get(event.key);
  if (always || name === undefined) return always;
  const moves = new Map([
    ["ArrowLeft", () => to.focus(nearestOf(view, name, shownNeighbours(view, name, "upstream")))],
    ["ArrowRight", () => to.focus(nearestOf(view, name, shownNeighbours(view, name, "downstream")))],
    ["ArrowUp", () => to.focus(besideOf(view, name, -1))],
    ["ArrowDown", () => to.focus(besideOf(view, name, 1))],
  ]).get(event.key);
  if (moves || !to.canExpand) return moves;
  return new Map([
    ["[", () => to.actions.expand(name, "upstream", false)],
    ["]", () => to.actions.expand(name, "downstream", false)],
    ["{", () => to.actions.expand(name, "upstream", true)],
    ["}", () => to.actions.expand(name, "downstream", true)],
    ["c", () => to.actions.toggleColumns(name)],
  ]).get(event.key);
}

function nearestOf(view: View, name: string, names: readonly string[]): string | undefined {
  const y = view.boxes.get(name)?.y ?? 0;
  const distance = (each: string) => Math.abs((view.boxes.get(each)?.y ?? 0) - y);
  return names.toSorted((a, b) => distance(a) - distance(b))[0];
}

function besideOf(view: View, name: string, step: number): string | undefined {
  const layer = view.boxes.get(name)?.layer;
  const same = [...view.boxes].filter(([, box]) => box.layer === layer).toSorted(([, a], [, b]) => a.y - b.y);
  return same[same.findIndex(([each]) => each === name) + step]?.[0];
}

function listenToPointer(frame: HTMLElement, setCamera: (change: (old: Camera) => Camera) => void): () => void {
  let held = false;
  const onDown = (event: PointerEvent) => {
    if (event.target instanceof Element && event.target.closest("button, a, input, .minimap")) return;
    held = true;
    frame.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent) => {
    if (held) setCamera((old) => moveBy(old, event.movementX, event.movementY));
  };
  const onUp = () => (held = false);
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    setCamera((old) => zoomAbout(old, Math.exp(-event.deltaY * WHEEL), event.clientX - box.left, event.clientY - box.top));
  };
  const abort = new AbortController();
  const { signal } = abort;
  frame.addEventListener("pointerdown", onDown, { signal });
  frame.addEventListener("pointermove", onMove, { signal });
  frame.addEventListener("pointerup", onUp, { signal });
  frame.addEventListener("pointercancel", onUp, { signal });
  frame.addEventListener("wheel", onWheel, { signal, passive: false });
  return () => abort.abort();
}

function findBox(frame: HTMLElement | null, name: string): HTMLElement | null {
  return frame?.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"] .title`) ?? null;
}

function sizeOf(element: HTMLElement): [width: number, height: number] {
  return [element.clientWidth, element.clientHeight];
}
