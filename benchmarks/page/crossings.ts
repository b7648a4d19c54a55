// Compares processor time, and crossings of the straight lines between the boxes that edges join, with
// those of elkjs (layered, its defaults), on random graphs. Prints JSON: for each size the means over the graphs, as ratios of ours to theirs.
import ELK from "elkjs/lib/elk.bundled.js";
import { PITCH, WIDTH } from "../../web/src/explorer/model.ts";
import { placeNodes } from "../../web/src/layout/fresh.ts";
import { SPACING, type LayoutGraph } from "../../web/src/layout/graph.ts";
import { makeLineage } from "./graphs.ts";

const OPTIONS = {
  "elk.algorithm": "layered", "elk.direction": "RIGHT", "elk.edgeRouting": "POLYLINE",
  "elk.layered.spacing.nodeNodeBetweenLayers": `${PITCH - WIDTH}`, "elk.spacing.nodeNode": `${SPACING.boxGap}`,
};
const SIZES = [[60, 20], [100, 20], [300, 10], [500, 5], [2000, 2]] as const; // nodes, graphs
const READS = 2.2;

interface Point {
  readonly x: number;
  readonly y: number;
}

type Line = readonly [start: Point, end: Point];

function placeByPage(graph: LayoutGraph): Point[] {
  const { layer, y } = placeNodes(graph);
  return graph.nodes.map((_, node) => ({ x: layer[node]! * PITCH, y: y[node]! }));
}

async function placeByElk(graph: LayoutGraph): Promise<Point[]> {
  const ports: Map<string, object>[] = graph.nodes.map(() => new Map());
  const addPort = (node: number, isRight: boolean, y: number): string => {
    const id = `${node} ${isRight} ${y}`;
    const x = isRight ? graph.nodes[node]!.width : 0;
    ports[node]!.set(id, { id, x, y, width: 0, height: 0, layoutOptions: { "elk.port.side": isRight ? "EAST" : "WEST" } });
    return id;
  };
  const edges = graph.edges.map(({ source, target, sourcePort, targetPort }, index) => ({
    id: `e${index}`, sources: [addPort(source, true, sourcePort!)], targets: [addPort(target, false, targetPort!)],
  }));
  const children = graph.nodes.map(({ width, height }, node) => ({
    id: `${node}`, width, height, ports: [...ports[node]!.values()], layoutOptions: { "elk.portConstraints": "FIXED_POS" },
  }));
  const answer = await new ELK().layout({ id: "root", layoutOptions: OPTIONS, children, edges } as never) as {
    children: Point[];
  };
  return answer.children;
}

/** Returns the line of each edge, from the right side of its source to the left side of its target. */
function linesOf({ nodes, edges }: LayoutGraph, places: readonly Point[]): Line[] {
  return edges.map(({ source, target, sourcePort, targetPort }) => {
    const [from, to] = [places[source]!, places[target]!];
    return [{ x: from.x + nodes[source]!.width, y: from.y + sourcePort! }, { x: to.x, y: to.y + targetPort! }];
  });
}

/** Returns how many pairs of lines cross. */
function countCrossings(lines: readonly Line[]): number {
  const segments = lines.map(([start, end]) => (start.x <= end.x ? { left: start, right: end } : { left: end, right: start }))
    .sort((a, b) => a.left.x - b.left.x);
  const sideOf = (a: Point, b: Point, c: Point) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  let open: typeof segments = [];
  let crossings = 0;
  for (const segment of segments) {
    open = open.filter(({ right }) => right.x > segment.left.x);
    for (const other of open) {
      const { left, right } = segment;
      if (sideOf(left, right, other.left) * sideOf(left, right, other.right) < 0
        && sideOf(other.left, other.right, left) * sideOf(other.left, other.right, right) < 0) crossings++;
    }
    open.push(segment);
  }
  return crossings;
}

async function timed<T>(work: () => T | Promise<T>): Promise<[result: T, ms: number]> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return [result, (user + system) / 1000];
}

const rows = [];
for (const [size, count] of SIZES) {
  const all = { ours: 0, theirs: 0, oursMs: 0, theirsMs: 0, logs: 0, worst: 0 };
  for (let seed = 0; seed < count; seed++) {
    const made = makeLineage(size, READS, seed);
    const graph = { ...made, nodes: made.nodes.map(({ height }) => ({ width: WIDTH, height })) };
    const [ours, oursMs] = await timed(() => placeByPage(graph));
    const [theirs, theirsMs] = await timed(() => placeByElk(graph));
    const [own, other] = [countCrossings(linesOf(graph, ours)), countCrossings(linesOf(graph, theirs))];
    const ratio = (own + 1) / (other + 1);
    all.ours += own;
    all.theirs += other;
    all.oursMs += oursMs;
    all.theirsMs += theirsMs;
    all.logs += Math.log(ratio);
    all.worst = Math.max(all.worst, ratio);
  }
  rows.push({ size, count, ours: all.ours, theirs: all.theirs, ratio: Math.exp(all.logs / count), worst: all.worst, faster: all.theirsMs / all.oursMs });
}
console.log(JSON.stringify(rows));
