// What the explorer asks the read API, and the views that the answers give.
import { getAnswer, postQuestion } from "../api.ts";
import type { DatasetDetails, Field } from "../records.ts";
import { readGraph, type CompactGraph, type GraphAnswer } from "./answer.ts";
import { emptyView, mergeAnswer, shownNeighbours, type Box, type OpenColumns, type Side, type View } from "./model.ts";
import type { Place } from "./permalink.ts";
import { layOutAnew, placeDatasets } from "./place.ts";

const STEP = 12; // neighbours that one click adds
export const MOST_BOXES = 2000; // as many as the operation `subgraph` takes
const MOST_NEIGHBOURS = 1000; // as many as the operation `neighbours` returns
const MOST_COLUMNS = 8;

/** Opens the picture of a dataset: itself and its neighbours on both sides. */
export async function openRoot(root: string): Promise<View> {
  const answer = await askNeighbours(root, "both", STEP);
  const name = answer.datasets[0]?.name ?? root;
  return completeEdges(placeDatasets(emptyView(name), answer));
}

/** Opens a picture that a link describes; datasets that are no longer known are in `missing`. */
export async function openPlaces(root: string, places: readonly Place[]): Promise<{ view: View; missing: readonly string[] }> {
  const opened = places.filter((place) => place.opened).map((place) => place.name);
  const answer = await askSubgraph(places.map((place) => place.name), opened);
  const subjects = new Map(answer.datasets.map((dataset) => [dataset.name, dataset]));
  const boxes = new Map<string, Box>();
  for (const { name, layer, y } of places) {
    const subject = subjects.get(name);
    if (subject) boxes.set(name, { subject, layer, y, opened: null });
  }
  let view: View = { root, boxes, edges: answer.edges, columnEdges: answer.columnEdges };
  for (const name of opened) if (boxes.has(name)) view = await openColumns(view, name);
  return { view, missing: answer.missing };
}

/** Opens the picture of some datasets, laid out by their edges. */
export async function openDatasets(root: string, names: readonly string[]): Promise<View> {
  const answer = await askSubgraph([root, ...names].slice(0, MOST_BOXES), []);
  const name = answer.datasets[0]?.name ?? root;
  return layOutAnew(placeDatasets(emptyView(name), answer));
}

/** Adds the next neighbours of a box on a side, or all of them; what is shown keeps its place. */
export async function expandBox(view: View, name: string, side: Side, all: boolean): Promise<View> {
  const shown = shownNeighbours(view, name, side).length;
  const room = MOST_BOXES - view.boxes.size;
  const wanted = Math.min(room, all ? room : STEP);
  const answer = await askNeighbours(name, side, Math.max(1, Math.min(MOST_NEIGHBOURS, shown + wanted)));
  return completeEdges(placeDatasets(view, keepNew(view, answer, name, wanted)));
}

/** Opens the columns of a box: those with edges to other open boxes first. */
export async function openColumns(view: View, name: string): Promise<View> {
  const box = view.boxes.get(name);
  if (!box) return view;
  const details = await getAnswer<DatasetDetails>("dataset", { dataset: name });
  const boxes = new Map(view.boxes).set(name, { ...box, opened: { names: [], total: 0 } });
  const { columnEdges } = await askSubgraph([...boxes.keys()], openedNames(boxes));
  const next = { ...view, boxes, columnEdges };
  const opened = chooseColumns(next, name, fieldPaths(schemaFields(details)));
  return { ...next, boxes: new Map(boxes).set(name, { ...box, opened }) };
}

export function closeColumns(view: View, name: string): View {
  const box = view.boxes.get(name);
  if (!box) return view;
  const columnEdges = view.columnEdges.filter((edge) => edge.source !== name && edge.target !== name);
  return { ...view, boxes: new Map(view.boxes).set(name, { ...box, opened: null }), columnEdges };
}

async function completeEdges(view: View): Promise<View> {
  return mergeAnswer(view, await askSubgraph([...view.boxes.keys()], []));
}

async function askNeighbours(dataset: string, direction: Side | "both", limit: number): Promise<GraphAnswer> {
  return readGraph(await getAnswer<CompactGraph>("neighbours", { dataset, direction, limit }));
}

async function askSubgraph(datasets: readonly string[], columns_of: readonly string[]): Promise<GraphAnswer> {
  return readGraph(await postQuestion<CompactGraph>("subgraph", { datasets, columns_of }));
}

/** Returns the part of an answer with the shown boxes and at most `most` new ones. */
function keepNew(view: View, answer: GraphAnswer, name: string, most: number): GraphAnswer {
  const added = answer.datasets.filter((dataset) => dataset.name !== name && !view.boxes.has(dataset.name)).slice(0, most);
  const kept = new Set([...view.boxes.keys(), ...added.map((dataset) => dataset.name)]);
  return {
    ...answer,
    datasets: answer.datasets.filter((dataset) => kept.has(dataset.name)),
    edges: answer.edges.filter((edge) => kept.has(edge.source) && kept.has(edge.target)),
  };
}

function chooseColumns(view: View, name: string, paths: readonly string[]): OpenColumns {
  const connected = new Set<string>();
  for (const edge of view.columnEdges) {
    if (edge.source === name) connected.add(edge.sourceColumn);
    if (edge.target === name && edge.targetColumn !== null) connected.add(edge.targetColumn);
  }
  const all = [...new Set([...paths.filter((path) => connected.has(path)), ...connected, ...paths])];
  return { names: all.slice(0, MOST_COLUMNS), total: all.length };
}

function openedNames(boxes: ReadonlyMap<string, Box>): string[] {
  return [...boxes].filter(([, box]) => box.opened !== null).map(([name]) => name);
}

function schemaFields(details: DatasetDetails): readonly Field[] {
  const fields = (details.facets["schema"] as { fields?: unknown } | undefined)?.fields;
  return Array.isArray(fields) ? (fields as Field[]) : [];
}

function fieldPaths(fields: readonly Field[], above = ""): string[] {
  return fields.flatMap((field) => {
    const path = above + field.name;
    return [path, ...(Array.isArray(field.fields) ? fieldPaths(field.fields, `${path}.`) : [])];
  });
}
