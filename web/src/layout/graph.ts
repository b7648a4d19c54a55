// What a layout reads and returns. Nodes and edges are numbers into lists, so that a worker can
// take and give them. All functions of this folder are pure, and the same input has the same result.

export interface LayoutNode {
  readonly width: number;
  readonly height: number;
}

/** An edge; a port is a distance from the top of the box. Without it, the edge ends at the middle. */
export interface LayoutEdge {
  readonly source: number;
  readonly target: number;
  readonly sourcePort?: number;
  readonly targetPort?: number;
}

export interface LayoutGraph {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
}

export interface Spacing {
  readonly boxGap: number; // between two boxes of a layer
  readonly edgeGap: number; // between two edges that cross a layer
}

export interface LayoutRequest {
  readonly graph: LayoutGraph;
  readonly spacing: Spacing;
}

export interface NodePlaces {
  readonly layer: Int32Array;
  readonly y: Float64Array; // the upper border of each node
}

export const SPACING: Spacing = { boxGap: 16, edgeGap: 8 };

/** Throws if an edge names a node that does not exist, or a box has no size. */
export function checkGraph({ nodes, edges }: LayoutGraph): void {
  nodes.forEach(({ width, height }, node) => {
    if (!(width >= 0 && width < Infinity && height >= 0 && height < Infinity)) {
      throw new RangeError(`Node ${node} has the size ${width} × ${height}. State a finite width and height.`);
    }
  });
  edges.forEach(({ source, target }, edge) => {
    for (const end of [source, target]) {
      if (nodes[end] === undefined) {
        throw new RangeError(`Edge ${edge} names node ${end}, but there are ${nodes.length} nodes. Add the node first.`);
      }
    }
  });
}

export function sourcePort(graph: LayoutGraph, edge: LayoutEdge): number {
  return edge.sourcePort ?? graph.nodes[edge.source]!.height / 2;
}

export function targetPort(graph: LayoutGraph, edge: LayoutEdge): number {
  return edge.targetPort ?? graph.nodes[edge.target]!.height / 2;
}
