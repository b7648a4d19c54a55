// The page: its header, and what the address asks for.
import { render, type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { address, followAddress } from "./address.ts";
import { isLoginNeeded } from "./api.ts";
import { KeysButton } from "./keys.tsx";
import { markShown, NewsBanner, revision, useSession } from "./live.tsx";
import { ComparePage } from "./pages/compare.tsx";
import { ColumnsPage } from "./pages/columns.tsx";
import { CypherPage } from "./pages/cypher.tsx";
import { DatasetPage } from "./pages/dataset.tsx";
import { GanttPage } from "./pages/gantt.tsx";
import { GraphPage } from "./pages/graph.tsx";
import { HealthPage } from "./pages/health.tsx";
import { HomePage } from "./pages/home.tsx";
import { ImpactPage } from "./pages/impact.tsx";
import { ItemsPage } from "./pages/items.tsx";
import { JobPage } from "./pages/job.tsx";
import { OrderPage } from "./pages/order.tsx";
import { PathPage } from "./pages/path.tsx";
import { RecordPage } from "./pages/record.tsx";
import { RunPage } from "./pages/run.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { SourcesPage } from "./pages/sources.tsx";
import { WhyPage } from "./pages/why.tsx";
import { Search } from "./search.tsx";
import { useShared } from "./shared.ts";
import { shortenName } from "./text.ts";
import { LoginForm, LogOutButton } from "./session.tsx";
import "./style.css";

type Page = (props: { query: URLSearchParams }) => ComponentChildren;

const PAGES: ReadonlyMap<string, readonly [title: string, page: Page]> = new Map<string, [string, Page]>([
  ["/", ["Lineage", HomePage]],
  ["/dataset", ["Dataset", DatasetPage]],
  ["/columns", ["Columns", ColumnsPage]],
  ["/job", ["Job", JobPage]],
  ["/run", ["Run", RunPage]],
  ["/runs", ["Runs", RunsPage]],
  ["/gantt", ["Runs by time", GanttPage]],
  ["/graph", ["Graph", GraphPage]],
  ["/impact", ["Impact", ImpactPage]],
  ["/order", ["Order of jobs", OrderPage]],
  ["/sources", ["Sources", SourcesPage]],
  ["/path", ["Paths", PathPage]],
  ["/compare", ["Compare", ComparePage]],
  ["/cypher", ["Cypher", CypherPage]],
  ["/health", ["Health", HealthPage]],
  ["/why", ["Causes", WhyPage]],
  ["/record", ["Rows", RecordPage]],
  ["/items", ["Items", ItemsPage]],
]);

function App() {
  const { path, query, visit } = useShared(address, (shown) => shown);
  const isWithoutToken = useShared(isLoginNeeded, (is) => is);
  const hasSession = useSession();
  const loads = useShared(revision, (number) => number);
  const [title, Page] = PAGES.get(path) ?? ["Not found", NotFoundPage];
  const subject = query.get("name") ?? query.get("root") ?? query.get("id") ?? query.get("run") ?? query.get("dataset") ?? query.get("trace");
  document.title = subject ? `${shortenName(subject)} · ${title} · Lineage` : title;
  useEffect(markShown, [visit]);
  return (
    <>
      <a class="skip" href="#main">Skip to content</a>
      <header>
        <a class="home" href="/">Lineage</a>
        {path !== "/" && <Search />}
        <nav class="pages" aria-label="Pages">
          <a href="/runs">Runs</a>
          <a href="/order">Order</a>
          <a href="/sources">Sources</a>
          <a href="/path">Paths</a>
          <a href="/compare">Compare</a>
          <a href="/cypher">Cypher</a>
          <a href="/health">Health</a>
        </nav>
        <KeysButton />
        {hasSession && !isWithoutToken && <LogOutButton />}
      </header>
      <NewsBanner />
      <main id="main" tabIndex={-1}>
        {isWithoutToken ? <LoginForm /> : <Page query={query} key={`${visit}#${loads}`} />}
      </main>
    </>
  );
}

function NotFoundPage() {
  return <><h1>Page not found</h1><p><a href="/">Search for a dataset, a job or a run.</a></p></>;
}

followAddress();
const root = document.getElementById("app");
if (root) render(<App />, root);
