// The points of an edge: from the side of one box to the side of another.
import type { Columns } from "./columns.ts";
import { sourcePort, targetPort, type LayoutEdge, type LayoutGraph, type Point } from "./graph.ts";

export interface Places {
  readonly graph: LayoutGraph;
  readonly columns: Columns;
  readonly layer: Int32Array;
  readonly y: Float64Array;
}

export interface Crossing {
  readonly layer: number;
  readonly y: number;
}

const LOOP = 24; // how far an edge between boxes of one layer leads away from them

/** Returns the points of an edge that crosses layers, from left to right, at these heights. */
export function routeEdge(places: Places, edge: LayoutEdge, crossings: readonly Crossing[]): Point[] {
  const { graph, columns, layer } = places;
  const [start, end] = edgeEnds(places, edge);
  const [from, to] = [layer[edge.source]!, layer[edge.target]!];
  if (from === to) return routeLoop(places, edge, start, end);
  const isTurned = from > to;
  const [leftEnd, rightEnd] = isTurned ? [end, start] : [start, end];
  const leftNode = isTurned ? edge.target : edge.source;
  const leftColumn = columns.get(Math.min(from, to))!;
  const x = leftColumn.left + graph.nodes[leftNode]!.width;
  const points: Point[] = [{ x, y: leftEnd }];
  // Out of its own column first: a wider box could stand above or below.
  if (x < leftColumn.right) points.push({ x: leftColumn.right, y: leftEnd });
  for (const crossing of crossings) {
    const column = columns.get(crossing.layer);
    if (column) points.push({ x: column.left, y: crossing.y }, { x: column.right, y: crossing.y });
  }
  points.push({ x: columns.get(Math.max(from, to))!.left, y: rightEnd });
  return isTurned ? points.reverse() : points;
}

/** Returns the heights at which an edge leaves its source and meets its target. */
function edgeEnds({ graph, y }: Places, edge: LayoutEdge): [start: number, end: number] {
  return [y[edge.source]! + sourcePort(graph, edge), y[edge.target]! + targetPort(graph, edge)];
}

/** Leads an edge between boxes of one layer, or from a box to itself, around on the right side. */
function routeLoop({ graph, columns, layer }: Places, edge: LayoutEdge, start: number, end: number): Point[] {
  const { left, right } = columns.get(layer[edge.source]!)!;
  const spread = start === end ? LOOP / 2 : 0;
  return [
    { x: left + graph.nodes[edge.source]!.width, y: start },
    { x: right + LOOP, y: start - spread },
    { x: right + LOOP, y: end + spread },
    { x: left + graph.nodes[edge.target]!.width, y: end },
  ];
}
