// Graphs like lineage, from a seed: layers from raw tables to reports, subject areas whose tables read
// each other, hubs that many read, and edges that skip layers.
import { seedRandom } from "../../web/tests/layout/random.ts";
import type { LayoutGraph } from "../../web/src/layout/graph.ts";

const HEAD = 34;
const ROW = 20;

/** Returns a graph of `size` nodes; each reads `reads` others in the mean, and every fifth has columns as ports. */
export function makeLineage(size: number, reads: number, seed: number): LayoutGraph {
  const random = seedRandom(seed + size);
  const below = (limit: number) => Math.floor(random() * limit);
  const layers = makeLayers(size);
  const layerOf = layers.flatMap((nodes, layer) => nodes.map(() => layer));
  const areas = Math.max(2, Math.round(size / 40));
  const areaOf = layerOf.map(() => below(areas));
  const ownOf = Map.groupBy(layerOf.keys(), (node) => layerOf[node]! * areas + areaOf[node]!);
  const hubs = [...layerOf.keys()].filter((node) => layerOf[node]! <= layers.length * 0.4 && random() < 0.02);
  const pairs = new Set<number>();
  const chooseSource = (target: number): number => {
    const chance = random();
    if (chance < 0.12 && hubs.length > 0) return hubs[below(hubs.length)]!;
    const layer = layerOf[target]! - (chance < 0.8 ? 1 : 1 + below(Math.min(layerOf[target]!, 4)));
    const own = ownOf.get(layer * areas + areaOf[target]!);
    const from = own && random() < 0.85 ? own : layers[layer]!;
    return from[below(from.length)]!;
  };
  layerOf.forEach((layer, target) => {
    if (layer === 0) return;
    let count = 1;
    while (count < 30 && random() < 1 - 1 / reads) count++;
    for (; count > 0; count--) {
      const source = chooseSource(target);
      if (layerOf[source]! < layer) pairs.add(source * size + target);
    }
  });
  const columns = layerOf.map(() => (random() < 0.2 ? 3 + below(12) : 0));
  const heightOf = (node: number) => (columns[node] ? HEAD + columns[node] * ROW : 44);
  const portOf = (node: number) => (columns[node] ? HEAD + below(columns[node]) * ROW + ROW / 2 : heightOf(node) / 2);
  return {
    nodes: layerOf.map((_, node) => ({ width: 180 + below(80), height: heightOf(node) })),
    edges: [...pairs].map((pair) => {
      const [source, target] = [Math.floor(pair / size), pair % size];
      return { source, target, sourcePort: portOf(source), targetPort: portOf(target) };
    }),
  };
}

/** Returns the nodes of each layer: many raw tables, few reports. */
function makeLayers(size: number): number[][] {
  const depth = Math.max(5, Math.round(4 + 2.2 * Math.log2(size / 20)));
  const weights = Array.from({ length: depth }, (_, layer) => (layer === 0 ? 3 : layer < depth * 0.35 ? 2.2 : layer < depth * 0.7 ? 1.3 : 0.6));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const layers: number[][] = [];
  let next = 0;
  weights.forEach((weight, layer) => {
    const wanted = layer === depth - 1 ? size : next + Math.max(1, Math.round((size * weight) / sum));
    const end = Math.min(size - (depth - 1 - layer), wanted); // at least one for each layer that follows
    layers.push(Array.from({ length: end - next }, (_, index) => next + index));
    next = end;
  });
  return layers;
}
