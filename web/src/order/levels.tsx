// The jobs by level, as a picture and as a table of the same selection, with the critical path.
import { useEffect, useMemo, useState } from "preact/hooks";
import { NameLink, Table, Time } from "../components.tsx";
import { Legend } from "../explorer/legend.tsx";
import { MAX_BOXES, type View } from "../explorer/model.ts";
import { onlyChoose, Picture } from "../explorer/picture.tsx";
import { planView } from "../explorer/plan-level.ts";
import type { JobOrder, OrderedJob } from "../order-records.ts";
import { countOf, shortenName, showNumber, showSeconds } from "../text.ts";

const NO_PATH: ReadonlySet<string> = new Set();

export function Levels(props: { order: JobOrder }) {
  const { order } = props;
  const [chosen, setChosen] = useState<string | null>(null);
  const [view, setView] = useState<View | null>(null);
  const actions = useMemo(() => onlyChoose(setChosen), []);
  useEffect(() => {
    let isShown = true;
    void planView(order).then((made) => isShown && setView(made));
    return () => { isShown = false; };
  }, [order]);
  return (
    <>
      <Summary order={order} />
      {view === null ? <p class="quiet" role="status">Loading…</p> : (
        <>
          <Legend ofOrder />
          <Picture view={view} chosen={chosen} path={NO_PATH} busy={null} canExpand={false} actions={actions} />
        </>
      )}
      {chosen !== null && <Reasons order={order} job={chosen} />}
      <Table caption="Jobs, those of one level may run at the same time" rows={order.jobs.slice(0, MAX_BOXES)} more={Math.max(0, jobCount(order) - MAX_BOXES)} empty=""
        columns={columnsOf(order, chosen, setChosen)} />
    </>
  );
}

function columnsOf(order: JobOrder, chosen: string | null, choose: (job: string) => void) {
  const critical = new Set(order.critical_path);
  const isStale = order.jobs.some(({ stale }) => stale !== null);
  return [
    { title: "Level", cell: ({ level }: OrderedJob) => showNumber(level) || "—", numeric: true },
    {
      title: "Job", cell: ({ job }: OrderedJob) => (
        <button class="plain" aria-pressed={job === chosen} onClick={() => choose(job)}><bdi>{shortenName(job)}</bdi></button>
      ),
    },
    { title: "Type", cell: ({ type }: OrderedJob) => type ?? "—" },
    {
      title: "Marks", cell: ({ job, declared }: OrderedJob) => [critical.has(job) ? "critical path" : "", declared ? "only declared" : ""]
        .filter((mark) => mark !== "").join(", ") || "—",
    },
    { title: "Median", cell: ({ seconds }: OrderedJob) => showSeconds(seconds) || "—", numeric: true },
    { title: "90th percentile", cell: ({ seconds_p90 }: OrderedJob) => showSeconds(seconds_p90) || "—", numeric: true },
    { title: "Slack", cell: ({ slack }: OrderedJob) => showSeconds(slack) || "—", numeric: true },
    ...(order.workers === null ? [] : [{ title: "Starts after", cell: ({ starts }: OrderedJob) => showSeconds(starts) || "—", numeric: true }]),
    { title: "Last successful run (UTC)", cell: (job: OrderedJob) => <Time time={job.last_successful_run} /> },
    ...(isStale ? [{ title: "Must run again because", cell: ({ stale }: OrderedJob) => <bdi>{shortenName(stale ?? "", 240)}</bdi> }] : []),
  ];
}

function jobCount({ jobs, omitted }: JobOrder): number {
  return jobs.length + (omitted["jobs"] ?? 0);
}

function Summary(props: { order: JobOrder }) {
  const { levels, width, since, until, critical_path, critical_seconds, work, workers, seconds, omitted, cycles } = props.order;
  const count = jobCount(props.order);
  return (
    <>
      <p>
        {countOf(count, "job")}{cycles.length === 0 && `, on ${countOf(levels.length + (omitted["levels"] ?? 0), "level")}, at most ${showNumber(width)} at once`};
        by runs from <Time time={since} /> to <Time time={until} /> (UTC).{" "}
        {count > MAX_BOXES && `The first ${showNumber(MAX_BOXES)} are shown. `}
        {!!omitted["edges"] && `Why ${countOf(omitted["edges"], "edge exists", "edges exist")} is not in the answer: their lines are not marked as declared. `}
        {cycles.length > 0 && "The picture shows the jobs of the cycles."}
      </p>
      {cycles.length === 0 && (
        <dl>
          <dt>Critical path</dt>
          <dd>{showSeconds(critical_seconds)}: <ol class="chain">{critical_path.map((job) => <li><NameLink path="/job" name={job} /></li>)}</ol></dd>
          <dt>All one after the other</dt><dd>{showSeconds(work)}</dd>
          {workers !== null && <><dt>{countOf(workers, "job")} at once</dt><dd>{showSeconds(seconds)}</dd></>}
        </dl>
      )}
    </>
  );
}

/** Why the order has the chosen job where it is: datasets on its edges. */
function Reasons(props: { order: JobOrder; job: string }) {
  const { order, job } = props;
  const edges = order.edges.filter(({ before, after }) => before === job || after === job);
  const rows = edges.flatMap((edge) => edge.reasons.map((reason) => ({ edge, reason })));
  return (
    <section class="panel" role="region" aria-label="Chosen job">
      <h2><NameLink path="/job" name={job} /></h2>
      <Table caption="Why it comes after others, and others after it" rows={rows} empty="Nothing orders it: no other job writes what it reads, or reads what it writes."
        more={order.omitted["edges"]} columns={[
          { title: "Before", cell: ({ edge }) => <NameLink path="/job" name={edge.before} /> },
          { title: "After", cell: ({ edge }) => <NameLink path="/job" name={edge.after} /> },
          { title: "Dataset", cell: ({ reason: { dataset, view } }) => <><NameLink path="/dataset" name={dataset} />{view !== null && <> through <NameLink path="/dataset" name={view} /></>}</> },
          { title: "Written (UTC)", cell: ({ reason }) => <Time time={reason.written} /> },
          { title: "Read (UTC)", cell: ({ reason }) => <Time time={reason.read} /> },
          { title: "Shown by", cell: ({ edge, reason }) => `${reason.declared ? "a design" : "runs"}${edge.implied ? "; other edges imply it" : ""}` },
        ]} />
    </section>
  );
}
