import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphEdge, GraphFacts, Subject } from "../../src/explorer/answer.ts";
import { changedEdges, compareAnswers, markPresence } from "../../src/explorer/comparison.ts";
import { emptyView, replaceFacts, type View } from "../../src/explorer/model.ts";
import { jobEdges, jobView } from "../../src/explorer/job-level.ts";

function job(name: string, state = "COMPLETE") {
  return { name, namespace: "etl", label: name, state };
}

function edge(source: string, target: string, more: Partial<GraphEdge> = {}): GraphEdge {
  return { source, target, job: job(`${source}${target}`), runs: 1, lastSeen: "2026-01-01T00:00:00Z", stale: false, declared: false, ...more };
}

function subject(name: string, firstSeen: string | null = null): Subject {
  return {
    kind: "dataset", name, namespace: "", label: name, firstSeen, upstream: 0, downstream: 0, columns: 0, state: null,
    writtenAt: null, rows: null, tags: [],
  };
}

function answer(...edges: GraphEdge[]): GraphFacts {
  return { datasets: [], edges, columnEdges: [] };
}

function viewOf(edges: readonly GraphEdge[], subjects: readonly Subject[] = []): View {
  const names = [...new Set(edges.flatMap(({ source, target }) => [source, target]))];
  const all = subjects.length > 0 ? subjects : names.map((name) => subject(name));
  return { ...emptyView("a"), edges, boxes: new Map(all.map((each) => [each.name, { subject: each, layer: 0, y: 0, opened: null }])) };
}

test("an edge is added, removed, changed or the same", () => {
  const before = answer(edge("a", "b"), edge("b", "c"), edge("c", "d"));
  const after = answer(edge("b", "c"), edge("c", "d", { stale: true }), edge("d", "e"));
  const changes = changedEdges(replaceFacts(viewOf([]), compareAnswers(before, after)));
  assert.deepEqual(changes.map(({ source, target, change }) => [source, target, change]), [
    ["a", "b", "removed"], ["c", "d", "changed"], ["d", "e", "added"],
  ]);
});

test("a view tells how many edges the answers lack", () => {
  const [before, after] = [{ ...answer(), omitted: 7 }, { ...answer(), omitted: 5 }];
  assert.equal(replaceFacts(viewOf([]), after).omitted, 5);
  assert.equal(replaceFacts(viewOf([]), compareAnswers(before, after)).omitted, 7);
});

test("more runs are no change, and the same pair of another job is another edge", () => {
  const before = answer(edge("a", "b", { runs: 1 }));
  assert.equal(changedEdges(viewOf(compareAnswers(before, answer(edge("a", "b", { runs: 9 }))).edges)).length, 0);
  const other = compareAnswers(before, answer(edge("a", "b", { job: job("other") })));
  assert.deepEqual(other.edges.map(({ change }) => change).sort(), ["added", "removed"]);
});

test("a dataset is absent before it was named, and added between two times", () => {
  const presence = (time: string | null, before: string | null) => {
    const view = viewOf([], [subject("a", "2026-01-02T00:00:00.000000Z"), subject("b")]);
    return [...markPresence(view, time, before).boxes.values()].map((box) => box.presence);
  };
  assert.deepEqual(presence(null, null), [undefined, undefined]);
  assert.deepEqual(presence("2026-01-01T00:00:00Z", null), ["absent", "absent"]);
  assert.deepEqual(presence("2026-01-02T00:00:00Z", null), [undefined, "absent"]);
  assert.deepEqual(presence(null, "2026-01-01T00:00:00Z"), ["added", "added"]);
});

test("a job is followed by those that read what it wrote, and not by itself", async () => {
  const load = job("load");
  const view = await jobView(viewOf([
    edge("raw", "a", { job: load }), edge("raw", "b", { job: load }), edge("a", "b", { job: load }),
    edge("a", "c", { job: job("report") }), edge("b", "c", { job: job("report", "FAIL") }), edge("c", "d", { job: null }),
  ]));
  assert.deepEqual([...view.boxes.keys()].sort(), ["load", "report"]);
  assert.deepEqual(view.edges.map(({ source, target }) => [source, target]), [["load", "report"]]);
});

const [LOAD, REPORT] = [job("load"), job("report")];
const DESIGN = { runs: 0, declared: true };

/** Returns the edge from load to report over some datasets, by what its two edges are. */
function merged(...pairs: (readonly [wrote: Partial<GraphEdge>, read: Partial<GraphEdge>])[]): GraphEdge[] {
  return jobEdges(pairs.flatMap(([wrote, read], index) => [
    edge("raw", `d${index}`, { job: LOAD, ...wrote }), edge(`d${index}`, "end", { job: REPORT, ...read }),
  ]));
}

test("jobs are connected by a design if no dataset connects them by runs", () => {
  const isDesign = (edges: GraphEdge[]) => edges.map(({ declared, runs }) => [declared, runs]);
  assert.deepEqual(isDesign(merged([DESIGN, DESIGN])), [[true, 0]]);
  assert.deepEqual(isDesign(merged([DESIGN, { runs: 3 }])), [[true, 0]]);
  assert.deepEqual(isDesign(merged([DESIGN, DESIGN], [{ runs: 2 }, { runs: 3, declared: true }])), [[false, 3]]);
});

test("the change of an edge between jobs is that of all datasets that connect them", () => {
  const change = (...pairs: Parameters<typeof merged>) => merged(...pairs).map((each) => each.change);
  assert.deepEqual(change([{}, { change: "removed" }]), ["removed"]);
  assert.deepEqual(change([{}, { change: "removed" }], [{}, {}]), [undefined]);
  assert.deepEqual(change([{ change: "added" }, {}]), ["added"]);
  assert.deepEqual(change([{ change: "added" }, {}], [{}, { change: "removed" }]), [undefined]);
  assert.deepEqual(change([{ change: "changed" }, {}], [{ change: "added" }, {}]), ["changed"]);
  assert.deepEqual(change([{ change: "added" }, { change: "removed" }]), []);
});

test("an edge between jobs has what is there now of a removed and a current one", () => {
  const [current] = merged([{ stale: true }, { change: "removed" }], [DESIGN, {}]);
  assert.deepEqual([current?.stale, current?.declared], [false, true]);
});
