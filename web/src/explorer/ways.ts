// Ways over the edges that are shown.
import { columnKey, shownNeighbours, type Side, type View } from "./model.ts";

type Neighbours = Map<string, Set<string>>;

/** Returns the boxes that only one side of a box connects with the root; folding that side hides them. */
export function broughtBy(view: View, name: string, side: Side): Set<string> {
  const neighbours: Neighbours = new Map();
  const folded = new Set(shownNeighbours(view, name, side));
  for (const { source, target } of view.edges) {
    const isFolded = side === "upstream" ? target === name : source === name;
    if (isFolded && source !== target) continue;
    connect(neighbours, source, target);
    connect(neighbours, target, source);
  }
  const reached = new Set<string>();
  for (const start of [view.root, name]) reach(start, neighbours, reached);
  return new Set([...view.boxes.keys()].filter((each) => !reached.has(each) && isBehind(each, folded, neighbours)));
}

function isBehind(name: string, folded: ReadonlySet<string>, neighbours: Neighbours): boolean {
  return [...reach(name, neighbours, new Set())].some((each) => folded.has(each));
}

/** Returns the boxes on all ways from one box to another, in the direction that has any; both are among them. */
export function waysBetween(view: View, one: string, other: string): Set<string> {
  const forward = direct(view.edges.map(({ source, target }) => [source, target]));
  const back = direct(view.edges.map(({ source, target }) => [target, source]));
  const found = new Set([one, other]);
  for (const [from, to] of [[one, other], [other, one]] as const) {
    const after = reach(from, forward, new Set());
    if (!after.has(to)) continue;
    for (const name of reach(to, back, new Set())) if (after.has(name)) found.add(name);
  }
  return found;
}

/** Returns the boxes that edges in any direction connect with one; it is among them. */
export function reachedFrom(view: View, name: string): Set<string> {
  const neighbours: Neighbours = new Map();
  for (const { source, target } of view.edges) {
    connect(neighbours, source, target);
    connect(neighbours, target, source);
  }
  return reach(name, neighbours, new Set());
}

/** Returns the columns on all ways from or to a column. */
export function columnPath(view: View, dataset: string, column: string): ReadonlySet<string> {
  const pairs = view.columnEdges.map((edge) => (
    [columnKey(edge.source, edge.sourceColumn), columnKey(edge.target, edge.targetColumn)] as const
  ));
  const start = columnKey(dataset, column);
  const after = reach(start, direct(pairs), new Set());
  const before = reach(start, direct(pairs.map(([source, target]) => [target, source])), new Set());
  return new Set([...before, ...after]);
}

function direct(pairs: readonly (readonly [from: string, to: string])[]): Neighbours {
  const neighbours: Neighbours = new Map();
  for (const [from, to] of pairs) connect(neighbours, from, to);
  return neighbours;
}

function connect(neighbours: Neighbours, from: string, to: string): void {
  const names = neighbours.get(from) ?? new Set<string>();
  neighbours.set(from, names.add(to));
}

function reach(start: string, neighbours: Neighbours, reached: Set<string>): Set<string> {
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...(neighbours.get(name) ?? []));
  }
  return reached;
}
