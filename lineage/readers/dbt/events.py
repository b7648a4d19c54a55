"""Events of OpenLineage for the files of dbt: designs and runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage.openlineage.producer import READERS_PRODUCER
from lineage.openlineage.timestamps import normalize_time
from lineage.openlineage.written_events import build_event
from lineage.readers.column_facets import column_facets
from lineage.readers.dbt.columns import ModelReader, ModelReads
from lineage.readers.dbt.designs import (
    code_checksum,
    design_facet,
    ended_designs,
    jobs_by_node,
    jobs_without_relation,
    most_common_place,
)
from lineage.readers.dbt.facets import statistics_facet, write_facet
from lineage.readers.dbt.nodes import (
    Project,
    compiled_code,
    dataset_value,
    is_of_project,
    is_writing,
    job_name,
)
from lineage.readers.dbt.runs import (
    NOT_EXECUTED,
    STATES,
    Invocation,
    build_run_event,
    job_type_facet,
)
from lineage.readers.dbt.tests import quality_events
from lineage.readers.facets import build_facet
from lineage.sql.scopes import Unreadable
from lineage.sql.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lineage.openlineage.written_events import Kind
    from lineage.readers.dbt.designs import StoredDesign
    from lineage.readers.dbt.files import Artifacts, Node, Result
    from lineage.readers.dbt.runs import Event
    from lineage.readers.facets import Facets
    from lineage.sql.records import Name

# The facet of a job whose design is empty.
NO_LINEAGE = build_facet("lineage", "job", entries=[])

TextMode: TypeAlias = Literal["none", "shape", "full"]


@dataclass
class DbtReader:
    """Converts the files of one target directory to events.

    ``namespace`` is that of the datasets, and ``job_namespace`` that of the jobs. ``text``: the
    stored form of compiled SQL. ``stored``: columns of tables, of an imported catalog of the
    server. ``designs``: those of earlier imports, see ``lineage.readers.dbt.designs``.
    After the events were read, ``notes`` say which results were not read, and ``unresolved_parts``
    which tables and columns.
    """

    artifacts: Artifacts
    namespace: str
    job_namespace: str = "dbt"
    text: TextMode = "shape"
    stored: Mapping[Name, Sequence[str]] = field(default_factory=dict)
    designs: Sequence[StoredDesign] = ()
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._project = Project.from_artifacts(self.artifacts, self.namespace)
        self._models = ModelReader(self._project, self.stored)
        self._results: dict[str, Result] = {}
        self._reads: dict[str, ModelReads] = {}
        self._place = ""
        self._unplaced_jobs: dict[str, str] = {}  # of exposures and tests, by node
        self._designs = {each.job: each for each in self.designs}
        self.notes += self.artifacts.notes
        if results := self.artifacts.results:
            self._results = {result.unique_id: result for result in results.results}

    def read_events(self) -> Iterator[Event]:
        """Yield the events: the designs of all nodes, then the runs of the invocation."""
        yield from self._declared_events()
        results = self.artifacts.results
        if results is None:
            return
        invocation = Invocation(results, self.job_namespace, self._project.project_name)
        yield from invocation.invocation_events()
        for result in results.results:
            yield from self._result_events(invocation, result)
        tests = {
            name: (job, self._job_design(self.artifacts.manifest.nodes[name]))
            for name, job in self._unplaced_jobs.items()
            if name in self.artifacts.manifest.nodes
        }
        yield from quality_events(self._project, invocation, tests)

    @property
    def unresolved_parts(self) -> list[str]:
        """Nodes of which tables or columns are not known, each with the reason."""
        return [
            ": ".join(filter(None, (unique_id, reason, detail)))
            for unique_id, reads in sorted(self._reads.items())
            for reason, detail in reads.unresolved
        ]

    def _declared_events(self) -> Iterator[Event]:
        manifest = self.artifacts.manifest
        for source in manifest.sources.values():
            if facets := self._project.dataset_facets(source):
                yield self._dataset_event(source, facets)
        nodes = [
            each for each in manifest.nodes.values() if is_writing(each) and is_of_project(each)
        ]
        for node in nodes:
            yield from self._design_events(node)
        unplaced = [*manifest.exposures, *filter(_is_test, manifest.nodes)]
        self._place = most_common_place(nodes)
        self._unplaced_jobs = jobs_without_relation(unplaced, nodes, self.designs)
        jobs = jobs_by_node(nodes) | {
            name: self._unplaced_jobs[name] for name in manifest.exposures
        }
        for name, time in ended_designs(jobs, self._declared_time, self.designs).items():
            yield self._ended_event(name, time)
        for exposure in manifest.exposures.values():
            inputs = [dataset_value(name) for name in self._project.parent_relations(exposure)]
            facets = job_type_facet("EXPOSURE") | self._project.job_facets(exposure)
            facets |= self._job_design(exposure)
            # Without inputs, only the facet tells that the design is empty.
            facets |= {} if inputs else NO_LINEAGE
            job = {
                "namespace": self.job_namespace,
                "name": self._unplaced_jobs[exposure.unique_id],
                "facets": facets,
            }
            yield self._static_event("JobEvent", job=job, inputs=inputs, outputs=[])

    def _job_design(self, node: Node) -> Facets:
        return design_facet(self._project, node, self._declared_time, place=self._place)

    @property
    def _declared_time(self) -> str:
        """The time of the designs: that of the newest of their files."""
        catalog = self.artifacts.catalog
        times = [self.artifacts.manifest.metadata.generated_at]
        times += [catalog.metadata.generated_at] if catalog else []
        try:
            return max(map(normalize_time, times))
        except ValueError:  # the events are not valid, which is reported when they are written
            return max(times)

    def _static_event(self, kind: Kind, time: str | None = None, **parts: Any) -> Event:
        """Return an event without a run."""
        return build_event(kind, time or self._declared_time, READERS_PRODUCER, **parts)

    def _dataset_event(self, source: Node, facets: Facets) -> Event:
        name = self._project.relations[source.unique_id]
        return self._static_event("DatasetEvent", dataset=dataset_value(name, facets=facets))

    def _design_events(self, node: Node) -> Iterator[Event]:
        """Yield the design of a node, or the facets of its job and dataset if it is unchanged."""
        checksum = code_checksum(self._project, node)
        unchanged = self._is_unchanged(node, checksum)
        job = self._node_job(node)
        job["facets"] |= design_facet(
            self._project, node, self._declared_time, checksum, unchanged=unchanged or None
        )
        relation = self._project.relations[node.unique_id]
        facets = self._project.dataset_facets(node)
        if unchanged:
            yield self._static_event("JobEvent", job=job, inputs=[], outputs=[])
            if facets:
                dataset = dataset_value(relation, facets=facets)
                yield self._static_event("DatasetEvent", dataset=dataset)
            return
        reads = self._read_node(node)
        output = dataset_value(relation, facets=facets | column_facets(reads.columns))
        inputs = [dataset_value(name) for name in reads.inputs]
        yield self._static_event("JobEvent", job=job, inputs=inputs, outputs=[output])

    def _is_unchanged(self, node: Node, checksum: str | None) -> bool:
        """Return whether dbt did not compile the node, whose code is that of its stored design.

        A command that selects other nodes leaves out its SQL, which has the inputs and columns.
        """
        stored = self._designs.get(job_name(node))
        if stored is None or not stored.declared:  # an ended design has nothing to keep
            return False
        if checksum is None or checksum != stored.checksum:
            return False
        if node.language == "python" or node.resource_type == "seed" or self._compiled_text(node):
            return False
        return stored.unchanged or stored.time != self._declared_time

    def _ended_event(self, name: str, time: str) -> Event:
        """Return the empty design of a job whose node was removed from the project."""
        job = {"namespace": self.job_namespace, "name": name, "facets": {**NO_LINEAGE}}
        return self._static_event("JobEvent", time, job=job, inputs=[], outputs=[])

    def _node_job(self, node: Node) -> dict[str, Any]:
        facets = job_type_facet(node.resource_type.upper()) | self._project.job_facets(node)
        text = self._compiled_text(node)
        if text and self.text != "none":
            dialect = self._models.sql_dialect
            query = shape_of(text, dialect or "") if self.text == "shape" else text
            facets |= build_facet("sql", "job", query=query, dialect=dialect)
        return {"namespace": self.job_namespace, "name": job_name(node), "facets": facets}

    def _compiled_text(self, node: Node) -> str:
        """Return the SQL of a node: that which ran, else that of the manifest. Empty if none."""
        return "" if node.language == "python" else self._compiled_code(node)

    def _compiled_code(self, node: Node) -> str:
        return compiled_code(node, self._results.get(node.unique_id))

    def _read_node(self, node: Node) -> ModelReads:
        """Return the inputs in the SQL of a node; if it cannot be read, the references."""
        if node.unique_id not in self._reads:
            self._reads[node.unique_id] = self._find_reads(node)
        return self._reads[node.unique_id]

    def _find_reads(self, node: Node) -> ModelReads:
        parents = tuple(self._project.parent_relations(node, self._compiled_code(node)))
        if node.language == "python":
            return ModelReads(parents, unresolved=(("columns: a Python model", ""),))
        text = self._compiled_text(node)
        if not text:
            return ModelReads(parents)
        try:
            return self._models.read_model(text, node.unique_id)
        except Unreadable as error:
            return ModelReads(parents, unresolved=((str(error), ""),))

    def _result_events(self, invocation: Invocation, result: Result) -> Iterator[Event]:
        node = self.artifacts.manifest.nodes.get(result.unique_id)
        if result.status not in STATES:
            if result.status not in NOT_EXECUTED:
                self.notes.append(f"{result.unique_id}: the status {result.status} is not known.")
            return
        if node is None or not is_writing(node):
            return
        state, (start, end) = STATES[result.status], invocation.times_of(result)
        reads, job = self._read_node(node), self._node_job(node)
        inputs = [dataset_value(name) for name in reads.inputs]
        relation = self._project.relations[node.unique_id]
        run_id = invocation.node_run_id(node.unique_id)
        run = {"runId": run_id, "facets": invocation.child_facets(self.namespace)}
        accesses = {"inputs": inputs, "outputs": [dataset_value(relation)]}
        yield build_run_event("START", start, run, job, accesses)
        facets = invocation.child_facets(self.namespace, result) | _unresolved_facet(node, reads)
        output = dataset_value(
            relation,
            facets=column_facets(reads.columns),
            outputFacets=self._write_facets(node, result),
        )
        run = {"runId": run_id, "facets": facets}
        yield build_run_event(state, end, run, job, {"inputs": inputs, "outputs": [output]})

    def _write_facets(self, node: Node, result: Result) -> Facets:
        args = self.artifacts.results.args if self.artifacts.results else {}
        config = node.config
        own = config.full_refresh if config else None  # overrides the option of the command
        full_refresh = bool(args.get("full_refresh") if own is None else own)
        kind = node.materialized_as if node.resource_type == "model" else node.resource_type
        strategy = config.incremental_strategy if config else None
        written = write_facet(kind, strategy, full_refresh=full_refresh)
        return written | statistics_facet(result.adapter_response)


def _unresolved_facet(node: Node, reads: ModelReads) -> Facets:
    items = [
        {"operator": node.unique_id, "reason": reason, "detail": detail}
        for reason, detail in reads.unresolved
    ]
    return build_facet("lineage_unresolved", "run", items=items) if items else {}


def _is_test(unique_id: str) -> bool:
    return unique_id.startswith("test.")
