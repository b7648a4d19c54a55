// The newest runs of a job as bars: how long each took and how many rows it wrote, against what was expected.
import { useAnswer } from "./api.ts";
import { hrefOf } from "./address.ts";
import { ArchiveNote, Loaded } from "./components.tsx";
import type { JobHistory, RunFigures } from "./records.ts";
import { shortenName, showNumber, showSeconds, showTime, STATE_SIGNS } from "./text.ts";

const MOST = 30;
const HEIGHT = 72; // pixels

type Range = readonly [low: number, high: number];

interface Figure {
  readonly run: RunFigures["run"];
  readonly value: number | null;
  readonly expected: Range | null;
}

/** The durations of a job's runs, and the rows of its outputs; of one output if `dataset` is given. */
export function HistoryBars(props: { job: string; dataset?: string }) {
  const answer = useAnswer<JobHistory>("job-history", { job: props.job, limit: MOST });
  return (
    <Loaded answer={answer}>
      {({ runs, archive }) => {
        const oldestFirst = runs.toReversed();
        const outputs = [...new Set(oldestFirst.flatMap((run) => run.outputs.map(({ dataset }) => dataset.full_name)))];
        const shown = outputs.filter((name) => props.dataset === undefined || name === props.dataset);
        return (
          <div class="histories">
            <Bars title="Duration" format={showSeconds}
              figures={oldestFirst.map(({ run, duration, expected }) => ({ run, value: duration, expected }))} />
            {shown.map((name) => <Bars title={`Rows of ${shortenName(name, 48)}`} format={showNumber} figures={rowsOf(oldestFirst, name)} />)}
            <ArchiveNote archive={archive} />
          </div>
        );
      }}
    </Loaded>
  );
}

function rowsOf(runs: readonly RunFigures[], name: string): Figure[] {
  return runs.map(({ run, outputs }) => {
    const output = outputs.find(({ dataset }) => dataset.full_name === name);
    return { run, value: output?.rows ?? null, expected: output?.expected ?? null };
  });
}

/** A bar for each run, over a band from the least to the greatest expected value. */
function Bars(props: { title: string; figures: readonly Figure[]; format: (value: number | null) => string }) {
  const { title, figures, format } = props;
  const most = Math.max(...figures.flatMap(({ value, expected }) => [value ?? 0, expected?.[1] ?? 0]), 1e-9);
  if (figures.every(({ value }) => value === null)) return null;
  return (
    <figure class="history">
      <figcaption>{title}, at most {format(Math.max(...figures.map(({ value }) => value ?? 0)))}</figcaption>
      <ul style={{ height: `${HEIGHT}px` }}>
        {figures.map(({ run, value, expected }) => {
          const unusual = value !== null && expected !== null && (value < expected[0] || value > expected[1]);
          const text = [
            `${showTime(run.started_at ?? run.event_time)}: ${value === null ? "not reported" : format(value)}`,
            (run.state ?? "unknown").toLowerCase(),
            expected ? `expected ${format(expected[0])} to ${format(expected[1])}` : "",
            unusual ? "outside of it" : "",
          ].filter((part) => part !== "").join(", ");
          return (
            <li>
              {expected && <span class="expected" style={{ bottom: `${(expected[0] / most) * 100}%`, height: `${((expected[1] - expected[0]) / most) * 100}%` }} />}
              <a href={hrefOf("/run", { id: run.run_id })} aria-label={text} title={text}>
                <span class={`value ${run.state ?? ""} ${unusual ? "unusual" : ""}`} style={{ height: `${((value ?? 0) / most) * 100}%` }} />
                <span class="sign">{run.state === "COMPLETE" ? (unusual ? "!" : "") : STATE_SIGNS.get(run.state ?? "") ?? "·"}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}
