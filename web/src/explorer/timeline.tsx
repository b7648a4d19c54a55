// The strip of time below the picture: the writes of its datasets, and the time that it shows.
import { useEffect, useState } from "preact/hooks";
import { ArchiveNote, Loaded } from "../components.tsx";
import { usePosted } from "../api.ts";
import type { Timeline } from "../records.ts";
import { countOf, showTime } from "../text.ts";
import { describeTimes, type Scope } from "./scope.ts";

const BINS = 120;
const HEIGHT = 36;
const STEPS = 1000; // positions of a handle

type ShowTimes = (time: string | null, before: string | null) => void;

export function TimeStrip(props: { names: readonly string[]; scope: Scope; show: ShowTimes }) {
  const { names, scope, show } = props;
  const answer = usePosted<Timeline>("timeline", { datasets: names, bins: BINS, observed: scope.filters.observed });
  return (
    <section class="time-strip" aria-label="Time">
      <Loaded answer={answer}>
        {(timeline) => (timeline.start === null || timeline.end === null
          ? <p class="quiet">No run wrote or read these datasets.</p>
          : <Strip timeline={timeline} start={timeline.start} end={timeline.end} scope={scope} show={show} />)}
      </Loaded>
    </section>
  );
}

function Strip(props: { timeline: Timeline; start: string; end: string; scope: Scope; show: ShowTimes }) {
  const { timeline, start, end, scope, show } = props;
  const { time, before } = scope;
  const times = timeline.changes.map(([each]) => each).toSorted();
  const showAsOf = (next: string | null) => show(next, before);
  return (
    <>
      <Bars timeline={timeline} start={start} end={end} time={time} before={before} />
      <Handle label="As of" start={start} end={end} time={time} times={times} move={showAsOf} />
      {before !== null && (
        <Handle label="Compared with" start={start} end={end} time={before} times={times} move={(next) => show(time, next ?? end)} />
      )}
      <div class="chips" role="group" aria-label="Time of the picture">
        <strong>{describeTimes(scope)}</strong>
        <button disabled={!previousOf(times, time)} onClick={() => showAsOf(previousOf(times, time) ?? null)}>Previous change</button>
        <button disabled={time === null} onClick={() => showAsOf(nextOf(times, time) ?? null)}>Next change</button>
        <button disabled={time === null} onClick={() => showAsOf(null)}>Now</button>
        <button aria-pressed={before !== null} onClick={() => show(time, before === null ? start : null)}>Compare two times</button>
        <span class="quiet">{describe(timeline)}</span>
      </div>
      <ArchiveNote archive={timeline.archive} />
    </>
  );
}

/** Writes by time; failed runs are hatched on top, and a mark below tells a change of the edges. */
function Bars(props: { timeline: Timeline; start: string; end: string; time: string | null; before: string | null }) {
  const { timeline: { bins }, start, end, time, before } = props;
  const most = Math.max(1, ...bins.map(([, writes, failed]) => writes + failed));
  const height = (count: number) => (count === 0 ? 0 : 3 + (HEIGHT - 8) * (Math.log1p(count) / Math.log1p(most)));
  const position = (at: string) => (positionOf(at, start, end) / STEPS) * bins.length;
  return (
    <svg class="bars" viewBox={`0 0 ${bins.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <defs>
        <pattern id="hatch" width="1" height="4" patternUnits="userSpaceOnUse"><rect class="failed" width="1" height="2.5" /></pattern>
      </defs>
      {bins.map(([at, writes, failed, changes], index) => {
        const all = height(writes + failed);
        const bad = failed === 0 ? 0 : Math.max(3, all * (failed / (writes + failed)));
        return (
          <g>
            <title>{`${showTime(at)}: ${countOf(writes, "write")}, ${failed} failed, ${countOf(changes, "change")} of edges`}</title>
            <rect class="writes" x={index + 0.1} width={0.8} y={HEIGHT - 5 - all} height={all - bad} />
            <rect x={index + 0.1} width={0.8} y={HEIGHT - 5 - bad} height={bad} fill="url(#hatch)" />
            {changes > 0 && <rect class="change-mark" x={index} width={1} y={HEIGHT - 3} height={3} />}
          </g>
        );
      })}
      {[time, before].map((at) => at !== null && (
        <line class="at" x1={position(at)} x2={position(at)} y1="0" y2={HEIGHT} vector-effect="non-scaling-stroke" />
      ))}
    </svg>
  );
}

function Handle(props: {
  label: string; start: string; end: string; time: string | null; times: readonly string[]; move: (time: string | null) => void;
}) {
  const { label, start, end, time, times, move } = props;
  const shown = positionOf(time ?? end, start, end);
  const [position, setPosition] = useState(shown); // of the hand that drags, before the answer is there
  useEffect(() => setPosition(shown), [shown]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = new Map([["ArrowLeft", previousOf(times, time)], ["ArrowRight", nextOf(times, time) ?? null]]).get(event.key);
    if (next === undefined) return;
    event.preventDefault();
    move(next);
  };
  return (
    <label class="handle">{label}
      <input type="range" min={0} max={STEPS} value={position} onKeyDown={onKeyDown}
        aria-valuetext={time === null ? "now" : `${showTime(time)} UTC`}
        onInput={(event) => {
          const value = event.currentTarget.valueAsNumber;
          setPosition(value);
          move(value >= STEPS ? null : timeAt(value, start, end));
        }} />
    </label>
  );
}

function positionOf(time: string, start: string, end: string): number {
  const [at, from, to] = [time, start, end].map((each) => new Date(each).getTime()) as [number, number, number];
  return Math.round(Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from))) * STEPS);
}

function timeAt(position: number, start: string, end: string): string {
  const [from, to] = [new Date(start).getTime(), new Date(end).getTime()];
  return new Date(from + ((to - from) * position) / STEPS).toISOString();
}

/** Returns the last of sorted times before a time; null is now. */
function previousOf(times: readonly string[], time: string | null): string | undefined {
  return times.findLast((each) => time === null || isBefore(each, time));
}

function nextOf(times: readonly string[], time: string | null): string | undefined {
  return time === null ? undefined : times.find((each) => isBefore(time, each));
}

/** Compares times to the millisecond, then as texts: events have microseconds. */
function isBefore(a: string, b: string): boolean {
  const difference = new Date(a).getTime() - new Date(b).getTime();
  return difference < 0 || (difference === 0 && a < b);
}

function describe({ bins, changes, omitted }: Timeline): string {
  const [writes, failed] = bins.reduce(([a, b], [, written, lost]) => [a + written, b + lost], [0, 0]);
  const all = changes.length + (omitted["changes"] ?? 0);
  return `${countOf(writes, "write")}, ${countOf(failed, "failed run")}, edges changed ${countOf(all, "time")}.`;
}
