import assert from "node:assert/strict";
import { test } from "node:test";
import { heightOf } from "../../src/explorer/model.ts";
import { planView } from "../../src/explorer/plan-level.ts";
import type { JobOrder } from "../../src/order-records.ts";
import { seedRandom } from "../layout/random.ts";

const NOTHING: JobOrder = {
  since: "", until: "", jobs: [], edges: [], cycles: [], levels: [], width: 0, critical_path: [], critical_seconds: 0, work: 0,
  workers: null, seconds: null, isolated: [], shared_outputs: [], omitted_jobs: [], feedback: [], omitted: {},
};

function orderOf(afters: ReadonlyMap<string, readonly string[]>, more: Partial<JobOrder> = {}): JobOrder {
  const levels = new Map<string, number>();
  for (const [job, after] of afters) levels.set(job, Math.max(-1, ...after.map((before) => levels.get(before) ?? 0)) + 1);
  const jobs = [...afters].map(([job, after]) => ({
    level: levels.get(job) ?? null, job, type: null, after, seconds: null, seconds_p90: null, slack: null, starts: null,
    last_successful_run: null, own: [], declared: false, stale: null,
  }));
  return { ...NOTHING, jobs, ...more };
}

test("each level is a layer, also of a job that only a late one needs, and boxes do not overlap", async () => {
  const next = seedRandom(7);
  for (let round = 0; round < 20; round++) {
    const afters = new Map<string, string[]>();
    for (let job = 0; job < 40; job++) {
      afters.set(`etl/${job}`, [...afters.keys()].filter(() => next() < 0.05));
    }
    const order = orderOf(afters);
    const { boxes, edges } = await planView(order);
    assert.equal(boxes.size, 40);
    assert.equal(edges.length, [...afters.values()].flat().length);
    const first = boxes.get("etl/0")?.layer ?? 0; // the first job has nothing before it
    for (const { job, level } of order.jobs) assert.equal((boxes.get(job)?.layer ?? 0) - first, level);
    for (const layer of Map.groupBy(boxes.values(), (box) => box.layer).values()) {
      const sorted = layer.toSorted((a, b) => a.y - b.y);
      sorted.slice(1).forEach((box, index) => assert.ok(box.y >= sorted[index]!.y + heightOf(sorted[index]!)));
    }
  }
});

test("an edge is declared if no reason of it was observed, and the critical path is marked", async () => {
  const reason = { dataset: "d", first_seen: "", written: "", read: "", view: null };
  const edge = (before: string, after: string, ...declared: boolean[]) => ({
    before, after, implied: false, reasons: declared.map((each) => ({ ...reason, declared: each })),
  });
  const afters = new Map([["e/a", []], ["e/b", ["e/a"]], ["e/c", ["e/a"]], ["e/d", ["e/b", "e/c"]]]);
  const { edges } = await planView(orderOf(afters, {
    edges: [edge("e/a", "e/b", true), edge("e/a", "e/c", true, false), edge("e/b", "e/d", false), edge("e/c", "e/d", true)],
    critical_path: ["e/a", "e/b", "e/d"],
  }));
  const ends = (some: typeof edges) => some.map(({ source, target }) => `${source} ${target}`);
  assert.deepEqual(ends(edges.filter(({ declared }) => declared)), ["e/a e/b", "e/c e/d"]);
  assert.deepEqual(ends(edges.filter(({ way }) => way === "critical")), ["e/a e/b", "e/b e/d"]);
});

test("of an order with a cycle, only the jobs of the cycle are shown", async () => {
  const afters = new Map([["e/a", ["e/b"]], ["e/b", ["e/a"]], ["e/c", ["e/a"]]]);
  const step = { datasets: ["d"], days: 1, days_after: 1 };
  const { boxes, edges } = await planView(orderOf(afters, {
    cycles: [{ jobs: ["e/a", "e/b"], steps: [{ ...step, before: "e/a", after: "e/b" }, { ...step, before: "e/b", after: "e/a" }], feedback: null }],
  }));
  assert.deepEqual([...boxes.keys()].sort(), ["e/a", "e/b"]);
  assert.ok(edges.every(({ way }) => way === "cycle"));
});
