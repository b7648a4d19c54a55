// Results of data quality checks, failed ones first.
import { DatasetLink, JobLink, NotShown, Table, Time } from "./components.tsx";
import type { Check } from "./records.ts";
import { countOf, showName } from "./text.ts";

/** `of`: the page has checks of a dataset by jobs, or of datasets by a run. */
export function Checks(props: { checks: readonly Check[]; of: "dataset" | "run"; more: number | undefined }) {
  const { checks, of, more } = props;
  if (checks.length === 0) return null;
  const failed = checks.filter(({ success }) => success === false);
  return (
    <section>
      <h2>Checks</h2>
      <Table caption={`${countOf(checks.length, "check")}, ${failed.length} failed`} empty=""
        rows={[...failed, ...checks.filter(({ success }) => success !== false)]} columns={[
          { title: "Result", cell: (check) => <Result check={check} /> },
          { title: "Check", cell: (check) => <bdi>{showName(titleOf(check))}</bdi> },
          of === "run" ? { title: "Dataset", cell: ({ dataset }) => (dataset ? <DatasetLink dataset={dataset} /> : "—") }
            : { title: "Job", cell: ({ job }) => <JobLink job={job} /> },
          { title: "Expected", cell: ({ expected }) => showName(expected ?? "") },
          { title: "Actual", cell: ({ actual }) => showName(actual ?? "") },
          { title: "Time (UTC)", cell: (check) => <Time time={check.checked_at} /> },
        ]} />
      <NotShown count={more} noun="further check" />
    </section>
  );
}

function Result({ check: { success, severity } }: { check: Check }) {
  if (success === null) return <>· not known</>;
  if (success) return <span class="state COMPLETE">✓ passed</span>;
  return <span class="state FAIL">✗ failed{severity && ` (${showName(severity)})`}</span>;
}

/** The same rule as Check.check_title in lineage/query/quality.py. */
function titleOf({ assertion, name, column }: Check): string {
  const kind = assertion ?? "check";
  const whole = kind + (column ? `(${column})` : "");
  if (!name || name === kind) return whole;
  return assertion || column ? `${name} [${whole}]` : name;
}
