import assert from "node:assert/strict";
import { test } from "node:test";
import { spreadByMean, spreadByMedian } from "../../src/layout/spread.ts";
import { seedRandom } from "./random.ts";

const SEEDS = Array.from({ length: 100 }, (_, seed) => seed);

test("a light place gives way to heavy ones, which keep theirs exactly", () => {
  assert.deepEqual(spreadByMedian([0.1, 0.1, 60.3], [0, 30, 60], [4, 1, 4]), [0.1, 30.1, 60.3]);
});

for (const spread of [spreadByMean, spreadByMedian]) {
  test(`${spread.name} keeps the order and the least distances, and what has room does not move`, () => {
    for (const seed of SEEDS) {
      const random = seedRandom(seed);
      const wanted = Array.from({ length: 20 }, () => Math.round(random() * 900)).sort((a, b) => a - b);
      let sum = 0;
      const offsets = wanted.map(() => (sum += 10 + random() * 60));
      const places = [...spread(wanted, offsets, wanted.map(() => 1 + random()))];
      places.forEach((place, index) => {
        if (index === 0) return;
        const least = offsets[index]! - offsets[index - 1]!;
        assert.ok(place - places[index - 1]! >= least - 1e-6, `seed ${seed}, place ${index}`);
      });
      const roomy = wanted.map((_, index) => index * 1000);
      assert.deepEqual([...spread(roomy, offsets.map((offset) => offset - offsets[0]!), wanted.map(() => 1))], roomy);
    }
  });
}
