import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphFacts, GraphEdge, Subject } from "../../src/explorer/answer.ts";
import { emptyView, GAP, HEAD, heightOf, type View } from "../../src/explorer/model.ts";
import { layOutAnew, makeRoom, nearestGap, placeDatasets } from "../../src/explorer/place.ts";
import { seedRandom } from "../layout/random.ts";

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

function nameOf(node: number): string {
  return `n${String(node).padStart(3, "0")}`;
}

function datasetOf(node: number): Subject {
  const name = nameOf(node);
  return { kind: "dataset", name, namespace: "", label: name, firstSeen: null, upstream: 9, downstream: 9, columns: 0, state: null, writtenAt: null, rows: null, tags: [] };
}

function edgeOf(source: number, target: number): GraphEdge {
  return { source: nameOf(source), target: nameOf(target), job: null, runs: 1, lastSeen: "", stale: false, declared: false };
}

/** Returns the answers of a reader who expands one shown node after the other. */
function randomAnswers(seed: number): GraphFacts[] {
  const random = seedRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const answers: GraphFacts[] = [];
  let next = 1;
  for (let step = 0; step < 12; step++) {
    const near = below(next);
    const added = Array.from({ length: 1 + below(12) }, () => next++);
    const edges = added.map((node) => (random() < 0.5 ? edgeOf(near, node) : edgeOf(node, near)));
    const further = added.map((node) => edgeOf(below(next), node)); // also cycles
    answers.push({ datasets: [near, ...added].map(datasetOf), edges: [...edges, ...further], columnEdges: [] });
  }
  return answers;
}

function assertNoOverlap(view: View, hint: string): void {
  const boxes = [...view.boxes.values()].sort((a, b) => a.layer - b.layer || a.y - b.y);
  boxes.forEach((box, index) => {
    const above = boxes[index - 1];
    if (above?.layer !== box.layer) return;
    assert.ok(box.y >= above.y + heightOf(above) + GAP - 1, `${hint}: ${above.subject.name} and ${box.subject.name}`);
  });
}

test("twelve expansions move nothing that was shown, and no two boxes overlap", () => {
  for (const seed of SEEDS) {
    let view = emptyView(nameOf(0));
    for (const answer of randomAnswers(seed)) {
      const next = placeDatasets(view, answer);
      for (const [name, box] of view.boxes) {
        const { layer, y } = next.boxes.get(name)!;
        assert.deepEqual([layer, y], [box.layer, box.y], `seed ${seed}, ${name}`);
      }
      assertNoOverlap(next, `seed ${seed}`);
      view = next;
    }
  }
});

test("a new box stands on its own side of the box that brought it", () => {
  const root = placeDatasets(emptyView(nameOf(0)), { datasets: [datasetOf(0)], edges: [], columnEdges: [] });
  const answer = { datasets: [0, 1, 2].map(datasetOf), edges: [edgeOf(1, 0), edgeOf(0, 2)], columnEdges: [] };
  const view = placeDatasets(root, answer);
  assert.equal(view.boxes.get(nameOf(1))!.layer, -1);
  assert.equal(view.boxes.get(nameOf(2))!.layer, 1);
});

test("a box whose columns open stays, and none of its layer passes another", () => {
  for (const seed of SEEDS) {
    const view = randomAnswers(seed).reduce(placeDatasets, emptyView(nameOf(0)));
    const [name, box] = [...view.boxes][seed % view.boxes.size]!;
    const opened = { names: ["a", "b", "c", "d", "e", "f", "g", "h"], total: 30, text: "", details: new Map() };
    const grown = makeRoom({ ...view, boxes: new Map(view.boxes).set(name, { ...box, opened }) }, name);
    assert.equal(grown.boxes.get(name)!.y, box.y);
    assertNoOverlap(grown, `seed ${seed}`);
    const order = (each: View) => [...each.boxes].filter(([, { layer }]) => layer === box.layer)
      .sort(([, a], [, b]) => a.y - b.y).map(([each]) => each);
    assert.deepEqual(order(grown), order(view), `seed ${seed}`);
  }
});

test("a new layout keeps the place of the root, and does not depend on the order of clicks", async () => {
  for (const seed of SEEDS) {
    const view = randomAnswers(seed).reduce(placeDatasets, emptyView(nameOf(0)));
    const tidy = await layOutAnew(view);
    const [before, after] = [view.boxes.get(nameOf(0))!, tidy.boxes.get(nameOf(0))!];
    assert.deepEqual([after.layer, after.y], [before.layer, before.y]);
    assertNoOverlap(tidy, `seed ${seed}`);
    const turned = await layOutAnew({ ...view, boxes: new Map([...view.boxes].reverse()) });
    for (const [name, box] of tidy.boxes) assert.deepEqual(turned.boxes.get(name), box);
  }
});

test("a new layout leads edges from left to right, but for those on a cycle", async () => {
  for (const seed of SEEDS) {
    const view = randomAnswers(seed).reduce(placeDatasets, emptyView(nameOf(0)));
    const { boxes, edges } = await layOutAnew(view);
    const leftward = edges.filter(({ source, target }) => source !== target && boxes.get(source)!.layer >= boxes.get(target)!.layer);
    for (const { source, target } of leftward) {
      assert.ok(reachable(view, target).has(source), `seed ${seed}: ${source} to ${target} is on no cycle`);
    }
  }
});

/** Returns the boxes downstream of a box. */
function reachable(view: View, start: string): Set<string> {
  const found = new Set([start]);
  for (const name of found) { // grows while it is read
    for (const { source, target } of view.edges) if (source === name) found.add(target);
  }
  return found;
}

test("a new box stands left of all that it feeds; if it feeds none, right of all that feed it", () => {
  for (const seed of SEEDS) {
    let view = emptyView(nameOf(0));
    for (const answer of randomAnswers(seed)) {
      const next = placeDatasets(view, answer);
      for (const { name } of answer.datasets) {
        if (view.boxes.has(name)) continue;
        const layersOf = (names: readonly string[]) => names.filter((each) => view.boxes.has(each)).map((each) => view.boxes.get(each)!.layer);
        const after = layersOf(answer.edges.filter((edge) => edge.source === name).map(({ target }) => target));
        const before = layersOf(answer.edges.filter((edge) => edge.target === name).map(({ source }) => source));
        const { layer } = next.boxes.get(name)!;
        if (after.length > 0) assert.ok(layer < Math.min(...after), `seed ${seed}, ${name}`);
        else if (before.length > 0 && answer.edges.every((edge) => edge.source !== name)) {
          assert.ok(layer > Math.max(...before), `seed ${seed}, ${name}`);
        }
      }
      view = next;
    }
  }
});

test("a gap is free, and no other place of the layer that is free is nearer", () => {
  const subject = datasetOf(0);
  for (const seed of SEEDS) {
    const random = seedRandom(seed);
    let y = -300;
    const taken = Array.from({ length: seed % 12 }, () => {
      y += HEAD + GAP + Math.floor(random() * 90);
      return { subject, layer: 0, y, opened: null };
    });
    const wanted = Math.floor(random() * 900) - 300;
    const isFree = (top: number) => taken.every((box) => Math.abs(box.y - top) >= HEAD + GAP);
    const gap = nearestGap(taken, wanted, HEAD);
    assert.ok(isFree(gap.y), `seed ${seed}`);
    for (let nearer = 0; nearer < Math.abs(gap.y - wanted); nearer++) {
      assert.ok(!isFree(wanted - nearer) && !isFree(wanted + nearer), `seed ${seed}: ${nearer} from ${wanted} is free`);
    }
    assert.equal(gap.index, taken.filter((box) => box.y < gap.y).length, `seed ${seed}`);
  }
});
