import assert from "node:assert/strict";
import { test } from "node:test";
import { groupByKey, lengthOf, sortFirst } from "../../src/layout/lists.ts";
import { seedRandom } from "./random.ts";

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

test("each list has the positions of its key in ascending order", () => {
  for (const seed of SEEDS) {
    const random = seedRandom(seed);
    const keys = Array.from({ length: seed }, () => Math.floor(random() * 9));
    const { start, items } = groupByKey(keys, 9);
    for (let key = 0; key < 9; key++) {
      const expected = keys.flatMap((each, index) => (each === key ? [index] : []));
      assert.deepEqual([...items.subarray(start[key], start[key + 1])], expected);
      assert.equal(lengthOf({ start, items }, key), expected.length);
    }
  }
});

test("the first numbers are sorted, few or many, and the others stay", () => {
  for (const seed of SEEDS) {
    const random = seedRandom(seed);
    const values = Array.from({ length: 60 }, () => Math.floor(random() * 30));
    for (const count of [0, 1, 2, 24, 25, 60]) {
      const sorted = Float64Array.from(values);
      sortFirst(sorted, count);
      assert.deepEqual([...sorted], [...values.slice(0, count).sort((a, b) => a - b), ...values.slice(count)]);
    }
  }
});
