// The explorer: a picture that grows where the reader asks, the same as a table, and its time.
import { useEffect } from "preact/hooks";
import { goTo, hrefOf, type Parameters } from "../address.ts";
import { Elsewhere, NotShown, Problem } from "../components.tsx";
import { EarlierRuns } from "../earlier-runs.tsx";
import { ChangeList } from "../explorer/changes.tsx";
import { ExportMenu } from "../explorer/export.tsx";
import { FilterBar, hrefWithFilters } from "../explorer/filters.tsx";
import { FindNeighbour } from "../explorer/find-neighbour.tsx";
import { Legend } from "../explorer/legend.tsx";
import { LEVELS, type Level } from "../explorer/levels.ts";
import { BoxList } from "../explorer/list.tsx";
import { furtherMatches, MAX_BOXES, type View } from "../explorer/model.ts";
import { Picture } from "../explorer/picture.tsx";
import { MAX_FILTERED_DATASETS } from "../explorer/questions.ts";
import { filterArguments, filterParameters, hasFilters, isOfNow, readScope, type Scope } from "../explorer/scope.ts";
import { MAX_DEPENDENCIES } from "../explorer/run-level.ts";
import { useExplorer, type Explorer } from "../explorer/state.ts";
import { TimeStrip } from "../explorer/timeline.tsx";
import { isInField } from "../form.tsx";
import { countOf, lastPart, shortenName } from "../text.ts";

const LEVEL_NAMES: ReadonlyMap<Level, string> = new Map([
  ["dataset", "Datasets"], ["column", "Columns"], ["job", "Jobs"], ["run", "Runs"],
]);

export function GraphPage() {
  const query = new URLSearchParams(location.search); // has the times that were chosen since
  const root = query.get("root") ?? "";
  const level = LEVELS.find((each) => each === query.get("level")) ?? "dataset";
  const explorer = useExplorer(root, readScope(query, level), level);
  const { view, picture, scope, chosen } = explorer;
  const isExpandable = level === "dataset" || level === "column";
  useKeys(explorer);
  return (
    <div class="explorer">
      <h1>Graph of <bdi>{shortenName(root, 80)}</bdi></h1>
      <Levels level={level} />
      {level === "run" ? <p class="quiet">Filters do not apply to runs.</p> : (
        <FilterBar filters={scope.filters} hrefWith={(filters) => hrefWithFilters(new URLSearchParams(location.search), filters) + location.hash} />
      )}
      <Toolbar explorer={explorer} isExpandable={isExpandable} />
      {explorer.problem && <Problem error={explorer.problem} retry={explorer.retry} />}
      {!picture && !explorer.problem && <p class="quiet" role="status">Loading…</p>}
      {view && level === "job" && <PathsWithoutJob view={view} />}
      {view && isExpandable && <FurtherMatches view={view} add={explorer.addMatches} />}
      {picture && level === "run" && <EarlierRuns operation="dataset-lineage-at" parameters={{ dataset: root, time: scope.time ?? undefined }} />}
      {picture && (
        <Picture key={level} view={picture} chosen={chosen} path={explorer.path} busy={explorer.busy} canExpand={isExpandable}
          actions={explorer.actions} />
      )}
      {view && isOfNow(scope.filters) && (
        <p class="quiet">The picture is as of now. To see another time, remove the filters: they apply to the edges of now.</p>
      )}
      {view && !isOfNow(scope.filters) && <TimeStrip names={[...view.boxes.keys()]} scope={scope} show={explorer.showTimes} />}
      {view && scope.before !== null && <ChangeList view={view} scope={scope} choose={explorer.actions.choose} />}
      {view && chosen !== null && isExpandable && <FindNeighbour view={view} chosen={chosen} scope={scope} add={explorer.add} />}
      {picture && <BoxList view={picture} chosen={chosen} canExpand={isExpandable} actions={explorer.actions} />}
      <Elsewhere {...answerOf(level, root, scope)} command={commandOf(level, root, scope)} />
    </div>
  );
}

function Levels(props: { level: Level }) {
  const show = (event: Event, level: Level) => {
    event.preventDefault();
    goTo(hrefAt(level) + location.hash); // the places stay
  };
  return (
    <nav class="chips" aria-label="Level">
      {LEVELS.map((level) => (
        <a href={hrefAt(level)} aria-current={level === props.level ? "true" : undefined} onClick={(event) => show(event, level)}>
          {LEVEL_NAMES.get(level)}</a>
      ))}
    </nav>
  );
}

function Toolbar(props: { explorer: Explorer; isExpandable: boolean }) {
  const { explorer } = props;
  const { view, picture, chosen, path } = explorer;
  return (
    <div class="chips" role="toolbar" aria-label="Picture">
      {props.isExpandable && <button onClick={explorer.undo} disabled={!explorer.canUndo}>Undo</button>}
      {props.isExpandable && <button onClick={explorer.tidy}>Tidy</button>}
      {props.isExpandable && view && chosen !== null && chosen !== view.root && (
        <button onClick={explorer.keepWays}>Only the ways to {shortenName(lastPart(chosen), 24)}</button>
      )}
      {path.size > 0 && <button onClick={explorer.keepPath}>Only this path</button>}
      {path.size > 0 && <button onClick={explorer.clearPath}>Show all columns</button>}
      <Legend />
      {picture && <ExportMenu scene={{ view: picture, chosen, path }} scope={explorer.scope} />}
      <span role="status" aria-label="Last change">{explorer.message}</span>
      <NotShown count={picture?.omitted} noun="further edge" />
      <NotShown count={view?.ambiguous?.size} noun="name that matches no single dataset" nouns="names that match no single dataset" />
    </div>
  );
}

function PathsWithoutJob({ view }: { view: View }) {
  const count = view.edges.filter(({ hidden }) => hidden !== undefined).length;
  if (count === 0) return null;
  return <p class="quiet">{countOf(count, "path through filtered datasets has", "paths through filtered datasets have")} no job.</p>;
}

/** How many datasets match the filters and are not shown, and what adds some of them. */
function FurtherMatches(props: { view: View; add: () => void }) {
  const names = furtherMatches(props.view);
  const count = names.length + (props.view.matches?.omitted ?? 0);
  if (count === 0) return null;
  return (
    <p class="quiet">
      {countOf(count, "further dataset matches", "further datasets match")}.{" "}
      {names.length > 0 && props.view.boxes.size < MAX_BOXES && <button class="small" onClick={props.add}>Show more of them</button>}
    </p>
  );
}

/** Keys that do not depend on the box with the focus. */
function useKeys(explorer: Explorer): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isInField(event)) return;
      const key = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.key}`;
      const act = new Map([["Ctrl+z", explorer.undo], ["t", explorer.tidy], ["f", explorer.keepPath]]).get(key);
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

function hrefAt(level: Level): string {
  const query = new URLSearchParams(location.search);
  if (level === "dataset") query.delete("level");
  else query.set("level", level);
  return `${hrefOf("/graph")}?${query}`;
}

/** Returns the operation whose answer is nearest to the picture of a level. */
function answerOf(level: Level, root: string, { filters, time }: Scope): { operation: string; parameters: Parameters } {
  const at = { time: time ?? undefined };
  if (level === "run") return { operation: "dataset-lineage-at", parameters: { dataset: root, ...at, runs: true, limit: MAX_DEPENDENCIES } };
  if (hasFilters(filters)) {
    return { operation: "dataset-lineage", parameters: { dataset: root, direction: "both", limit: MAX_FILTERED_DATASETS, ...filterParameters(filters) } };
  }
  if (level === "job") return { operation: "job-lineage", parameters: { ...filterParameters(filters), job: root } };
  return { operation: "neighbours", parameters: { dataset: root, ...filterParameters(filters), ...at } };
}

function commandOf(level: Level, root: string, { filters, time }: Scope): string[] {
  if (level === "run" || time !== null) return ["lineage", "query", "at", root, ...(time === null ? [] : [time]), ...(level === "run" ? ["--runs", "--limit", String(MAX_DEPENDENCIES)] : [])];
  if (level === "job" && !hasFilters(filters)) return ["lineage", "query", "job", root, ...filterArguments(filters)];
  const extent = hasFilters(filters) ? ["--limit", String(MAX_FILTERED_DATASETS)] : ["--depth", "1"];
  return ["lineage", "query", root, "--direction", "both", ...extent, ...filterArguments(filters)];
}
