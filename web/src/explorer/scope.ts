// What of the graph the explorer shows: the filters of `lineage query`, and times.
import type { Parameters } from "../address.ts";
import { readTime, showTime } from "../text.ts";
import type { Level } from "./levels.ts";

/** Lists by the names of the parameters of the read API. */
export const LISTS = ["namespace", "tag", "job", "job_type"] as const;

export interface Filters extends Readonly<Record<(typeof LISTS)[number], readonly string[]>> {
  readonly since: string;
  readonly include_stale: boolean;
  readonly observed: boolean;
}

export interface Scope {
  readonly filters: Filters;
  /** The picture is as of this time; null is now. */
  readonly time: string | null;
  /** The picture is compared with that of this time. */
  readonly before: string | null;
}

/** Returns the time of the picture, and the one that it is compared with. */
export function describeTimes({ time, before }: Scope): string {
  return (time === null ? "Now" : `As of ${showTime(time)} UTC`) + (before === null ? "" : `, compared with ${showTime(before)} UTC`);
}

/** Reads the scope of an address; runs have no filters. */
export function readScope(address: URLSearchParams, level: Level): Scope {
  const query = level === "run" ? new URLSearchParams() : address;
  const [namespace, tag, job, job_type] = LISTS.map((name) => query.getAll(name).filter((value) => value !== ""));
  const filters = {
    namespace: namespace ?? [], tag: tag ?? [], job: job ?? [], job_type: job_type ?? [],
    since: readTime(query.get("since") ?? ""), include_stale: query.get("include_stale") !== "false",
    observed: query.get("observed") === "true",
  };
  const timeOf = (name: string) => (isOfNow(filters) || !address.get(name) ? null : readTime(address.get(name) ?? ""));
  return { filters, time: timeOf("time"), before: timeOf("before") };
}

/** Returns the filters that are set, as parameters of an address or of a request by GET. */
export function filterParameters(filters: Filters): Parameters {
  return { ...filters, include_stale: filters.include_stale ? undefined : "false" };
}

/** Returns the filters as fields of a request by POST. */
export function filterBody(filters: Filters): Readonly<Record<string, unknown>> {
  return { ...filters, since: filters.since || null };
}

/** Returns the filters as arguments of `lineage query`. */
export function filterArguments(filters: Filters): string[] {
  return [
    ...LISTS.flatMap((name) => filters[name].flatMap((value) => [`--${name.replace("_", "-")}`, value])),
    ...(filters.since ? ["--since", filters.since] : []),
    ...(filters.include_stale ? [] : ["--exclude-stale"]),
    ...(filters.observed ? ["--observed"] : []),
  ];
}

/** Returns whether a filter decides on datasets or on edges, so that paths lead through datasets that it removes. */
export function hasFilters(filters: Filters): boolean {
  return LISTS.some((name) => filters[name].length > 0) || filters.since !== "";
}

/** Returns whether a filter has a meaning only now: paths through removed datasets and stale edges are not known of another time. */
export function isOfNow(filters: Filters): boolean {
  return hasFilters(filters) || !filters.include_stale;
}

/** Returns whether a dataset is in one of the namespaces and has one of the tags. */
export function matchesFilters(filters: Filters, dataset: { namespace: string; tags: readonly string[] }): boolean {
  return (filters.namespace.length === 0 || filters.namespace.includes(dataset.namespace))
    && (filters.tag.length === 0 || filters.tag.some((tag) => dataset.tags.includes(tag)));
}
