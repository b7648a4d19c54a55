// Places in a fixed order that do not overlap and are near to the wanted ones: pool adjacent
// violators (R. E. Barlow et al., Statistical Inference under Order Restrictions, 1972).

/** Returns places with the least sum of squared moves. `offset` is the least distance from the first place. */
export function spreadByMean(wanted: readonly number[], offset: readonly number[], weights: readonly number[]): number[] {
  const blocks: { value: number; weight: number; count: number }[] = [];
  wanted.forEach((place, index) => {
    let block = { value: place - offset[index]!, weight: weights[index]!, count: 1 };
    for (let last = blocks.at(-1); last && last.value > block.value; last = blocks.at(-1)) {
      const weight = last.weight + block.weight;
      const value = (last.value * last.weight + block.value * block.weight) / weight;
      block = { value, weight, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ value, count }) => new Array<number>(count).fill(value)).map((value, index) => value + offset[index]!);
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
