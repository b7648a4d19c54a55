// What the lines of the picture mean.
import type { GraphEdge } from "./answer.ts";
import { styleOf } from "./lines.ts";

const EDGE: GraphEdge = { source: "", target: "", job: null, runs: 1, lastSeen: "", stale: false, declared: false };
const FAILED = { name: "", namespace: "", label: "", state: "FAIL", lastRunAt: null };
const KINDS: readonly (readonly [meaning: string, edge: GraphEdge])[] = [
  ["runs showed it", EDGE],
  ["stale: the job wrote the target again without it", { ...EDGE, stale: true }],
  ["declared by a design, no run showed it", { ...EDGE, runs: 0, declared: true }],
  ["the last run of the job failed", { ...EDGE, job: FAILED }],
  ["leads through datasets that the filters remove", { ...EDGE, runs: 0, hidden: 3 }],
  ["added between two times", { ...EDGE, change: "added" }],
  ["removed between two times", { ...EDGE, change: "removed" }],
  ["its state changed between two times", { ...EDGE, change: "changed" }],
];

const ORDER_KINDS: typeof KINDS = [
  ["runs showed it", EDGE],
  ["declared by a design, no run showed it", { ...EDGE, runs: 0, declared: true }],
  ["on the critical path", { ...EDGE, way: "critical" }],
  ["on a shortest way around a cycle", { ...EDGE, way: "cycle" }],
];

export function Legend(props: { ofOrder?: boolean }) {
  return (
    <details class="legend">
      <summary>Lines</summary>
      <ul>
        {(props.ofOrder ? ORDER_KINDS : KINDS).map(([meaning, edge]) => {
          const { color, dash, label } = styleOf(edge);
          return (
            <li>
              <svg width="90" height="16" aria-hidden="true" class={color ?? "line"}>
                <line x1="0" y1="8" x2="90" y2="8" stroke="currentColor" stroke-width={edge.way ? 3 : 2} stroke-dasharray={dash.join(" ")} />
                <text x="45" y="12" text-anchor="middle" fill="currentColor">{label}</text>
              </svg> {meaning}
            </li>
          );
        })}
      </ul>
      {!props.ofOrder && <p>Between columns: a solid line derives values, a dashed line filters, joins, groups or sorts.</p>}
    </details>
  );
}
