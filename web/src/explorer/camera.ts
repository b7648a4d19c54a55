// The part of the picture that is on the screen: pixels = (place - left/top) * zoom.

export interface Camera {
  readonly left: number;
  readonly top: number;
  readonly zoom: number;
}

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const LEAST_ZOOM = 0.04;
export const MAX_ZOOM = 2;
export const READABLE_ZOOM = 0.35; // below it boxes have no text
export const OPENING_ZOOM = 0.6; // the least when a picture opens

/** Returns the camera that zooms about a point of the screen, which stays where it is. */
export function zoomAbout(camera: Camera, factor: number, x: number, y: number): Camera {
  const zoom = Math.min(MAX_ZOOM, Math.max(LEAST_ZOOM, camera.zoom * factor));
  return {
    zoom,
    left: camera.left + x / camera.zoom - x / zoom,
    top: camera.top + y / camera.zoom - y / zoom,
  };
}

export function moveBy(camera: Camera, x: number, y: number): Camera {
  return { ...camera, left: camera.left - x / camera.zoom, top: camera.top - y / camera.zoom };
}

/** Returns the camera that shows an area in the middle; `least` keeps text readable. */
export function fitArea(area: Area, width: number, height: number, least = LEAST_ZOOM): Camera {
  const margin = 40;
  const fitting = Math.min(
    (width - margin) / Math.max(1, area.right - area.left), (height - margin) / Math.max(1, area.bottom - area.top),
  );
  const zoom = Math.min(1, Math.max(least, fitting));
  return {
    zoom,
    left: (area.left + area.right) / 2 - width / zoom / 2,
    top: (area.top + area.bottom) / 2 - height / zoom / 2,
  };
}

/** Returns the area that a camera shows on a screen of a size in pixels. */
export function shownArea({ left, top, zoom }: Camera, width: number, height: number): Area {
  return { left, top, right: left + width / zoom, bottom: top + height / zoom };
}

/** Returns an area with a margin around it. */
export function widenArea({ left, top, right, bottom }: Area, margin: number): Area {
  return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
}

export function containsArea(outer: Area, inner: Area): boolean {
  return outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom;
}

/** Returns the camera moved as little as needed to show an area with a margin. */
export function panTo(camera: Camera, area: Area, width: number, height: number): Camera {
  const margin = 30 / camera.zoom;
  const right = camera.left + width / camera.zoom;
  const bottom = camera.top + height / camera.zoom;
  const x = Math.min(0, area.left - margin - camera.left) || Math.max(0, area.right + margin - right);
  const y = Math.min(0, area.top - margin - camera.top) || Math.max(0, area.bottom + margin - bottom);
  return { ...camera, left: camera.left + x, top: camera.top + y };
}
