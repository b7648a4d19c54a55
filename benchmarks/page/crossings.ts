// Compares crossings of drawn lines and processor time with those of elkjs (layered, its defaults), on
// random graphs. Prints JSON: for each size the means over the graphs, as ratios of ours to theirs.
import ELK from "elkjs/lib/elk.bundled.js";
import { layOutGraph } from "../../web/src/layout/fresh.ts";
import type { LayoutGraph, Point } from "../../web/src/layout/graph.ts";
import { makeLineage } from "./graphs.ts";

const SPACING = { columnGap: 90, boxGap: 16, edgeGap: 8 };
const OPTIONS = {
  "elk.algorithm": "layered", "elk.direction": "RIGHT", "elk.edgeRouting": "POLYLINE",
  "elk.layered.spacing.nodeNodeBetweenLayers": "90", "elk.spacing.nodeNode": "16",
};
const SIZES = [[60, 20], [100, 20], [300, 10], [500, 5], [2000, 2]] as const; // nodes, graphs
const READS = 2.2;

type Route = readonly Point[];

async function routeByElk(graph: LayoutGraph): Promise<Route[]> {
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
    edges: { sections: { startPoint: Point; bendPoints?: Point[]; endPoint: Point }[] }[];
  };
  return answer.edges.map(({ sections: [section] }) => [section!.startPoint, ...(section!.bendPoints ?? []), section!.endPoint]);
}

/** Returns how many pairs of segments of different routes cross. */
function countCrossings(routes: readonly Route[]): number {
  const segments = routes.flatMap((route, owner) => route.slice(1).map((end, index) => {
    const [left, right] = route[index]!.x <= end.x ? [route[index]!, end] : [end, route[index]!];
    return { left, right, owner };
  })).sort((a, b) => a.left.x - b.left.x);
  const sideOf = (a: Point, b: Point, c: Point) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  let open: typeof segments = [];
  let crossings = 0;
  for (const segment of segments) {
    open = open.filter(({ right }) => right.x > segment.left.x);
    for (const other of open) {
      if (other.owner === segment.owner) continue;
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
    const graph = makeLineage(size, READS, seed);
    const [ours, oursMs] = await timed(() => layOutGraph(graph, SPACING).routes);
    const [theirs, theirsMs] = await timed(() => routeByElk(graph));
    const [own, other] = [countCrossings(ours), countCrossings(theirs)];
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
