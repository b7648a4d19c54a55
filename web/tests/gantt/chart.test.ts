import assert from "node:assert/strict";
import { test } from "node:test";
import { makeChart } from "../../src/gantt/chart.ts";
import type { Named, Run, RunDependency } from "../../src/records.ts";
import { seedRandom } from "../layout/random.ts";

const BEGIN = Date.UTC(2026, 0, 1);

function at(minute: number): string {
  return new Date(BEGIN + minute * 60_000).toISOString();
}

function run(id: string, start: number, end: number | null, state = "COMPLETE"): Run {
  return { run_id: id, state, event_time: at(end ?? start), started_at: at(start), ended_at: end === null ? null : at(end), error: null };
}

function named(name: string): Named {
  return { namespace: "etl", name, full_name: `etl/${name}` };
}

function read(reader: Run, writer: Run, job: string, written = writer.ended_at): RunDependency {
  return { distance: 1, reader, writer, dataset: named(`of-${writer.run_id}`), job: named(job), written, exact: false };
}

test("the chain leads from each run to the write that it read last", () => {
  const [early, late, slow, root] = [run("early", 0, 1), run("late", 0, 5), run("slow", 6, 90), run("root", 100, 110)];
  const chart = makeChart(root, named("root"), [read(root, early, "x"), read(root, slow, "y"), read(slow, late, "z"), read(slow, early, "x")]);
  assert.deepEqual(chart.chain, ["late", "slow", "root"]);
});

test("a cycle of runs ends the chain", () => {
  const [a, b] = [run("a", 0, 10), run("b", 0, 10)];
  assert.deepEqual(makeChart(a, null, [read(a, b, "b"), read(b, a, "a")]).chain, ["b", "a"]);
});

test("a way from a run is a shortest one, and the run alone if there is none", () => {
  const [first, middle, root, other] = [run("first", 0, 1), run("middle", 2, 3), run("root", 4, 5), run("other", 0, 1)];
  const reads = [read(root, middle, "m"), read(middle, first, "f"), read(root, first, "f")];
  assert.deepEqual(makeChart(root, null, reads, ["first"]).chain, ["first", "root"]);
  assert.deepEqual(makeChart(root, null, [...reads.slice(0, 2)], ["gone", "first"]).chain, ["first", "middle", "root"]);
  assert.deepEqual(makeChart(root, null, [...reads, read(first, other, "o")], ["other"]).chain, ["other", "first", "root"]);
  assert.deepEqual(makeChart(root, null, [read(other, other, "o"), ...reads], ["other"]).chain, ["other"]);
});

test("a run that goes on ends with the chart, and one without a start is open", () => {
  const root = run("root", 10, 20);
  const running = { ...run("running", 5, null, "RUNNING"), event_time: at(5) };
  const unknown = { ...run("unknown", 0, 7), started_at: null };
  const chart = makeChart(root, null, [read(root, running, "r", at(6)), read(root, unknown, "u")]);
  const bars = new Map(chart.bars.map((bar) => [bar.run.run_id, bar]));
  assert.equal(bars.get("running")!.end, BEGIN + 20 * 60_000);
  assert.ok(bars.get("running")!.isOpen && bars.get("unknown")!.isOpen);
  assert.ok(bars.get("unknown")!.start <= bars.get("unknown")!.end);
});

test("no two bars of a row overlap, and a row has one job", () => {
  for (let seed = 0; seed < 40; seed++) {
    const random = seedRandom(seed);
    const root = run("root", 500, 600);
    const dependencies = Array.from({ length: 30 }, (_, index) => {
      const start = Math.floor(random() * 400);
      return read(root, run(`r${index}`, start, start + Math.floor(random() * 90)), `job${Math.floor(random() * 5)}`);
    });
    const { bars, rows } = makeChart(root, named("root"), dependencies);
    for (const [row, placed] of Map.groupBy(bars, (bar) => bar.row)) {
      const sorted = placed.toSorted((a, b) => a.start - b.start);
      sorted.forEach((bar, index) => assert.ok(index === 0 || sorted[index - 1]!.end <= bar.start, `seed ${seed}`));
      assert.deepEqual(new Set(placed.map(({ job }) => job?.full_name)), new Set([rows[row]!.job?.full_name]));
    }
  }
});
