// Crossings of the links between two layers.

/**
 * Returns the number of crossings between two layers, where `ends` are the positions in the right
 * layer for each slot of the left one, from top to bottom. It takes |links| log |right| steps (an
 * accumulator tree: W. Barth, P. Mutzel, M. Jünger, Simple and Efficient Bilayer Cross Counting, 2004).
 */
export function countCrossings(ends: readonly (readonly number[])[], width: number): number {
  const tree = new Int32Array(width + 1);
  let crossings = 0;
  let links = 0;
  for (const positions of ends) {
    for (const position of positions) {
      let below = links; // links of the slots above that end below this one
      for (let at = position + 1; at > 0; at -= at & -at) below -= tree[at]!;
      crossings += below;
    }
    for (const position of positions) { // afterwards: links of one slot do not cross
      links++;
      for (let at = position + 1; at <= width; at += at & -at) tree[at]!++;
    }
  }
  return crossings;
}

/** Returns how many crossings two adjacent slots have, less those that they have if they swap. */
export function swapGain(above: readonly number[], below: readonly number[]): number {
  let gain = 0; // both lists are in ascending order
  let less = 0;
  let equal = 0;
  for (const end of above) {
    while (less < below.length && below[less]! < end) less++;
    equal = Math.max(equal, less);
    while (equal < below.length && below[equal]! === end) equal++;
    gain += less - (below.length - equal);
  }
  return gain;
}
