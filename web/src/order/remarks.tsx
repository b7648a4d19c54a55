// What the order of jobs does not decide, and the jobs without a place in it.
import { NameLink, Table, Time } from "../components.tsx";
import type { JobOrder } from "../order-records.ts";
import { countOf, showName } from "../text.ts";

export function Remarks(props: { order: JobOrder }) {
  const { shared_outputs, omitted_jobs, jobs, feedback, omitted } = props.order;
  const own = jobs.filter((job) => job.own.length > 0);
  return (
    <>
      {feedback.length > 0 && (
        <ul aria-label="Feedback">
          {feedback.map(({ dataset, pairs }) => (
            <li>Readers on a cycle take <NameLink path="/dataset" name={dataset} /> of the round before; {countOf(pairs, "pair")} of jobs not ordered by it.</li>
          ))}
        </ul>
      )}
      {shared_outputs.length > 0 && (
        <section>
          <h2>Several writers</h2>
          <Table caption="Writers between which there is no order" rows={shared_outputs} empty="" more={omitted["shared_outputs"]} columns={[
            { title: "Dataset", cell: ({ dataset }) => <NameLink path="/dataset" name={dataset} /> },
            { title: "Job", cell: ({ job }) => <NameLink path="/job" name={job} /> },
            { title: "Last written (UTC)", cell: ({ last_written }) => <Time time={last_written} /> },
            { title: "Modes", cell: ({ modes }) => modes.map(showName).join(", ") || "—" },
          ]} />
        </section>
      )}
      {own.length > 0 && (
        <section>
          <h2>Jobs that read what they write</h2>
          <ul>
            {own.map(({ job, own: datasets }) => (
              <li><NameLink path="/job" name={job} />: {datasets.map((dataset) => <NameLink path="/dataset" name={dataset} />)}</li>
            ))}
          </ul>
        </section>
      )}
      {omitted_jobs.length > 0 && (
        <section>
          <h2>Jobs without a place in the order</h2>
          <Table caption="Jobs without a place in the order" rows={omitted_jobs} empty="" more={omitted["omitted_jobs"]} columns={[
            { title: "Job", cell: ({ job }) => <NameLink path="/job" name={job} /> },
            { title: "Reason", cell: ({ reason }) => reason },
          ]} />
        </section>
      )}
    </>
  );
}
