// The order of jobs: which must run before which, by level, and why.
import { useAnswer } from "../api.ts";
import { hrefOf, type Parameters } from "../address.ts";
import { Elsewhere, Loaded } from "../components.tsx";
import { AddressForm } from "../form.tsx";
import { Cycles } from "../order/cycles.tsx";
import { Levels } from "../order/levels.tsx";
import { Remarks } from "../order/remarks.tsx";
import type { JobOrder } from "../order-records.ts";
import { readTime, shortenName } from "../text.ts";

const MOST = 10_000; // entries of each list, as many as the operation gives

export function OrderPage(props: { query: URLSearchParams }) {
  const asked = readQuestion(props.query);
  const parameters = { ...asked, limit: MOST };
  const answer = useAnswer<JobOrder>("plan", parameters);
  const isUpstream = asked.direction === "upstream";
  const chip = (text: string, changed: Parameters, isCurrent: boolean) => (
    <a href={hrefOf("/order", { ...asked, ...changed })} aria-current={isCurrent ? "true" : undefined}>{text}</a>
  );
  return (
    <div class="explorer">
      <h1>Order of jobs</h1>
      <nav class="chips" aria-label="Views">
        {asked.name.length > 0 && chip("Before it", { direction: "upstream" }, isUpstream)}
        {asked.name.length > 0 && chip("After it", { direction: "downstream" }, !isUpstream)}
        {asked.name.length > 0 && <a href="/order">All jobs</a>}
        {chip("Only what must run again", { stale: !asked.stale }, asked.stale)}
        {chip("Without designs", { observed: !asked.observed }, asked.observed)}
        {asked.feedback.map((dataset) => chip(`Feedback: ${shortenName(dataset, 40)} ×`, {
          feedback: asked.feedback.filter((each) => each !== dataset),
        }, true))}
      </nav>
      <AddressForm path="/order" label="What must be fresh" button="Show order" kept={asked} fields={[
        { name: "name", label: "Dataset or job", hint: "without one: all jobs", value: asked.name[0] ?? "", required: false },
        { name: "since", label: "Runs since", hint: "UTC; by default 30 days", value: asked.since, required: false },
        { name: "workers", label: "Jobs at once", hint: "for the time that all take", value: asked.workers, required: false },
      ]} />
      <Loaded answer={answer}>{(order) => <Details order={order} asked={asked} />}</Loaded>
      <Elsewhere operation="plan" parameters={parameters} command={commandOf(asked)} />
    </div>
  );
}

type Question = ReturnType<typeof readQuestion>;

function readQuestion(query: URLSearchParams) {
  const listed = (name: string) => query.getAll(name).filter((value) => value !== "");
  return {
    name: listed("name"), direction: query.get("direction") ?? "upstream", since: readTime(query.get("since") ?? ""),
    observed: query.get("observed") === "true", stale: query.get("stale") === "true", feedback: listed("feedback"), workers: query.get("workers") ?? "",
  };
}

function commandOf({ name, direction, since, observed, stale, feedback, workers }: Question): string[] {
  return [
    "lineage", "plan", ...name, ...(direction === "downstream" ? ["--downstream"] : []), ...(since ? ["--since", since] : []),
    ...(observed ? ["--observed"] : []), ...(stale ? ["--stale"] : []), ...feedback.flatMap((dataset) => ["--feedback", dataset]),
    ...(workers ? ["--workers", workers] : []),
  ];
}

function Details(props: { order: JobOrder; asked: Question }) {
  const { order, asked } = props;
  if (order.jobs.length === 0) {
    return (
      <>
        <p>{asked.stale ? "No job must run again." : "No job wrote or read in the window."}</p>
        <Remarks order={order} />
      </>
    );
  }
  const hrefWithFeedback = (dataset: string) => hrefOf("/order", { ...asked, feedback: [...asked.feedback, dataset] });
  return (
    <>
      {order.cycles.length > 0 && <Cycles order={order} hrefWithFeedback={hrefWithFeedback} />}
      <Levels order={order} />
      <Remarks order={order} />
    </>
  );
}
