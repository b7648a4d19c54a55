// The script of the worker: it answers each graph with the places of its nodes.
import { placeNodes } from "./fresh.ts";
import type { LayoutRequest } from "./graph.ts";

addEventListener("message", (event: MessageEvent<LayoutRequest>) => {
  const places = placeNodes(event.data.graph, event.data.spacing);
  postMessage(places, { transfer: [places.layer.buffer, places.y.buffer] });
});
