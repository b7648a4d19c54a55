// The order of slots in their layers, such that few links cross.
import { countCrossings, swapGain } from "./crossings.ts";
import { lengthOf, medianOf, sortFirst } from "./lists.ts";
import type { Side, Slots } from "./slots.ts";

// The work is bounded by these numbers, not by a clock: the same graph has the same picture anywhere.
const SWEEPS = 16;
const VAIN_SWEEPS = 4;
const SWAP_ROUNDS = 4;
const MAX_TRIALS = 4; // of first orders
const TRIED_LINKS = 20_000; // a large graph has fewer trials
const NOWHERE = -1;

/** The slots of each layer from top to bottom. */
export type Rows = readonly Int32Array[];

/** Returns the order of `members`, the slots of one component. `place` gets the position of each. */
export function orderSlots(slots: Slots, members: Int32Array, place: Int32Array): Rows {
  const links = members.reduce((sum, slot) => sum + lengthOf(slots.after, slot), 0);
  const trials = Math.min(MAX_TRIALS, Math.ceil(TRIED_LINKS / (links + 1)));
  let best: Rows = [];
  let least = Infinity;
  for (let trial = 0; trial < trials && least > 0; trial++) {
    const rows = tryOrder(slots, members, place, trial);
    const crossings = totalCrossings(slots, rows, place);
    if (crossings >= least) continue;
    least = crossings;
    best = rows;
  }
  numberRows(best, place);
  return best;
}

/** Returns the order that sweeps and swaps make of the first order of a trial. */
function tryOrder(slots: Slots, members: Int32Array, place: Int32Array, trial: number): Rows {
  const rows = firstOrder(slots, members, place, trial);
  const best = rows.map((row) => row.slice());
  let least = totalCrossings(slots, rows, place);
  for (let sweep = 0, vain = 0; sweep < SWEEPS && vain < VAIN_SWEEPS && least > 0; sweep++) {
    sweepRows(slots, rows, place, sweep + (trial & 1));
    const crossings = totalCrossings(slots, rows, place);
    vain = crossings < least ? 0 : vain + 1;
    if (crossings >= least) continue;
    least = crossings;
    best.forEach((row, layer) => row.set(rows[layer]!));
  }
  numberRows(best, place);
  for (let round = 0; round < SWAP_ROUNDS && swapAdjacent(slots, best, place); round++);
  return best;
}

/** Returns the order in which a depth-first search meets the slots: from the sinks, or from the sources in odd trials. */
function firstOrder({ layer, before, after }: Slots, members: Int32Array, place: Int32Array, trial: number): Int32Array[] {
  const [near, far] = trial & 1 ? [after, before] : [before, after];
  const order = trial & 2 ? members.toReversed() : members;
  const sizes: number[] = [];
  for (const slot of members) {
    while (sizes.length <= layer[slot]!) sizes.push(0);
    sizes[layer[slot]!]!++;
    place[slot] = NOWHERE;
  }
  const rows = sizes.map((size) => new Int32Array(size));
  const filled = new Int32Array(rows.length);
  const search = (start: number) => {
    const open = [start];
    for (let slot = open.pop(); slot !== undefined; slot = open.pop()) {
      if (place[slot] !== NOWHERE) continue;
      const index = filled[layer[slot]!]!++;
      place[slot] = index;
      rows[layer[slot]!]![index] = slot;
      for (let at = near.start[slot]!; at < near.start[slot + 1]!; at++) open.push(near.items[at]!);
    }
  };
  for (const slot of order) if (lengthOf(far, slot) === 0) search(slot);
  return rows;
}

function numberRows(rows: Rows, place: Int32Array): void {
  for (const row of rows) for (let index = 0; index < row.length; index++) place[row[index]!] = index;
}

export function totalCrossings(slots: Slots, rows: Rows, place: Int32Array): number {
  let crossings = 0;
  for (let layer = 1; layer < rows.length; layer++) {
    crossings += countCrossings(rows[layer - 1]!, slots.after, place, rows[layer]!.length);
  }
  return crossings;
}

// A key of a slot and its place are sorted as one number, without a function that compares them.
const PLACES = 2 ** 19; // more than a layer has slots
const FRACTION = 2 ** 14;

/** Sorts each layer by its neighbours on one side: twice by their mean, then twice by their median. */
function sweepRows(slots: Slots, rows: Rows, place: Int32Array, sweep: number): void {
  const isForward = sweep % 2 === 0;
  const near = isForward ? slots.before : slots.after;
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const keys = new Float64Array(longest);
  const old = new Int32Array(longest);
  for (let step = 1; step < rows.length; step++) {
    const layer = isForward ? step : rows.length - 1 - step;
    const row = rows[layer]!;
    const scale = row.length / rows[layer + (isForward ? -1 : 1)]!.length;
    for (let index = 0; index < row.length; index++) {
      const middle = middleOf(near, row[index]!, place, sweep % 4 < 2);
      keys[index] = Math.round((middle < 0 ? index : middle * scale) * FRACTION) * PLACES + index;
    }
    sortFirst(keys, row.length);
    old.set(row);
    for (let index = 0; index < row.length; index++) {
      row[index] = old[keys[index]! % PLACES]!;
      place[row[index]!] = index;
    }
  }
}

let places = new Int32Array(64);

/** Returns the mean or the median place of the neighbours of a slot; -1 if it has none. */
function middleOf({ start, items }: Side, slot: number, place: Int32Array, isMean: boolean): number {
  const from = start[slot]!;
  const count = start[slot + 1]! - from;
  if (count === 0) return -1;
  if (count === 1) return place[items[from]!]!;
  if (isMean) {
    let sum = 0;
    for (let at = 0; at < count; at++) sum += place[items[from + at]!]!;
    return sum / count;
  }
  if (places.length < count) places = new Int32Array(2 * count);
  for (let at = 0; at < count; at++) places[at] = place[items[from + at]!]!;
  sortFirst(places, count);
  return medianOf(places, count);
}

/** Swaps adjacent slots wherever this saves crossings; returns whether it did. */
function swapAdjacent(slots: Slots, rows: Rows, place: Int32Array): boolean {
  let hasSwapped = false;
  for (const row of rows) {
    const before = endsOf(slots.before, row, place);
    const after = endsOf(slots.after, row, place);
    const order = Int32Array.from(row, (_, index) => index);
    for (let index = 1; index < row.length; index++) {
      const [above, below] = [order[index - 1]!, order[index]!];
      if (swapGain(before, above, below) + swapGain(after, above, below) <= 0) continue;
      order[index - 1] = below;
      order[index] = above;
      hasSwapped = true;
    }
    row.set(order.map((index) => row[index]!));
    for (let index = 0; index < row.length; index++) place[row[index]!] = index;
  }
  return hasSwapped;
}

/** Returns the places of the neighbours of each slot of a row, in ascending order. */
function endsOf({ start, items }: Side, row: Int32Array, place: Int32Array): { start: Int32Array; items: Int32Array } {
  const own = new Int32Array(row.length + 1);
  for (let index = 0; index < row.length; index++) own[index + 1] = own[index]! + start[row[index]! + 1]! - start[row[index]!]!;
  const ends = new Int32Array(own[row.length]!);
  for (let index = 0; index < row.length; index++) {
    const from = start[row[index]!]!;
    const list = ends.subarray(own[index]!, own[index + 1]!);
    for (let at = 0; at < list.length; at++) list[at] = place[items[from + at]!]!;
    sortFirst(list, list.length);
  }
  return { start: own, items: ends };
}
