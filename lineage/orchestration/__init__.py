"""The order of jobs, from their inputs and outputs, and the sources that matter.

from lineage.orchestration import plan_jobs, rank_sources

with lineage.connect() as graph:
    plan = plan_jobs(graph.session, ("gold/revenue",))
    for level in plan.jobs_by_level: ...
    ranking = rank_sources(graph.session)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.lazy_exports import export_lazily

if TYPE_CHECKING:
    from lineage.orchestration.plan import PlanOptions as PlanOptions
    from lineage.orchestration.plan import plan_jobs as plan_jobs
    from lineage.orchestration.records import JobCycle as JobCycle
    from lineage.orchestration.records import Plan as Plan
    from lineage.orchestration.records import PlannedJob as PlannedJob
    from lineage.orchestration.records import Precedence as Precedence
    from lineage.orchestration.sources import RankedSource as RankedSource
    from lineage.orchestration.sources import SourceRanking as SourceRanking
    from lineage.orchestration.sources import rank_sources as rank_sources

# The module of each name, imported on access.
_EXPORTS = {
    "JobCycle": "records",
    "Plan": "records",
    "PlanOptions": "plan",
    "PlannedJob": "records",
    "Precedence": "records",
    "RankedSource": "sources",
    "SourceRanking": "sources",
    "plan_jobs": "plan",
    "rank_sources": "sources",
}

__all__ = list(_EXPORTS)

__getattr__, __dir__ = export_lazily(__name__, _EXPORTS)
