// The levels of the picture: datasets, with their columns, jobs, and runs.
import type { View } from "./model.ts";

export const LEVELS = ["dataset", "column", "job", "run"] as const;
export type Level = (typeof LEVELS)[number];

/** Returns what is chosen at another level: a job that writes the dataset, or the first dataset that the job writes. */
export function chosenAt(view: View, level: Level, chosen: string | null): string | null {
  if (chosen === null || level === "run") return null;
  if (level !== "job") return view.edges.find((edge) => edge.job?.name === chosen)?.target ?? chosen;
  const edge = view.edges.find(({ target, job }) => target === chosen && job) ?? view.edges.find(({ source, job }) => source === chosen && job);
  return edge?.job?.name ?? null;
}
