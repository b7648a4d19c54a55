// The filters of the picture, as chips that remove one and a form that adds one.
import { goTo, hrefOf, type Parameters } from "../address.ts";
import { shortenName } from "../text.ts";
import { filterParameters, isOfNow, LISTS, type Filters } from "./scope.ts";

const LABELS: ReadonlyMap<string, string> = new Map([
  ["namespace", "namespace"], ["tag", "tag"], ["job", "job"], ["job_type", "type of job"], ["since", "seen since"],
]);

export function FilterBar(props: { filters: Filters; hrefWith: (filters: Filters) => string }) {
  const { filters, hrefWith } = props;
  const set = (changed: Partial<Filters>) => goTo(hrefWith({ ...filters, ...changed }));
  return (
    <details class="filters" open={isFiltered(filters)}>
      <summary>Filters</summary>
      <div class="chips" role="group" aria-label="Filters in use">
        {LISTS.flatMap((name) => filters[name].map((value) => (
          <Chip label={`${LABELS.get(name)}: ${shortenName(value, 40)}`}
            remove={() => set({ [name]: filters[name].filter((each) => each !== value) })} />
        )))}
        {filters.since && <Chip label={`seen since ${filters.since}`} remove={() => set({ since: "" })} />}
        <label><input type="checkbox" checked={!filters.include_stale}
          onChange={(event) => set({ include_stale: !event.currentTarget.checked })} /> without stale edges</label>
        <label><input type="checkbox" checked={filters.observed}
          onChange={(event) => set({ observed: event.currentTarget.checked })} /> only edges that runs showed</label>
      </div>
      <AddFilter add={(name, value) => set(name === "since" ? { since: value } : { [name]: addTo(filters, name, value) })} />
    </details>
  );
}

function Chip(props: { label: string; remove: () => void }) {
  return <button class="chip" aria-label={`Remove the filter ${props.label}`} onClick={props.remove}><bdi>{props.label}</bdi> ×</button>;
}

function AddFilter(props: { add: (name: string, value: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const value = String(data.get("value") ?? "").trim();
    if (value) props.add(String(data.get("name")), value);
  };
  return (
    <form class="fields" aria-label="Add a filter" onSubmit={submit}>
      <label>Only this
        <select name="name">{[...LABELS].map(([name, label]) => <option value={name}>{label}</option>)}</select></label>
      <label>Value <small>a time as 2026-01-31T00:00:00Z</small>
        <input name="value" required spellcheck={false} autocomplete="off" /></label>
      <button type="submit">Filter</button>
    </form>
  );
}

/** Returns the address of a picture with other filters; its boxes and their places stay. */
export function hrefWithFilters(query: URLSearchParams, filters: Filters): string {
  const kept: Parameters = { root: query.get("root") ?? "", level: query.get("level") ?? undefined };
  const times: Parameters = isOfNow(filters) ? {} : { time: query.get("time") ?? undefined, before: query.get("before") ?? undefined };
  return hrefOf("/graph", { ...kept, ...filterParameters(filters), ...times });
}

function addTo(filters: Filters, name: string, value: string): readonly string[] {
  const list = LISTS.find((each) => each === name);
  return list ? [...new Set([...filters[list], value])] : [];
}

function isFiltered(filters: Filters): boolean {
  return Object.values(filterParameters(filters)).some((value) => (Array.isArray(value) ? value.length > 0 : !!value));
}
