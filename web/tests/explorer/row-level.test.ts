import assert from "node:assert/strict";
import { test } from "node:test";
import { rowName, rowView } from "../../src/explorer/row-level.ts";
import { GAP, heightOf } from "../../src/explorer/model.ts";
import type { TraceDetails, Witness } from "../../src/records.ts";

const GOLD = "s3://lake/gold";

function witness(source: string, index: number, hop = 1): Witness {
  const target = hop === 1 ? GOLD : "silver";
  return { hop, target, source, file: `${source}/part-0`, row_index: index, key: `${source}-${index}`, values: null };
}

function viewOf(witnesses: readonly Witness[]) {
  const trace = {
    trace_id: "t", dataset: GOLD, run: null, columns: [], condition: null, way: "live", fidelity: "exact", reasons: [],
    rows: 1, counts: [], reproduced: null, saved_at: "2026-01-01T00:00:00Z",
  };
  return rowView({ trace, values: [], witnesses } satisfies TraceDetails);
}

test("the traced rows are rightmost, and each source has a layer, those of earlier writes further left", () => {
  const rows = [witness("raw", 0, 2), witness("silver", 0), witness("silver", 1), witness("names", 0)];
  const view = viewOf(rows);
  const layers = new Map(rows.map((row) => [row.source, view.boxes.get(rowName(row))?.layer ?? 0]));
  assert.equal(view.boxes.get(view.root)?.layer, 0);
  assert.deepEqual([...layers].sort(([, a], [, b]) => b - a).map(([source]) => source), ["silver", "names", "raw"]);
  assert.equal(new Set(layers.values()).size, 3);
  assert.ok([...layers.values()].every((layer) => layer < 0));
});

test("boxes of a layer do not overlap, and are centred on the traced rows", () => {
  const rows = Array.from({ length: 50 }, (_, index) => witness("silver", index));
  const view = viewOf(rows);
  const boxes = rows.map((row) => view.boxes.get(rowName(row))).filter((box) => box !== undefined);
  boxes.forEach((box, index) => {
    const next = boxes[index + 1];
    if (next) assert.ok(next.y - box.y >= heightOf(box) + GAP);
  });
  const tops = boxes.map(({ y }) => y);
  assert.ok(Math.abs(Math.min(...tops) + Math.max(...tops)) <= 1);
});

test("every edge leads to the traced rows, and tells the writes between", () => {
  const view = viewOf([witness("silver", 0), witness("raw", 0, 3)]);
  assert.deepEqual(view.edges.map(({ source, target, hidden }) => [source, target === view.root, hidden]), [
    [rowName(witness("silver", 0)), true, undefined],
    [rowName(witness("raw", 0)), true, 2],
  ]);
});

test("a row that contributes on two ways is one box, by the shorter way", () => {
  const view = viewOf([witness("silver", 0, 2), witness("silver", 0)]);
  assert.equal(view.boxes.size, 2);
  assert.deepEqual(view.edges.map(({ hidden }) => hidden), [undefined]);
});
