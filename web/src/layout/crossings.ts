// Crossings of the links between two layers.
import type { Lists } from "./lists.ts";

/**
 * Returns the number of crossings between two layers: `left` are the slots of the left one from top
 * to bottom, `links` the slots of the right one that each is linked with, `place` the position of each
 * of those, below `width`. It takes |links| log |right| steps (an accumulator tree: W. Barth, P. Mutzel,
 * M. Jünger, Simple and Efficient Bilayer Cross Counting, 2004).
 */
export function countCrossings(left: ArrayLike<number>, links: Lists, place: ArrayLike<number>, width: number): number {
  const { start, items } = links;
  const tree = new Int32Array(width + 1);
  let crossings = 0;
  let count = 0;
  for (let index = 0; index < left.length; index++) {
    const from = start[left[index]!]!;
    const to = start[left[index]! + 1]!;
    for (let link = from; link < to; link++) {
      crossings += count; // links of the slots above, less those that do not end below this one
      for (let at = place[items[link]!]! + 1; at > 0; at -= at & -at) crossings -= tree[at]!;
    }
    count += to - from;
    for (let link = from; link < to; link++) { // afterwards: links of one slot do not cross
      for (let at = place[items[link]!]! + 1; at <= width; at += at & -at) tree[at]!++;
    }
  }
  return crossings;
}

/** Returns how many crossings two adjacent lists of ends have, less those that they have if they swap. */
export function swapGain({ start, items }: Lists, above: number, below: number): number {
  const end = start[below + 1]!;
  const count = end - start[below]!;
  let gain = 0; // the items of both lists are in ascending order
  let less = start[below]!;
  let equal = less;
  for (let at = start[above]!; at < start[above + 1]!; at++) {
    const place = items[at]!;
    while (less < end && items[less]! < place) less++;
    if (equal < less) equal = less;
    while (equal < end && items[equal] === place) equal++;
    gain += less - start[below]! - (count - (equal - start[below]!));
  }
  return gain;
}
