// The order of slots in their layers, such that few links cross.
import { countCrossings, swapGain } from "./crossings.ts";
import { medianOf } from "./graph.ts";
import type { Slots } from "./slots.ts";

// The work is bounded by these numbers, not by a clock: the same graph has the same picture anywhere.
const SWEEPS = 16;
const VAIN_SWEEPS = 4;
const SWAP_ROUNDS = 4;

type Rows = number[][];

/** Returns the slots of each layer from top to bottom; `members` are the slots of one component. */
export function orderSlots(slots: Slots, members: readonly number[]): Rows {
  const place = new Int32Array(slots.layer.length);
  let rows = firstOrder(slots, members);
  numberRows(rows, place);
  let best = rows.map((row) => [...row]);
  let least = totalCrossings(slots, rows, place);
  for (let sweep = 0, vain = 0; sweep < SWEEPS && vain < VAIN_SWEEPS && least > 0; sweep++) {
    sweepRows(slots, rows, place, sweep);
    const crossings = totalCrossings(slots, rows, place);
    vain = crossings < least ? 0 : vain + 1;
    if (crossings >= least) continue;
    least = crossings;
    best = rows.map((row) => [...row]);
  }
  rows = best;
  numberRows(rows, place);
  for (let round = 0; round < SWAP_ROUNDS && swapAdjacent(slots, rows, place); round++);
  return rows;
}

/** Returns the order in which a depth-first search from the sinks meets the slots. */
function firstOrder(slots: Slots, members: readonly number[]): Rows {
  const depth = members.reduce((most, slot) => Math.max(most, slots.layer[slot]! + 1), 0);
  const rows: Rows = Array.from({ length: depth }, () => []);
  const seen = new Set<number>();
  const sinks = members.filter((slot) => slots.after[slot]!.length === 0);
  for (const start of [...sinks, ...members]) {
    const open = [start];
    for (let slot = open.pop(); slot !== undefined; slot = open.pop()) {
      if (seen.has(slot)) continue;
      seen.add(slot);
      rows[slots.layer[slot]!]!.push(slot);
      open.push(...slots.before[slot]!);
    }
  }
  return rows;
}

function numberRows(rows: Rows, place: Int32Array): void {
  for (const row of rows) row.forEach((slot, index) => (place[slot] = index));
}

function sortedPlaces(near: readonly number[], place: Int32Array): number[] {
  return near.map((slot) => place[slot]!).sort((a, b) => a - b);
}

export function totalCrossings(slots: Slots, rows: Rows, place: Int32Array): number {
  let crossings = 0;
  for (let layer = 1; layer < rows.length; layer++) {
    const ends = rows[layer - 1]!.map((slot) => slots.after[slot]!.map((other) => place[other]!));
    crossings += countCrossings(ends, rows[layer]!.length);
  }
  return crossings;
}

/** Sorts each layer by its neighbours on one side: twice by their mean, then twice by their median. */
function sweepRows(slots: Slots, rows: Rows, place: Int32Array, sweep: number): void {
  const forward = sweep % 2 === 0;
  const near = forward ? slots.before : slots.after;
  for (let step = 1; step < rows.length; step++) {
    const layer = forward ? step : rows.length - 1 - step;
    const row = rows[layer]!;
    const scale = row.length / rows[layer + (forward ? -1 : 1)]!.length;
    const keys = new Map(row.map((slot) => {
      const places = sortedPlaces(near[slot]!, place);
      if (places.length === 0) return [slot, place[slot]!];
      const mean = sweep % 4 < 2 ? places.reduce((sum, each) => sum + each, 0) / places.length : medianOf(places);
      return [slot, mean * scale];
    }));
    row.sort((a, b) => keys.get(a)! - keys.get(b)! || place[a]! - place[b]!);
    row.forEach((slot, index) => (place[slot] = index));
  }
}

/** Swaps adjacent slots wherever this saves crossings; returns whether it did. */
function swapAdjacent(slots: Slots, rows: Rows, place: Int32Array): boolean {
  let hasSwapped = false;
  for (const row of rows) {
    const before = row.map((slot) => sortedPlaces(slots.before[slot]!, place));
    const after = row.map((slot) => sortedPlaces(slots.after[slot]!, place));
    for (let index = 1; index < row.length; index++) {
      const gain = swapGain(before[index - 1]!, before[index]!) + swapGain(after[index - 1]!, after[index]!);
      if (gain <= 0) continue;
      for (const list of [row, before, after] as unknown[][]) {
        [list[index - 1], list[index]] = [list[index], list[index - 1]];
      }
      hasSwapped = true;
    }
    row.forEach((slot, index) => (place[slot] = index));
  }
  return hasSwapped;
}
