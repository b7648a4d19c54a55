// The state of the graph: its size, rejected events, unused datasets, and cycles.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { DatasetLink, Elsewhere, JobLink, Loaded, Name, RunLink, Table, Time } from "../components.tsx";
import type { Cycles, LoggedEvent, Orphans, Stats } from "../records.ts";
import { countOf, shortenName, showName, showNumber } from "../text.ts";

const MOST = 50;
const LIMITED = { limit: MOST };
const LIMIT = ["--limit", String(MOST)];
const KINDS: ReadonlyMap<string, string> = new Map([
  ["unused", "Written, but not read"], ["external source", "Read, but not written: external sources"],
  ["unreferenced", "Named, but neither read nor written"], ["job", "Jobs that never wrote"],
]);

export function HealthPage() {
  return (
    <>
      <h1>Health of the graph</h1>
      <Rejected />
      <Sizes />
      <Unconnected />
      <CyclesList />
    </>
  );
}

function Rejected() {
  const parameters = { rejected: true, limit: MOST };
  const answer = useAnswer<{ events: LoggedEvent[] }>("events", parameters);
  return (
    <section>
      <h2>Rejected events</h2>
      <Loaded answer={answer}>
        {({ events }) => (
          <Table caption={`Newest rejected events, at most ${MOST}`} rows={events} empty="No event was rejected." columns={[
            { title: "Received (UTC)", cell: (event) => <Time time={event.received_at} /> },
            { title: "Run", cell: ({ run_id }) => (run_id === null ? "—" : <RunLink run={run_id} />) },
            { title: "Job", cell: ({ job, job_namespace }) => (job === null ? "—" : <Name name={`${job_namespace ?? ""}/${job}`} />) },
            { title: "Reason", cell: ({ reason }) => <bdi>{shortenName(reason ?? "", 400)}</bdi> },
          ]} />
        )}
      </Loaded>
      <Elsewhere operation="events" parameters={parameters} command={["lineage", "events", "--rejected", ...LIMIT]} />
    </section>
  );
}

function Sizes() {
  const answer = useAnswer<Stats>("stats", LIMITED);
  return (
    <section>
      <h2>Size</h2>
      <Loaded answer={answer}>{(stats) => <Details stats={stats} />}</Loaded>
      <Elsewhere operation="stats" parameters={LIMITED} command={["lineage", "stats", ...LIMIT]} />
    </section>
  );
}

function Details(props: { stats: Stats }) {
  const { stats } = props;
  return (
    <>
      <dl>
        <dt>Events</dt><dd>{showNumber(stats.events)}</dd>
        <dt>Vertices</dt><dd><Counts counts={stats.vertices} /></dd>
        <dt>Edges</dt><dd><Counts counts={stats.edges} /></dd>
        <dt>Runs</dt><dd><Counts counts={stats.runs} /></dd>
        <dt>Bytes</dt><dd><Counts counts={stats.sizes} /></dd>
        <dt>Components</dt><dd>{showNumber(stats.components)}, the largest with {countOf(stats.largest_component, "dataset")}</dd>
        <dt>Isolated datasets</dt><dd>{showNumber(stats.isolated)}</dd>
      </dl>
      <Table caption={`Sources with the most datasets downstream, of ${showNumber(stats.sources)}`} rows={stats.most_downstream} empty="No source." columns={[
        { title: "Dataset", cell: ({ dataset }) => <DatasetLink dataset={dataset} /> },
        { title: "Downstream", cell: ({ downstream }) => showNumber(downstream), numeric: true },
        { title: `Reads in ${stats.window_days} days`, cell: ({ reads }) => showNumber(reads), numeric: true },
      ]} />
    </>
  );
}

function Counts(props: { counts: Readonly<Record<string, number>> }) {
  const texts = Object.entries(props.counts).map(([name, count]) => `${showName(name)} ${showNumber(count)}`);
  return <>{texts.join(", ") || "—"}</>;
}

function Unconnected() {
  const answer = useAnswer<Orphans>("orphans", LIMITED);
  return (
    <section>
      <h2>Unused and unwritten</h2>
      <Loaded answer={answer}>
        {({ orphans, counts }) => (
          <>
            {[...KINDS].map(([kind, title]) => {
              const rows = orphans.filter((orphan) => orphan.kind === kind);
              return (
                <>
                  <h3>{title}: {showNumber(counts[kind] ?? 0)}</h3>
                  <Table caption={title} rows={rows} more={(counts[kind] ?? 0) - rows.length} empty="None." columns={[
                    { title: "Name", cell: ({ entity }) => (kind === "job" ? <JobLink job={entity} /> : <DatasetLink dataset={entity} />) },
                    { title: "Last seen (UTC)", cell: ({ last_seen }) => <Time time={last_seen} /> },
                  ]} />
                </>
              );
            })}
          </>
        )}
      </Loaded>
      <Elsewhere operation="orphans" parameters={LIMITED} command={["lineage", "orphans", ...LIMIT]} />
    </section>
  );
}

function CyclesList() {
  const answer = useAnswer<Cycles>("cycles", LIMITED);
  return (
    <section>
      <h2>Cycles</h2>
      <Loaded answer={answer}>
        {({ components, total, cycles, self_loops }) => (
          <>
            <p>{countOf(cycles, "cycle")} of several datasets; {countOf(self_loops, "dataset feeds", "datasets feed")} itself, which is not an error.</p>
            <Table caption="Cycles" rows={components} more={total - components.length} empty="No cycle." columns={[
              { title: "Datasets", cell: ({ datasets }) => showNumber(datasets.length), numeric: true },
              { title: "A shortest way around", cell: ({ path }) => <ol>{path.map((dataset) => <li><DatasetLink dataset={dataset} /></li>)}</ol> },
              { title: "Paths", cell: ({ path }) => <AllPaths name={path[0]?.full_name ?? ""} /> },
            ]} />
          </>
        )}
      </Loaded>
      <Elsewhere operation="cycles" parameters={LIMITED} command={["lineage", "cycles", ...LIMIT]} />
    </section>
  );
}

function AllPaths(props: { name: string }) {
  return <a href={hrefOf("/path", { from: props.name, to: props.name, all: true })}>All edges</a>;
}
