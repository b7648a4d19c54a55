"""The operations of the read API for the order of jobs, sources and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.http.api import parameters as shared
from lineage.http.api.declaration import declare_operation
from lineage.http.encoding import to_json
from lineage.http.parameters import LIMIT, Flag, Integer, Texts, Time
from lineage.orchestration.job_rows import plan_object
from lineage.orchestration.plan import PlanOptions, plan_jobs
from lineage.orchestration.sources import rank_sources

if TYPE_CHECKING:
    from lineage.query import Graph


def _get_plan(graph: Graph, values: dict[str, Any]) -> Any:
    plan = plan_jobs(
        graph.session,
        values["name"],
        values["direction"],
        PlanOptions(
            since=values["since"],
            observed=values["observed"],
            feedback=values["feedback"],
            stale=values["stale"],
            workers=values["workers"],
        ),
    )
    return _cut_lists(plan_object(plan), values["limit"])


def _cut_lists(plan: dict[str, Any], limit: int) -> dict[str, Any]:
    """Return at most ``limit`` entries of each list; ``omitted`` counts the others."""
    lists = {name: each for name, each in plan.items() if isinstance(each, list)}
    omitted = {name: len(each) - limit for name, each in lists.items() if len(each) > limit}
    return {**plan, **{name: lists[name][:limit] for name in omitted}, "omitted": omitted}


def _get_sources(graph: Graph, values: dict[str, Any]) -> Any:
    return to_json(
        rank_sources(
            graph.session, since=values["since"], products=values["products"],
            unused=values["unused"], observed=values["observed"], limit=values["limit"],
        )
    )  # fmt: skip


ORDER_OPERATIONS = (
    declare_operation(
        "plan",
        "The order of jobs: which must run before which, and why",
        _get_plan,
        (
            Texts("name", "Jobs and datasets that must be fresh or, downstream, have changed."),
            shared.DIRECTION,
            Time(
                "since",
                "Earliest start of runs that count; by default 30 days before the newest event.",
            ),
            shared.OBSERVED,
            Flag("stale", "Only jobs with an input that is newer than their last successful run."),
            Texts(
                "feedback", "Datasets whose readers on a cycle use the data of the previous round."
            ),
            Integer(
                "workers", "Number of jobs that may run concurrently, to estimate the total time."
            ),
            shared.PART,
        ),
    ),
    declare_operation(
        "sources",
        "Datasets that no run wrote, by the use of the products that depend on them",
        _get_sources,
        (
            Time(
                "since", "Start of the window of reads; by default 30 days before the newest event."
            ),
            Texts("products", "Patterns of the full names of products, as gold/*."),
            Flag("unused", "Only sources that were not read, or of which no product was."),
            shared.OBSERVED,
            LIMIT,
        ),
    ),
    declare_operation(
        "rank",
        "Datasets by the lineage that depends on them, and the shape of the whole graph",
        lambda graph, values: to_json(
            graph.rank_datasets(values["limit"], observed=values["observed"])
        ),
        (LIMIT, shared.OBSERVED),
    ),
)
