// The picture of the explorer with generated datasets: the read API returns 2,000 at most.
import { render } from "preact";
import { useState } from "preact/hooks";
import "../../web/src/style.css";
import type { GraphEdge, Subject } from "../../web/src/explorer/answer.ts";
import { HEAD, WIDTH, type Box, type View } from "../../web/src/explorer/model.ts";
import { placeInBackground } from "../../web/src/explorer/background.ts";
import { Picture, type Actions } from "../../web/src/explorer/picture.tsx";
import { placeNodes } from "../../web/src/layout/fresh.ts";
import { SPACING } from "../../web/src/layout/graph.ts";
import { makeLineage } from "./graphs.ts";

function makeView(size: number): View {
  const graph = makeLineage(size, 2.2, 7);
  const nodes = graph.nodes.map(() => ({ width: WIDTH, height: HEAD }));
  const edges = graph.edges.map(({ source, target }) => ({ source, target, sourcePort: HEAD / 2, targetPort: HEAD / 2 }));
  const { layer, y } = placeNodes({ nodes, edges }, SPACING);
  const boxes = new Map(nodes.map((_, node): [string, Box] => [
    nameOf(node), { subject: datasetOf(node), layer: layer[node]!, y: Math.round(y[node]!), opened: null },
  ]));
  return { root: nameOf(0), boxes, edges: edges.map(({ source, target }) => edgeOf(source, target)), columnEdges: [] };
}

function nameOf(node: number): string {
  return `s3://lake/table${node}`;
}

function datasetOf(node: number): Subject {
  return {
    kind: "dataset", name: nameOf(node), firstSeen: null, namespace: "s3://lake", label: `table${node}`, upstream: 9, downstream: 9, columns: 3,
    state: node % 50 === 0 ? "FAIL" : "COMPLETE", writtenAt: "2026-01-01T00:00:00Z", rows: node, tags: [],
  };
}

function edgeOf(source: number, target: number): GraphEdge {
  const state = target % 50 === 0 ? "FAIL" : "COMPLETE";
  return {
    source: nameOf(source), target: nameOf(target), job: { name: "job", namespace: "", label: "job", state },
    runs: 1, lastSeen: "2026-01-01T00:00:00Z", stale: target % 40 === 1, declared: false,
  };
}

const large = makeLineage(2000, 2.2, 7);

/** Returns the milliseconds of a layout of 2,000 nodes in the worker; the first starts it. */
async function timeLayout(): Promise<number> {
  const start = performance.now();
  await placeInBackground({ graph: large, spacing: SPACING });
  return performance.now() - start;
}

const view = makeView(Number(new URLSearchParams(location.search).get("boxes")));
Object.assign(window, { timeLayout });

function Page() {
  const [chosen, choose] = useState<string | null>(view.root);
  const nothing = () => undefined;
  const actions: Actions = { choose, expand: nothing, fold: nothing, toggleColumns: nothing, listColumns: nothing, chooseColumn: nothing };
  return (
    <main class="explorer"><Picture view={view} chosen={chosen} path={new Set<string>()} busy={null} canExpand actions={actions} /></main>
  );
}

render(<Page />, document.body);
