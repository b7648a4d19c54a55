// Prints the processor time and the crossings of layouts, each in a process of its own, so that no code
// is compiled before: node web/tests/layout/measure.ts
import { execFileSync } from "node:child_process";
import { placeNodes } from "../../src/layout/fresh.ts";
import { assignLayers, findBackEdges } from "../../src/layout/layers.ts";
import { orderSlots, totalCrossings } from "../../src/layout/order.ts";
import { makeSlots } from "../../src/layout/slots.ts";
import { makeGraph } from "./graphs.ts";

function measureLayout(size: number, edges: number): string {
  const graph = makeGraph(7, size, edges);
  const start = process.cpuUsage();
  const { layer } = placeNodes(graph);
  const { user, system } = process.cpuUsage(start);
  const turned = findBackEdges(graph);
  const slots = makeSlots(graph, assignLayers(graph, turned), turned);
  const place = new Int32Array(slots.count);
  const rows = orderSlots(slots, Int32Array.from(slots.layer, (_, slot) => slot), place);
  const crossings = totalCrossings(slots, rows, place);
  return `${size} nodes, ${edges} edges, ${1 + Math.max(...layer)} layers: ${((user + system) / 1000).toFixed(0)} ms of processor time, ${crossings} crossings of slots`;
}

const [size, edges] = process.argv.slice(2).map(Number);
if (size && edges) console.log(measureLayout(size, edges));
else {
  for (const counts of ["100 149", "500 790", "2000 3279", "5000 8042"]) {
    process.stdout.write(execFileSync(process.execPath, [import.meta.filename, ...counts.split(" ")]));
  }
}
