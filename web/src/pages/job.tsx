// A job: its inputs, its outputs, and its runs.
import { useAnswer } from "../api.ts";
import { hrefOf } from "../address.ts";
import { AssetsList } from "../assets.tsx";
import { DatasetLink, Elsewhere, Lines, Loaded, Name, NotShown, SqlOfJob, Time } from "../components.tsx";
import { joinFacet, ownersOf, tagsOf } from "../facets.ts";
import { HistoryBars } from "../history.tsx";
import { countOmitted, facetText, type JobDetails, type Named, type Run, type RunList } from "../records.ts";
import { RunsTable } from "../runs.tsx";
import { showName } from "../text.ts";

const MAX_RUNS = 30;
const PLACES = ["url", "repoUrl", "path", "branch", "tag", "version"]; // of the source code

export function JobPage(props: { query: URLSearchParams }) {
  const name = props.query.get("name") ?? "";
  const answer = useAnswer<JobDetails>("job", { job: name });
  return (
    <>
      <Loaded answer={answer}>
        {(details) => (
          <>
            <h1><Name name={details.job.name} most={90} /></h1>
            <p class="quiet"><Name name={details.job.namespace} /> {details.type}</p>
            <nav class="chips" aria-label="Views">
              <a href={hrefOf("/order", { name: details.job.full_name })}>Jobs before it</a>
              <a href={hrefOf("/order", { name: details.job.full_name, direction: "downstream" })}>Jobs after it</a>
            </nav>
            <Facts details={details} />
            {details.assets.length > 0 && <AssetsList assets={details.assets} />}
            <SqlOfJob facets={details.facets} />
            <DatasetsList title="Reads" datasets={details.inputs} declared={details.declared_inputs}
              more={countOmitted(details.omitted, "inputs", "declared_inputs")} />
            <DatasetsList title="Writes" datasets={details.outputs} declared={details.declared_outputs}
              more={countOmitted(details.omitted, "outputs", "declared_outputs")} />
            <History job={details.job} />
          </>
        )}
      </Loaded>
      <Elsewhere operation="job" parameters={{ job: name }} command={["lineage", "show", "--job", name]} />
    </>
  );
}

function Facts({ details: { facets, first_seen, last_seen } }: { details: JobDetails }) {
  const code = joinFacet(facets, "sourceCodeLocation", PLACES);
  return (
    <dl>
      <dt>Description</dt><dd><Lines text={facetText(facets, "documentation", "description") || "—"} /></dd>
      <dt>Seen (UTC)</dt><dd><Time time={first_seen} /> to <Time time={last_seen} /></dd>
      <dt>Tags</dt><dd>{tagsOf(facets).map(showName).join(", ") || "—"}</dd>
      <dt>Owners</dt><dd>{ownersOf(facets).map(showName).join(", ") || "—"}</dd>
      {code && <><dt>Source code</dt><dd><bdi>{showName(code)}</bdi></dd></>}
    </dl>
  );
}

function DatasetsList(props: { title: string; datasets: readonly Named[]; declared: readonly Named[]; more: number }) {
  return (
    <section>
      <h2>{props.title}</h2>
      {props.datasets.length + props.declared.length === 0 && <p class="quiet">No dataset.</p>}
      <ul>
        {props.datasets.map((dataset) => <li><DatasetLink dataset={dataset} /></li>)}
        {props.declared.map((dataset) => <li><DatasetLink dataset={dataset} /> <small>declared</small></li>)}
      </ul>
      <NotShown count={props.more} noun="further dataset" />
    </section>
  );
}

function History(props: { job: Named }) {
  const answer = useAnswer<RunList<Run>>("job-runs", { job: props.job.full_name, limit: MAX_RUNS });
  return (
    <section>
      <h2>Runs</h2>
      <HistoryBars job={props.job.full_name} />
      <Loaded answer={answer}>
        {({ runs, has_more }) => (
          <RunsTable caption="Runs, newest first" runs={runs.map((run) => ({ run, job: props.job }))} more={has_more} empty="No run." />
        )}
      </Loaded>
    </section>
  );
}
