"""Runs of one invocation of dbt: their ids, times, states and facets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID, uuid5

from lineage.openlineage.producer import READERS_PRODUCER
from lineage.openlineage.written_events import build_event
from lineage.readers.facets import build_facet
from lineage.redaction import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.readers.dbt.files import Result, RunResults
    from lineage.readers.facets import Facets

Event: TypeAlias = dict[str, Any]

# Namespace of the ids of runs, which are UUIDs of version 5.
_RUNS = UUID("5f0c3f3e-7d0b-5b53-8d0e-0d9a3b1f6b7a")
# States of results that executed. A skipped node, and a node that dbt only lists, has no run. Some
# batches of a partial success failed; see Invocation.child_facets.
STATES = {
    "success": "COMPLETE",
    "pass": "COMPLETE",
    "warn": "COMPLETE",
    "fail": "FAIL",
    "error": "FAIL",
    "runtime error": "FAIL",
    "partial success": "FAIL",
}
NOT_EXECUTED = frozenset({"skipped", "no-op", "reused"})


@dataclass(frozen=True)
class Invocation:
    """One execution of dbt, the parent of the runs of its nodes."""

    results: RunResults
    job_namespace: str
    project_name: str

    @property
    def run_id(self) -> str:
        """The invocation id, as the logs of dbt have it."""
        invocation_id = self.results.metadata.invocation_id or ""
        try:
            return str(UUID(invocation_id))
        except ValueError:
            return str(uuid5(_RUNS, f"{invocation_id}/{self.results.metadata.generated_at}"))

    @property
    def job_value(self) -> dict[str, Any]:
        """The job of the invocation, as openlineage-dbt names it."""
        return {"namespace": self.job_namespace, "name": f"dbt-run-{self.project_name}"}

    def node_run_id(self, unique_id: str) -> str:
        """Return the id of the run of a node: UUIDv5 of the invocation and the node."""
        return str(uuid5(UUID(self.run_id), unique_id))

    def times_of(self, result: Result) -> tuple[str, str]:
        """Return start and end of the execution of a node.

        A node that failed before its execution has the times of its compilation, or of the end of
        the invocation.
        """
        for name in ("execute", "compile"):
            for timing in result.timing:
                if timing.name == name and timing.started_at and timing.completed_at:
                    return timing.started_at, timing.completed_at
        end = self.results.metadata.generated_at
        return end, end

    def invocation_events(self) -> Iterator[Event]:
        """Yield START and the end of the invocation. It failed if a result failed."""
        metadata = self.results.metadata
        states = [STATES.get(result.status) for result in self.results.results]
        starts = (self.times_of(result)[0] for result in self.results.results if result.timing)
        start = metadata.invocation_started_at or min(starts, default=metadata.generated_at)
        facets = build_facet("processing_engine", "run", name="dbt", version=metadata.dbt_version)
        job = {**self.job_value, "facets": job_type_facet("JOB")}
        run = {"runId": self.run_id, "facets": facets}
        end = "FAIL" if "FAIL" in states else "COMPLETE"
        yield build_run_event("START", start, run, job)
        yield build_run_event(end, metadata.generated_at, run, job)

    def child_facets(self, namespace: str, result: Result | None = None) -> Facets:
        """Return the facets of the run of a node, at its end with those of its result.

        ``namespace`` is that of the database, which may have given the query an id. A model of
        which some batches failed has written the others: a run of which a batch was completed feeds
        its outputs, although it failed.
        """
        facets = build_facet("parent", "run", run={"runId": self.run_id}, job=self.job_value)
        if result is None:
            return facets
        if STATES.get(result.status) == "FAIL" and result.message:
            message = redact_text(result.message.strip())
            facets |= build_facet("errorMessage", "run", message=message, programmingLanguage="SQL")
        batches = result.batch_results
        if batches is not None and batches.successful and batches.failed:
            counts = {"batches": len(batches.successful), "failed_batches": len(batches.failed)}
            facets |= build_facet("lineage_streaming_query", "run", facts=counts)
        response = result.adapter_response
        query_id = response.get("query_id") or response.get("job_id")
        if isinstance(query_id, str) and query_id.upper() != "N/A":
            facets |= build_facet(
                "externalQuery", "run", externalQueryId=query_id, source=namespace
            )
        return facets


def job_type_facet(kind: str) -> Facets:
    """Return the type of a job of dbt, such as MODEL."""
    return build_facet("jobType", "job", jobType=kind, integration="DBT", processingType="BATCH")


def build_run_event(
    state: str,
    time: str,
    run: dict[str, Any],
    job: dict[str, Any],
    accesses: Mapping[str, list[dict[str, Any]]] | None = None,
) -> Event:
    """Return a run event as a JSON value.

    ``time`` is ISO 8601. ``accesses``: the datasets below ``inputs`` and ``outputs``.
    """
    parts = {"run": run, "job": job, "inputs": [], "outputs": [], **(accesses or {})}
    return build_event("RunEvent", time, READERS_PRODUCER, eventType=state, **parts)
