// Places in a fixed order that do not overlap and are near to the wanted ones: pool adjacent
// violators (R. E. Barlow et al., Statistical Inference under Order Restrictions, 1972).

/**
 * Returns places with the least sum of squared moves. `offset` is the least distance from the first place.
 * Only the first `count` of each list are read.
 */
export function spreadByMean(
  wanted: ArrayLike<number>, offset: ArrayLike<number>, weights: ArrayLike<number>, count = wanted.length,
): Float64Array {
  const places = new Float64Array(count); // until the end, the values of blocks are in it
  const weight = new Float64Array(count); // of each block
  const first = new Int32Array(count + 1); // the first place of each block
  let blocks = 0;
  for (let index = 0; index < count; index++) {
    let value = wanted[index]! - offset[index]!;
    let heavy = weights[index]!;
    let begin = index;
    for (; blocks > 0 && places[blocks - 1]! > value; begin = first[--blocks]!) {
      const sum = weight[blocks - 1]! + heavy;
      value = (places[blocks - 1]! * weight[blocks - 1]! + value * heavy) / sum;
      heavy = sum;
    }
    places[blocks] = value;
    weight[blocks] = heavy;
    first[blocks++] = begin;
  }
  first[blocks] = count;
  for (let block = blocks - 1; block >= 0; block--) { // from the end: no value is overwritten before it is read
    const value = places[block]!;
    for (let index = first[block + 1]! - 1; index >= first[block]!; index--) places[index] = value + offset[index]!;
  }
  return places;
}

interface Want {
  readonly value: number;
  readonly weight: number;
}

/**
 * Returns places with the least sum of moves, not squared. A block then stands where one of its
 * members wanted to be: few things move far, and the others do not move at all.
 */
export function spreadByMedian(wanted: readonly number[], offset: readonly number[], weights: readonly number[]): number[] {
  const blocks: { value: number; wants: Want[] }[] = [];
  wanted.forEach((place, index) => {
    let wants: Want[] = [{ value: place - offset[index]!, weight: weights[index]! }];
    let value = place - offset[index]!;
    for (let last = blocks.at(-1); last && last.value > value; last = blocks.at(-1)) {
      wants = [...last.wants, ...wants].sort((a, b) => a.value - b.value);
      value = weightedMedian(wants);
      blocks.pop();
    }
    blocks.push({ value, wants });
  });
  const places = blocks.flatMap(({ value, wants }) => new Array<number>(wants.length).fill(value)).map((value, index) => value + offset[index]!);
  // What did not move keeps its exact number, not one that was rounded on the way.
  return places.map((place, index) => (Math.abs(place - wanted[index]!) < 1e-6 ? wanted[index]! : place));
}

function weightedMedian(sorted: readonly Want[]): number {
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  return sorted.find(({ weight }) => (sum += weight) >= half)!.value;
}
