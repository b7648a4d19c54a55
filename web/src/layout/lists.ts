// Lists of numbers in one array. A layout reads them in its innermost loops, where arrays of arrays
// are several times slower, above all before they are compiled.

export interface Lists {
  readonly start: Int32Array; // list i is items[start[i]] to items[start[i + 1] - 1]
  readonly items: Int32Array;
}

/** Returns the positions in `keys`, in ascending order, as one list for each key from 0 to `count` - 1. */
export function groupByKey(keys: ArrayLike<number>, count: number): Lists {
  const start = new Int32Array(count + 1);
  for (let index = 0; index < keys.length; index++) start[keys[index]! + 1]!++;
  for (let key = 0; key < count; key++) start[key + 1]! += start[key]!;
  const next = start.slice();
  const items = new Int32Array(keys.length);
  for (let index = 0; index < keys.length; index++) items[next[keys[index]!]!++] = index;
  return { start, items };
}

export function lengthOf({ start }: Lists, list: number): number {
  return start[list + 1]! - start[list]!;
}

const FEW = 24; // so many numbers are sorted faster by insertion

/** Sorts the first `count` numbers of an array in ascending order. */
export function sortFirst(values: Float64Array | Int32Array, count: number): void {
  if (count > FEW) {
    values.subarray(0, count).sort();
    return;
  }
  for (let index = 1; index < count; index++) {
    const value = values[index]!;
    let at = index;
    for (; at > 0 && values[at - 1]! > value; at--) values[at] = values[at - 1]!;
    values[at] = value;
  }
}

/** Returns the median of the first `count` numbers of an array in ascending order. */
export function medianOf(sorted: ArrayLike<number>, count: number): number {
  return (sorted[(count - 1) >> 1]! + sorted[count >> 1]!) / 2;
}
