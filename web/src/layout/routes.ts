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
export function edgeEnds({ graph, y }: Places, edge: LayoutEdge): [start: number, end: number] {
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

/**
 * Returns for each layer between the ends of an edge the free height nearest to a straight line.
 * `rows` are the nodes of each layer from top to bottom; no box moves.
 */
export function findChannels(places: Places, edge: LayoutEdge, rows: ReadonlyMap<number, readonly number[]>, gap: number): Crossing[] {
  const ends = [edge.source, edge.target].map((node) => places.layer[node]!);
  const [start, end] = edgeEnds(places, edge);
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  const [fromY, toY] = ends[0] === from ? [start, end] : [end, start];
  const crossings: Crossing[] = [];
  for (let layer = from + 1; layer < to; layer++) {
    const straight = fromY + ((toY - fromY) * (layer - from)) / (to - from);
    crossings.push({ layer, y: nearestChannel(places, rows.get(layer) ?? [], straight, gap / 2) });
  }
  return crossings;
}

function nearestChannel({ graph, y }: Places, row: readonly number[], wanted: number, margin: number): number {
  const at = row.findIndex((node) => y[node]! - margin < wanted && wanted < y[node]! + graph.nodes[node]!.height + margin);
  if (at < 0) return wanted;
  const above = y[row[at]!]! - margin;
  const below = y[row[at]!]! + graph.nodes[row[at]!]!.height + margin;
  return wanted - above <= below - wanted ? above : below;
}
