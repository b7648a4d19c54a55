// The edges that differ between two times, as a list beside the picture.
import { ChangeSign, Name, State, Table } from "../components.tsx";
import { countOf } from "../text.ts";
import type { GraphEdge } from "./answer.ts";
import { changedEdges } from "./comparison.ts";
import type { View } from "./model.ts";
import { describeTimes, type Scope } from "./scope.ts";

export function ChangeList(props: { view: View; scope: Scope; choose: (name: string) => void }) {
  const edges = changedEdges(props.view);
  const dataset = (name: string) => (
    <button class="plain" onClick={() => props.choose(name)}><Name name={name} most={48} /></button>
  );
  return (
    <Table caption={`${countOf(edges.length, "edge differs", "edges differ")}. ${describeTimes(props.scope)}`} rows={edges} empty="No edge of the picture differs." columns={[
      { title: "Change", cell: ({ change }) => change && <ChangeSign change={change} /> },
      { title: "From", cell: ({ source }) => dataset(source) },
      { title: "To", cell: ({ target }) => dataset(target) },
      { title: "Job", cell: ({ job }) => (job ? <Name name={job.name} most={40} /> : "—") },
      { title: "State", cell: (edge) => describeState(edge) },
    ]} />
  );
}

function describeState(edge: GraphEdge) {
  return <>{edge.job && <State state={edge.job.state} />} {edge.stale && "stale"} {edge.runs === 0 && edge.declared && "declared"}</>;
}
