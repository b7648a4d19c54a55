// A chart of runs by time, with the writes that each read.
import { hrefOf } from "../address.ts";
import { Name } from "../components.tsx";
import type { RunVolume } from "../records.ts";
import { countOf, shortenName, showDuration, showTime, STATE_SIGNS } from "../text.ts";
import type { Bar, Chart } from "./chart.ts";

const ROW = 30; // pixels
const WIDE = 1000; // units of the width in which lines are drawn
const TICKS = 4;

export function Gantt(props: { chart: Chart; volumes: readonly RunVolume[] }) {
  const { chart } = props;
  const volumes = new Map(props.volumes.map((volume) => [volume.run_id, volume]));
  const { bars, rows, start, end } = chart;
  const span = Math.max(1, end - start);
  const share = (time: number) => (time - start) / span;
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => start + (span * index) / TICKS);
  return (
    <div class="gantt" role="region" aria-label="Runs by time" tabIndex={0}>
      <div class="gantt-labels" style={{ gridAutoRows: `${ROW}px` }}>
        {rows.map(({ job, lane }) => <div>{lane === 0 && (job ? <Name name={job.name} most={28} /> : "no job")}</div>)}
        <div class="quiet">UTC</div>
      </div>
      <div class="gantt-bars" style={{ height: `${(rows.length + 1) * ROW}px` }}>
        <Lines chart={chart} share={share} />
        <ul aria-label="Runs">
          {bars.map((bar) => <BarLink bar={bar} volume={volumes.get(bar.run.run_id)} share={share} isInChain={chart.chain.includes(bar.run.run_id)} />)}
        </ul>
        {ticks.map((time, index) => (
          <small class={`tick ${index === 0 ? "first" : index === TICKS ? "last" : ""}`}
            style={{ left: `${share(time) * 100}%`, top: `${rows.length * ROW + 6}px` }}>{showTime(new Date(time).toISOString()).slice(5, 16)}</small>
        ))}
      </div>
    </div>
  );
}

function BarLink(props: { bar: Bar; volume: RunVolume | undefined; share: (time: number) => number; isInChain: boolean }) {
  const { bar: { run, job, row, start, end, isOpen }, share, isInChain } = props;
  const state = run.state ?? "unknown";
  const title = [
    job ? shortenName(job.full_name) : "no job", state.toLowerCase(), `${showTime(run.started_at) || "?"} to ${showTime(run.ended_at) || "?"}`,
    showDuration(run.started_at, run.ended_at), ...(props.volume ? describeRows(props.volume) : []), isInChain ? "in the marked chain" : "",
  ].filter((part) => part !== "").join(", ");
  const left = share(start) * 100;
  return (
    <li>
      <a class={`bar ${state} ${isOpen ? "open" : ""} ${isInChain ? "chain" : ""}`} href={hrefOf("/run", { id: run.run_id })} title={title}
        aria-label={title} style={{ left: `${left}%`, width: `${Math.max(0, share(end) * 100 - left)}%`, top: `${row * ROW + 4}px`, height: `${ROW - 8}px` }}>
        {STATE_SIGNS.get(state) ?? "·"}</a>
    </li>
  );
}

function describeRows({ rows_read, rows_written }: RunVolume): string[] {
  return [
    ...(rows_read === null ? [] : [`${countOf(rows_read, "row")} read`]),
    ...(rows_written === null ? [] : [`${countOf(rows_written, "row")} written`]),
  ];
}

/** From the end of a write to the start of the run that read it; those of the chain are thick. */
function Lines(props: { chart: Chart; share: (time: number) => number }) {
  const { chart: { bars, rows, links, chain }, share } = props;
  const byRun = new Map(bars.map((bar) => [bar.run.run_id, bar]));
  const height = (rows.length + 1) * ROW;
  return (
    <svg viewBox={`0 0 ${WIDE} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {links.map(({ writer, reader, written }) => {
        const [from, to] = [byRun.get(writer), byRun.get(reader)];
        if (!from || !to) return null;
        const [x1, x2] = [share(Math.min(written, from.end)) * WIDE, share(to.start) * WIDE];
        const [y1, y2] = [from, to].map(({ row }) => (row + 0.5) * ROW) as [number, number];
        const index = chain.indexOf(writer);
        const isInChain = index >= 0 && chain[index + 1] === reader;
        return <path class={isInChain ? "chain" : ""} d={`M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`} vector-effect="non-scaling-stroke" />;
      })}
    </svg>
  );
}
