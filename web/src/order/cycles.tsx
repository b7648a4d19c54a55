// Jobs that have no order, because each must run before each other.
import { NameLink } from "../components.tsx";
import type { JobOrder } from "../order-records.ts";
import { countOf, shortenName } from "../text.ts";

export function Cycles(props: { order: JobOrder; hrefWithFeedback: (dataset: string) => string }) {
  const { cycles, omitted } = props.order;
  return (
    <section class="problem" role="status">
      <h2>There is no order: {countOf(cycles.length + (omitted["cycles"] ?? 0), "cycle")}</h2>
      {cycles.map(({ jobs, steps, feedback }) => (
        <section>
          <h3>{countOf(jobs.length, "job")}. A shortest way around:</h3>
          <ol>
            {steps.map(({ before, after, datasets, days, days_after }) => (
              <li>
                <NameLink path="/job" name={before} /> writes {datasets.map((dataset, index) => <>{index > 0 && ", "}<NameLink path="/dataset" name={dataset} /></>)},
                which <NameLink path="/job" name={after} /> reads. {days > 0 && `It was read after it was written on that day on ${days_after} of ${countOf(days, "day")} (UTC).`}
              </li>
            ))}
          </ol>
          {feedback !== null && (
            <p>
              If the readers are meant to take the data of the round before:{" "}
              <a href={props.hrefWithFeedback(feedback)}>take <bdi>{shortenName(feedback)}</bdi> as feedback</a>.
            </p>
          )}
        </section>
      ))}
    </section>
  );
}
