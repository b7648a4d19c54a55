// What the explorer asks the read API, and the views that the answers give.
import { getAnswer, postQuestion } from "../api.ts";
import type { Parameters } from "../address.ts";
import type { CollapsedPath, DatasetTrace } from "../records.ts";
import { readGraph, type CompactGraph, type GraphAnswer, type GraphEdge, type Subject } from "./answer.ts";
import { compareAnswers, markPresence } from "./comparison.ts";
import {
  emptyView, furtherMatches, mergeAnswer, MAX_BOXES, removeBoxes, replaceFacts, shownNeighbours,
  type Box, type Matches, type Side, type View,
} from "./model.ts";
import type { Place } from "./permalink.ts";
import { layOutAnew, placeDatasets } from "./place.ts";
import { filterBody, filterParameters, hasFilters, matchesFilters, type Filters, type Scope } from "./scope.ts";
import { reachedFrom } from "./ways.ts";

const STEP = 12; // neighbours that one click adds
export const MAX_FILTERED_DATASETS = 2 * STEP; // datasets of a filtered picture that opens
const MAX_NEIGHBOURS = 1000; // as many as the operation `neighbours` returns
const MAX_OPENED_DATASETS = 200; // datasets with columns that it takes
const MAX_MATCHES = 1000; // on each side
const SIDES: readonly Side[] = ["upstream", "downstream"];

/** Opens the picture of a dataset: itself and its neighbours on both sides; with filters, the nearest that match. */
export async function openRoot(root: string, scope: Scope): Promise<View> {
  if (hasFilters(scope.filters)) return openFiltered(root, scope);
  const answer = await askNeighbours(root, "both", STEP, scope);
  return askFacts(placeDatasets(emptyView(answer.datasets[0]?.name ?? root), answer), scope);
}

async function openFiltered(root: string, scope: Scope): Promise<View> {
  const { nodes } = await askTrace(root, "both", MAX_FILTERED_DATASETS, scope.filters);
  const names = nodes.map(({ dataset }) => dataset.full_name);
  const view = emptyView(names[0] ?? root);
  return addDatasets({ ...view, matches: await askMatches(view.root, scope) }, names, scope);
}

/** Opens a picture that a link describes; datasets that are no longer known are in `missing`. */
export async function openPlaces(
  root: string, places: readonly Place[], scope: Scope,
): Promise<{ view: View; missing: readonly string[] }> {
  const opened = places.filter((place) => place.opened).map((place) => place.name);
  const names = places.map((place) => place.name);
  const answer = await askSubgraph([...new Set([...names, root])].slice(0, MAX_BOXES), opened, scope);
  const subjects = new Map(answer.datasets.map((dataset) => [dataset.name, dataset]));
  const subjectOf = (name: string) => subjects.get(answer.fullNames[name] ?? name);
  const boxes = new Map<string, Box>();
  for (const { name, layer, y, opened: isOpen } of places) {
    const subject = subjectOf(name);
    if (!subject || boxes.has(subject.name)) continue;
    const empty = { names: [], total: 0, text: "", details: new Map() };
    boxes.set(subject.name, { subject, layer, y, opened: isOpen ? empty : null });
  }
  const view = await askFacts({ ...emptyView(subjectOf(root)?.name ?? root), boxes }, scope);
  return { view: removeBoxes(view, unmatchedBoxes(view, scope)), missing: names.filter((name) => !subjectOf(name)) };
}

/** Opens the picture of some datasets, laid out by their edges. */
export async function openDatasets(root: string, names: readonly string[], scope: Scope): Promise<View> {
  const answer = await askSubgraph([root, ...names].slice(0, MAX_BOXES), [], scope);
  const name = answer.datasets[0]?.name ?? root;
  return layOutAnew(await askFacts(placeDatasets(emptyView(name), answer), scope));
}

/** Adds the next neighbours of a box on a side, or all of them; what is shown keeps its place. */
export async function expandBox(view: View, name: string, side: Side, all: boolean, scope: Scope): Promise<View> {
  const shown = shownNeighbours(view, name, side).length;
  const room = MAX_BOXES - view.boxes.size;
  const wanted = Math.min(room, all ? room : STEP);
  const limit = Math.max(1, Math.min(MAX_NEIGHBOURS, shown + wanted));
  for (let offset = 0; ; offset += limit) {
    const answer = await askNeighbours(name, side, limit, scope, { offset });
    const next = placeDatasets(view, keepNew(view, answer, name, wanted));
    if (next.boxes.size > view.boxes.size || answer.omitted === 0 || wanted === 0) return askFacts(next, scope);
  }
}

/** Adds some datasets. */
export async function addDatasets(view: View, added: readonly string[], scope: Scope): Promise<View> {
  const answer = await askSubgraph([...view.boxes.keys(), ...added].slice(0, MAX_BOXES), [], scope);
  return askFacts(placeDatasets(view, { ...answer, edges: [...answer.edges, ...view.matches?.paths ?? []] }), scope);
}

/** Adds the next datasets that match the filters. */
export function addMatches(view: View, scope: Scope): Promise<View> {
  return addDatasets(view, furtherMatches(view).slice(0, MAX_FILTERED_DATASETS), scope);
}

/** Asks for all facts about the boxes of a view and the edges between them, at the times of the scope. */
export async function askFacts(view: View, scope: Scope): Promise<View> {
  const names = [...view.boxes.keys()];
  const opened = [...view.boxes].filter(([, box]) => box.opened !== null).map(([name]) => name).slice(0, MAX_OPENED_DATASETS);
  const { time, before } = scope;
  const [answer, old, matches] = await Promise.all([
    askSubgraph(names, opened, scope),
    before === null ? null : askSubgraph(names, opened, { ...scope, time: before }),
    askMatches(view.root, scope),
  ]);
  const ambiguous = new Set([...view.ambiguous ?? [], ...answer.missing]);
  const next = replaceFacts({ ...removeBoxes(view, ambiguous), matches, ambiguous }, old ? compareAnswers(old, answer) : answer);
  return markPresence(mergeAnswer(next, { ...answer, edges: matches?.paths ?? [] }), time, before);
}

/** Returns hidden neighbours of a box whose names contain a text, and whether more of its neighbours match. */
export async function findNeighbours(
  view: View, name: string, text: string, scope: Scope,
): Promise<{ found: readonly Subject[]; hasMore: boolean }> {
  const shown = Math.max(...SIDES.map((side) => shownNeighbours(view, name, side).length));
  const limit = Math.min(MAX_NEIGHBOURS, shown + STEP); // on each side
  const { datasets, omitted } = await askNeighbours(name, "both", limit, scope, { text });
  const found = datasets.filter((dataset) => dataset.name !== name && !view.boxes.has(dataset.name));
  return { found: found.slice(0, 2 * STEP), hasMore: omitted > 0 || found.length > 2 * STEP };
}

export async function askSubgraph(datasets: readonly string[], columns_of: readonly string[], scope: Scope): Promise<GraphAnswer> {
  const body = { datasets, columns_of, ...filterBody(scope.filters), time: scope.time };
  return readGraph(await postQuestion<CompactGraph>("subgraph", body));
}

async function askNeighbours(
  dataset: string, direction: Side | "both", limit: number, { filters, time }: Scope, more: Parameters = {},
): Promise<GraphAnswer> {
  const parameters = { dataset, direction, limit, ...filterParameters(filters), time: time ?? undefined, ...more };
  return readGraph(await getAnswer<CompactGraph>("neighbours", parameters));
}

async function askMatches(root: string, { filters }: Scope): Promise<Matches | undefined> {
  if (!hasFilters(filters)) return undefined;
  const traces = await Promise.all(SIDES.map((direction) => askTrace(root, direction, MAX_MATCHES, filters)));
  return {
    names: [...new Set(traces.flatMap(({ nodes }) => nodes.map(({ dataset }) => dataset.full_name)))],
    omitted: traces.reduce((sum, { omitted }) => sum + omitted, 0),
    paths: traces.flatMap(({ collapsed_paths }, index) => collapsed_paths.map((path) => toEdge(path, SIDES[index] as Side))),
  };
}

function askTrace(dataset: string, direction: Side | "both", limit: number, filters: Filters): Promise<DatasetTrace> {
  return getAnswer<DatasetTrace>("dataset-lineage", { dataset, direction, limit, ...filterParameters(filters) });
}

function toEdge({ near, far, filtered_out }: CollapsedPath, direction: Side): GraphEdge {
  const [source, target] = direction === "upstream" ? [far, near] : [near, far];
  return {
    source: source.full_name, target: target.full_name, job: null, runs: 0, lastSeen: "",
    stale: false, declared: false, hidden: filtered_out,
  };
}

/** Returns the boxes that filters remove: those that do not match, and those without a way to the root. */
function unmatchedBoxes(view: View, { filters }: Scope): Set<string> {
  if (!hasFilters(filters)) return new Set();
  const unmatched = [...view.boxes].filter(([name, { subject }]) => name !== view.root && !matchesFilters(filters, subject));
  const matching = removeBoxes(view, new Set(unmatched.map(([name]) => name)));
  const reached = reachedFrom(matching, view.root);
  return new Set([...view.boxes.keys()].filter((name) => !reached.has(name)));
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
