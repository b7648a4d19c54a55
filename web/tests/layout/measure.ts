// Prints the processor time and the crossings of layouts: node web/tests/layout/measure.ts
import { countCrossings } from "../../src/layout/crossings.ts";
import { layOutGraph } from "../../src/layout/fresh.ts";
import { assignLayers, findBackEdges } from "../../src/layout/layers.ts";
import { makeSlots } from "../../src/layout/slots.ts";
import { orderSlots } from "../../src/layout/order.ts";
import { makeGraph } from "./graphs.ts";

for (const [size, edges] of [[100, 149], [500, 790], [2000, 3279]] as const) {
  const graph = makeGraph(7, size, edges);
  const start = process.cpuUsage();
  const { layer } = layOutGraph(graph);
  const { user, system } = process.cpuUsage(start);
  const slots = makeSlots(graph, assignLayers(graph, findBackEdges(graph)), findBackEdges(graph));
  const rows = orderSlots(slots, [...slots.layer.keys()]);
  const place = new Map(rows.flatMap((row) => row.map((slot, index) => [slot, index])));
  const crossings = rows.slice(1).reduce((sum, row, above) =>
    sum + countCrossings(rows[above]!.map((slot) => slots.after[slot]!.map((other) => place.get(other)!)), row.length), 0);
  console.log(`${size} nodes, ${edges} edges, ${1 + Math.max(...layer)} layers: ${((user + system) / 1000).toFixed(0)} ms of processor time, ${crossings} crossings of slots`);
}
