"""The runs and jobs of an application and of its root executions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from openlineage.client.event_v2 import Job, Run
from openlineage.client.facet_v2 import job_type_job, parent_run, processing_engine_run, sql_job

from lineage.naming import application_name, job_name, snake_case
from lineage.redaction import redact_sql, redact_text
from lineage.spark.conversion.facets import VERSION, FactsRunFacet, FilteredRunFacet, plan_facets
from lineage.spark.conversion.job_metadata import job_labels, run_labels, unreadable_settings
from lineage.spark.datasets.resolver import Unresolved
from lineage.spark.document.parent_run import JobRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openlineage.client import facet_v2

    from lineage.spark.conversion.inputs_outputs import Flow
    from lineage.spark.document.document import Application, Document

# Names of actions for which Spark's name is that of an internal method.
ACTIONS = {"show_string": "show", "get_rows_to_python": "collect", "collect_to_python": "collect"}
# The command of all streaming queries; the plan of a micro-batch may name another one.
STREAM = "write_to_stream"
NO_ACTION = {"", "main", "run", "sql", "execute"}


def application_run(app: Application, facts: Mapping[str, Any] | None = None) -> Run:
    """Build the run of the whole application."""
    facets = _engine_facets(app) | run_labels(app.settings)
    facets["lineage_application"] = FactsRunFacet(facts=dict(app.facts) | dict(facts or {}))
    if app.parents.parent and app.parents.root:
        facets["parent"] = _parent_facet(app.parents.parent, app.parents.root)
    wrong = (*app.parents.unreadable, *unreadable_settings(app.settings))
    missing = [Unresolved(name, "a setting that cannot be read") for name in wrong]
    if unseen := (facts or {}).get("jobsUnseen"):
        reason = "jobs over files that ended before the listener could inspect them"
        missing.append(Unresolved("RDD", reason, str(unseen)))
    facets |= plan_facets(missing, ())
    return Run(runId=app.run, facets=facets)


def application_job(app: Application) -> Job:
    """Build the job of the whole application."""
    facets = job_labels(app.settings) | {"jobType": _job_type("BATCH", "APPLICATION")}
    return Job(namespace=app.namespace, name=application_name(app.name), facets=facets)


def execution_id(application: str, execution: int) -> str:
    """Compute the run id of a root execution from that of its application; it never changes."""
    return str(uuid5(UUID(application), f"execution/{execution}"))


def execution_run(document: Document, flow: Flow) -> Run:
    """Build the run of a root execution or a streaming query, a child of the application's run."""
    app, execution, query = document.app, document.execution, document.query
    application = JobRun(app.run, app.namespace, application_name(app.name))
    facets = _engine_facets(app) | run_labels(app.settings)
    if (filtered := flow.filtered) and (filtered.inputs or filtered.outputs):
        facets["lineage_filtered"] = FilteredRunFacet(filtered.inputs, filtered.outputs)
    facets["parent"] = _parent_facet(application, app.parents.root or application)
    if query:
        facts = _reported_facts(query.facts, flow, ("checkpoint", "sources"))
        facets["lineage_streaming_query"] = FactsRunFacet(facts=facts)
        return Run(runId=query.run, facets=facets)
    assert execution is not None
    # Some shells put the text of the statement into the description.
    facts = _reported_facts(execution.facts, flow, ("description",))
    facets["lineage_execution"] = FactsRunFacet(facts=facts)
    return Run(runId=execution_id(app.run, execution.id), facets=facets)


def execution_job(document: Document, flow: Flow) -> Job:
    """Build the job ``{app}.{command}.{target}``, with ``{name}`` as target of a named query."""
    app, query = document.app, document.query
    facets = job_labels(app.settings) | {
        "jobType": _job_type("STREAMING" if query else "BATCH", "SQL_JOB")
    }
    if query:
        name = job_name(app.name, STREAM, query.name or flow.target)
        return Job(namespace=app.namespace, name=name, facets=facets)
    command = flow.command or _action_name(document)
    if document.sql and flow.may_quote and not _is_of_a_view(document):
        facets["sql"] = sql_job.SQLJobFacet(query=_statement_text(document), dialect="spark")
    name = job_name(app.name, command, flow.target)
    return Job(namespace=app.namespace, name=name, facets=facets)


def _statement_text(document: Document) -> str:
    """Return the SQL text, with literals only if ``spark.lineage.sqlLiterals`` is true."""
    keeps_literals = document.app.settings.get("spark.lineage.sqlLiterals", "").lower() == "true"
    return (redact_text if keeps_literals else redact_sql)(document.sql or "")


def _reported_facts(
    facts: Mapping[str, Any], flow: Flow, naming: tuple[str, ...]
) -> dict[str, Any]:
    """Filter the facts of Spark: if datasets are omitted, drop facts that may name them."""
    return {key: facts[key] for key in facts if flow.may_quote or key not in naming}


def _is_of_a_view(document: Document) -> bool:
    """Return whether the SQL text is the definition of a view.

    Spark reports that text for every execution that reads the whole view.
    """
    root = document.main.plan.root if document.main else None
    return root is not None and root.op in ("SubqueryAlias", "View")


def _action_name(document: Document) -> str:
    """Return the action of a query: ``…Dataset.count(Dataset.scala:1580)`` gives ``count``."""
    callsite = (document.execution.callsite if document.execution else None) or ""
    verb = re.search(r"(\w+)(?:\(| at )", callsite)
    name = snake_case(verb[1]) if verb else ""
    return "query" if name in NO_ACTION else ACTIONS.get(name, name)


def _job_type(processing: str, job_type: str) -> facet_v2.JobFacet:
    return job_type_job.JobTypeJobFacet(
        processingType=processing, integration="SPARK", jobType=job_type
    )


def _engine_facets(app: Application) -> dict[str, facet_v2.RunFacet]:
    if not app.spark:
        return {}
    engine = processing_engine_run.ProcessingEngineRunFacet(
        version=app.spark, name="spark", openlineageAdapterVersion=app.listener or VERSION
    )
    return {"processing_engine": engine}


def _parent_facet(parent: JobRun, root: JobRun) -> facet_v2.RunFacet:
    return parent_run.ParentRunFacet(
        run=parent_run.Run(runId=parent.run),
        job=parent_run.Job(namespace=parent.namespace, name=parent.name),
        root=parent_run.Root(
            run=parent_run.RootRun(runId=root.run),
            job=parent_run.RootJob(namespace=root.namespace, name=root.name),
        ),
    )
