// The horizontal places: all nodes of a layer begin at the same x.
import type { LayoutGraph, Spacing } from "./graph.ts";

export interface Column {
  readonly left: number;
  readonly right: number; // the right border of its widest box
}

export type Columns = ReadonlyMap<number, Column>;

/**
 * Returns the columns of the layers, outward from layer `first`. A column that `known` names keeps
 * its left border, unless a box that grew needs room.
 */
export function placeColumns(
  graph: LayoutGraph, layer: Int32Array, spacing: Spacing, known: ReadonlyMap<number, number> = new Map(), first = 0,
): Columns {
  const widths = new Map<number, number>();
  graph.nodes.forEach(({ width }, node) => {
    widths.set(layer[node]!, Math.max(width, widths.get(layer[node]!) ?? 0));
  });
  const layers = [...widths.keys()].sort((a, b) => a - b);
  const columns = new Map<number, Column>();
  let border = -Infinity;
  for (const each of layers.filter((one) => one >= first)) {
    const left = Math.max(known.get(each) ?? (border === -Infinity ? 0 : border), border);
    columns.set(each, { left, right: left + widths.get(each)! });
    border = left + widths.get(each)! + spacing.columnGap;
  }
  border = columns.get(layers.find((one) => one >= first) ?? 0)?.left ?? 0;
  for (const each of layers.filter((one) => one < first).reverse()) {
    const room = border - spacing.columnGap - widths.get(each)!;
    const left = Math.min(known.get(each) ?? room, room);
    columns.set(each, { left, right: left + widths.get(each)! });
    border = left;
  }
  return columns;
}
