"""The order of jobs from real events: what orders, what does not, and what is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, job_event, run_event, time
from support.formats.explain import plan_nodes

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.orchestration import PlanOptions, accesses, plan_jobs
from lineage.orchestration.units import UnitRule
from lineage.query.session import Session

if TYPE_CHECKING:
    import psycopg

    from lineage.orchestration import Plan
    from lineage.query.records import OneWay

    Connection = psycopg.Connection[Any]

VIEW = {"datasetType": {"datasetType": "VIEW"}}


def ran(
    job: str, at: int, reads: tuple[Any, ...] = (), writes: tuple[Any, ...] = (),
    seconds: int = 10, end: str = "COMPLETE", **more: Any,
) -> list[str]:  # fmt: skip
    """Return the events of a run that began at ``at``."""
    run = f"{job}-{at}"
    return [
        run_event(run, "START", at, job, reads, writes, **more),
        run_event(run, end, at + seconds, job, reads, writes, **more),
    ]


def planned(conn: Connection, events: list[str], *names: str, **options: Any) -> Plan:
    write_events(conn, events)
    return plan_jobs(Session.over(conn), names, options=PlanOptions(**options))


def levels(plan: Plan) -> list[list[str]]:
    return [[each.job.name for each in level] for level in plan.jobs_by_level]


def pairs(plan: Plan) -> set[tuple[str, str]]:
    return {(edge.before.name, edge.after.name) for edge in plan.edges}


def test_all_writers_precede_all_readers(conn: Connection) -> None:
    plan = planned(
        conn,
        [
            *ran("load", 0, ("raw",), ("clean",), 120),
            *ran("rates", 0, (), ("rates",), 30),
            *ran("patch", 200, (), ("clean",), 5),
            *ran("report", 300, ("clean", "rates"), ("report",), 60),
        ],
    )
    assert levels(plan) == [["load", "patch", "rates"], ["report"]]
    assert pairs(plan) == {("load", "report"), ("patch", "report"), ("rates", "report")}
    assert plan.width == 3
    assert [job.name for job in plan.critical_path] == ["load", "report"]
    assert (plan.critical_seconds, plan.work) == (180, 215)
    assert {each.job.name: each.slack for each in plan.jobs} == {
        "load": 0, "rates": 90, "patch": 115, "report": 0
    }  # fmt: skip


def test_an_edge_has_its_reasons(conn: Connection) -> None:
    plan = planned(
        conn,
        [
            *ran("load", 0, (), ("a", "b")), *ran("load", 1000, (), ("a", "b")),
            *ran("use", 20, ("a",), ("c",)), *ran("use", 2000, ("a", "b"), ("c",)),
        ],
    )  # fmt: skip
    [edge] = plan.edges
    assert [(each.dataset.name, each.first_seen, each.written, each.read, each.declared)
            for each in edge.reasons] == [
        ("a", "2026-01-01T00:00:20.000000Z", "2026-01-01T00:16:50.000000Z",
         "2026-01-01T00:33:30.000000Z", False),
        ("b", "2026-01-01T00:33:20.000000Z", "2026-01-01T00:16:50.000000Z",
         "2026-01-01T00:33:30.000000Z", False),
    ]  # fmt: skip


def test_a_job_that_reads_what_it_writes_is_reported_and_orders_nothing(conn: Connection) -> None:
    plan = planned(conn, ran("merge", 0, ("dim", "stage"), ("dim",)))
    assert [each.name for each in plan.jobs[0].own] == ["dim"]
    assert (plan.edges, plan.cycles) == ((), ())


def test_several_writers_are_reported_with_their_modes(conn: Connection) -> None:
    def written(mode: str) -> Any:
        return dataset("t", outputFacets={"lineage_write": {"mode": mode}})

    plan = planned(
        conn,
        [
            *ran("replace", 0, (), (written("overwrite"),)),
            *ran("add", 50, (), (written("append"),)),
            *ran("use", 100, ("t",), ("u",)),
        ],
    )
    assert [(each.job.name, each.last_written, each.modes) for each in plan.shared_outputs] == [
        ("replace", "2026-01-01T00:00:10.000000Z", ("overwrite",)),
        ("add", "2026-01-01T00:01:00.000000Z", ("append",)),
    ]
    assert ("add", "replace") not in pairs(plan)
    assert ("replace", "add") not in pairs(plan)


def changed(name: str, change: str) -> dict[str, Any]:
    """Return an output of a statement that removes or alters a table."""
    return dataset(name, lifecycleStateChange={"lifecycleStateChange": change})


@pytest.mark.parametrize("change", ["DROP", "TRUNCATE", "ALTER"])
def test_what_writes_no_rows_orders_nothing(conn: Connection, change: str) -> None:
    """A table that is removed after use, and one that its reader empties for the next load."""
    plan = planned(
        conn,
        [
            *ran("make", 0, (), ("tmp",)),
            *ran("use", 20, ("tmp",), ("x",)),
            *ran("clean", 40, (), (changed("tmp", change),)),
            *ran("publish", 60, ("x",), ("y", changed("tmp", change))),
        ],
    )
    assert pairs(plan) == {("make", "use"), ("use", "publish")}
    assert (plan.cycles, plan.shared_outputs) == ((), ())
    outputs = {each.job.name: [output.name for output in each.outputs] for each in plan.jobs}
    assert outputs == {"make": ["tmp"], "use": ["x"], "publish": ["y"]}
    assert [(each.job.name, each.reason) for each in plan.omitted_jobs] == [
        ("clean", "no place in the order")
    ]


def test_a_comment_on_a_table_makes_no_reader_stale(conn: Connection) -> None:
    events = [*ran("load", 0, (), ("orders",)), *ran("report", 20, ("orders",), ("r",)),
              *ran("comment", 40, (), (changed("orders", "ALTER"),))]  # fmt: skip
    assert planned(conn, events, stale=True).jobs == ()


def test_days_of_a_cycle_count_writes_of_rows(conn: Connection) -> None:
    """On the second day the writer only emptied the table before it was read."""
    events = []
    for days, written in enumerate(("q", changed("q", "TRUNCATE"))):
        events += _on_day(days, "load", 100, ("z",), (written,))
        events += _on_day(days, "score", 200, ("q",), ("z",))
    [cycle] = planned(conn, events).cycles
    assert [(step.before.name, step.days, step.days_after) for step in cycle.steps] == [
        ("load", 2, 1), ("score", 2, 0)
    ]  # fmt: skip


def test_failed_runs_order_nothing(conn: Connection) -> None:
    plan = planned(
        conn,
        [
            *ran("never", 0, ("a",), ("b",), end="FAIL"),
            *ran("load", 0, (), ("a",)),
            *ran("use", 20, ("a",), ("c",)),
            *ran("use", 40, ("d",), ("c",), end="FAIL"),
            *ran("other", 40, (), ("d",)),
        ],
    )
    assert pairs(plan) == {("load", "use")}
    assert [(each.job.name, each.reason) for each in plan.omitted_jobs] == [
        ("never", "no run succeeded")
    ]


@pytest.mark.parametrize("processing", ["STREAMING", "SERVICE"])
def test_streams_and_jobs_without_effect_are_omitted(conn: Connection, processing: str) -> None:
    stream = {"jobType": {"jobType": "JOB", "processingType": processing, "integration": "SPARK"}}
    plan = planned(
        conn,
        [
            *ran("load", 0, ("raw",), ("a",)),
            run_event("s", "RUNNING", 5, "stream", ("a",), ("b",), of_job=stream),
            *ran("use", 20, ("b",), ("c",)),
            *ran("look", 20, ("raw",), ()),
            *ran("see", 20, ("a",), ()),
        ],
    )
    assert levels(plan) == [["load", "use"], ["see"]]
    assert {(each.job.name, each.reason) for each in plan.omitted_jobs} == {
        ("stream", "stream"), ("look", "no place in the order")
    }  # fmt: skip


def test_an_ignored_job_has_no_place_in_the_order(conn: Connection) -> None:
    """Somebody corrected a base table by hand, from a report of it."""
    write_events(
        conn,
        [
            *ran("load", 0, ("raw",), ("base",)),
            *ran("report", 100, ("base",), ("rep",)),
            *ran("psql", 200, ("rep",), ("base",)),
        ],
    )
    assert planned(conn, []).cycles
    plan = planned(conn, [], ignore=["*/psql"])
    assert not plan.cycles
    assert levels(plan) == [["load"], ["report"]]
    assert [(each.job.name, each.reason) for each in plan.omitted_jobs] == [("psql", "ignored")]
    # The correction does not make the report stale.
    assert not planned(conn, [], ignore=["etl/psql"], stale=True).jobs
    # A job of the plan reads what it wrote.
    plan = planned(conn, [], "report", ignore=["*/psql"])
    assert [(each.job.name, each.reason) for each in plan.omitted_jobs] == [("psql", "ignored")]
    with pytest.raises(NotFound, match=r"etl/psql is ignored in the configuration\."):
        planned(conn, [], "psql", ignore=["*/psql"])
    with pytest.raises(NotFound, match="Only ignored jobs write s3://lake/rep: etl/report"):
        planned(conn, [], "s3://lake/rep", ignore=["*/report"])


def test_a_view_is_passed_through(conn: Connection) -> None:
    """The view and a view of it were made before the window; nobody writes them now."""
    plan = planned(
        conn,
        [
            *ran("make_view", 0, ("t",), (dataset("v", **VIEW),)),
            *ran("make_view_of_view", 100, ("v",), (dataset("w", **VIEW),)),
            *ran("load", 2000, (), ("t",)),
            *ran("use", 3000, ("w",), ("u",)),
            *ran("refresh", 3000, ("w",), ("t",)),
        ],
        since=time(1000),
    )
    assert pairs(plan) == {("load", "use"), ("refresh", "use"), ("load", "refresh")}
    [reason] = next(edge for edge in plan.edges if edge.before.name == "load").reasons
    assert (reason.dataset.name, reason.view and reason.view.name) == ("t", "w")
    assert [each.name for job in plan.jobs for each in job.own] == ["t"]


def test_the_inputs_of_a_view_are_those_of_its_newest_definition(conn: Connection) -> None:
    """The view read legacy; now legacy is made from a report of the view."""
    plan = planned(
        conn,
        [
            *ran("make_view", 0, ("legacy",), (dataset("v", **VIEW),)),
            # A definition that failed is none.
            *ran("make_view", 200, ("orders",), (dataset("v", **VIEW),)),
            *ran("make_view", 300, ("broken",), (dataset("v", **VIEW),), end="FAIL"),
            *ran("load", 2000, (), ("orders",)),
            *ran("use", 3000, ("v",), ("report",)),
            *ran("back", 4000, ("report",), ("legacy",)),
            *ran("fix", 4000, (), ("broken",)),
        ],
        since=time(1000),
    )
    assert pairs(plan) == {("load", "use"), ("use", "back")}


def test_another_job_may_define_a_view_again(conn: Connection) -> None:
    plan = planned(
        conn,
        [
            *ran("make_view", 0, ("legacy",), (dataset("v", **VIEW),)),
            *ran("make_view_2", 200, ("orders",), (dataset("v", **VIEW),)),
            *ran("load", 2000, (), ("orders",)),
            *ran("old", 2000, (), ("legacy",)),
            *ran("use", 3000, ("v",), ("report",)),
        ],
        since=time(1000),
    )
    assert pairs(plan) == {("load", "use")}


def test_a_materialized_view_has_rows(conn: Connection) -> None:
    """Its readers read what the last refresh wrote."""
    stored = dataset("mv", datasetType={"datasetType": "VIEW", "subType": "MATERIALIZED"})
    write_events(
        conn,
        [
            *ran("load", 0, (), ("orders",)),
            *ran("refresh", 100, ("orders",), (stored,)),
            *ran("report", 200, (stored,), ("r",)),
        ],
    )
    assert pairs(planned(conn, [])) == {("load", "refresh"), ("refresh", "report")}
    assert reasons(conn) == {}
    write_events(conn, [*ran("load", 300, (), ("orders",)), *ran("report", 400, (stored,), ("r",))])
    assert reasons(conn) == {
        "refresh": "s3://lake/orders was written at 2026-01-01T00:05:10.000000Z by etl/load",
        "report": "runs after etl/refresh",
    }


def test_aliases_are_one_dataset(conn: Connection) -> None:
    plan = planned(
        conn,
        [*ran("load", 0, (), (dataset("path/t", also=("db.t",)),)), *ran("use", 20, ("db.t",))],
    )
    assert pairs(plan) == {("load", "use")}


SPARK = {"jobType": {"jobType": "SQL_JOB", "processingType": "BATCH", "integration": "SPARK"}}
MODEL = {"jobType": {"jobType": "MODEL", "processingType": "BATCH", "integration": "DBT"}}
DBT = {"jobType": {"jobType": "JOB", "processingType": "BATCH", "integration": "DBT"}}
DAG = {"jobType": {"jobType": "DAG", "processingType": "BATCH", "integration": "AIRFLOW"}}
TASK = {"jobType": {"jobType": "TASK", "processingType": "BATCH", "integration": "AIRFLOW"}}


def folded() -> list[str]:
    """A DAG starts a task, the task a Spark application with two statements, and dbt two models."""
    return [
        *ran("dag", 0, seconds=500, of_job=DAG),
        *ran("dag.load", 1, seconds=100, parent=("dag-0", "dag"), of_job=TASK),
        *ran("app", 2, seconds=90, parent=("dag.load-1", "dag.load")),
        *ran("app.one", 10, ("raw",), ("mid",), parent=("app-2", "app"), of_job=SPARK),
        *ran("app.two", 30, ("mid",), ("clean",), parent=("app-2", "app"), of_job=SPARK),
        *ran("dbt-run", 200, seconds=200, parent=("dag-0", "dag"), of_job=DBT),
        *ran("stg", 210, ("clean",), ("stg",), parent=("dbt-run-200", "dbt-run"), of_job=MODEL),
        *ran("mart", 230, ("stg",), ("mart",), parent=("dbt-run-200", "dbt-run"), of_job=MODEL),
    ]


def test_the_unit_is_the_job_of_the_topmost_run_that_can_be_started_alone(
    conn: Connection,
) -> None:
    plan = planned(conn, folded())
    assert levels(plan) == [["dag.load"], ["stg"], ["mart"]]
    assert [(each.seconds, [own.name for own in each.own]) for each in plan.jobs] == [
        (100, ["mid"]), (10, []), (10, [])
    ]  # fmt: skip


def test_tasks_and_models_are_units_without_events_of_what_groups_them(conn: Connection) -> None:
    """Only the parent facets of its tasks and models name the DAG and the invocation of dbt."""
    parentless = [
        *ran("dag.load", 1, parent=("dag-0", "dag"), of_job=TASK, seconds=100),
        *ran("app", 2, ("raw",), ("clean",), seconds=90, parent=("dag.load-1", "dag.load")),
        *ran("dag.tidy", 110, ("clean",), ("tidy",), parent=("dag-0", "dag"), of_job=TASK),
        *ran("stg", 210, ("tidy",), ("stg",), parent=("dbt-run-200", "dbt-run"), of_job=MODEL),
        *ran("mart", 230, ("stg",), ("mart",), parent=("dbt-run-200", "dbt-run"), of_job=MODEL),
    ]
    plan = planned(conn, parentless)
    assert levels(plan) == [["dag.load"], ["dag.tidy"], ["stg"], ["mart"]]
    assert [each.seconds for each in plan.jobs] == [100, 10, 10, 10]
    rules = [UnitRule("etl/dag.*", "parent"), UnitRule("etl/mart", "parent")]
    folded = plan_jobs(Session.over(conn), options=PlanOptions(units=rules))
    assert levels(folded) == [["dag"], ["stg"], ["dbt-run"]]


def test_a_model_within_a_task_is_part_of_the_task(conn: Connection) -> None:
    model = {"parent": ("dag.dbt-1", "dag.dbt"), "of_job": MODEL}
    plan = planned(conn, [
        *ran("dag.dbt", 1, parent=("dag-0", "dag"), of_job=TASK, seconds=100),
        *ran("stg", 10, ("raw",), ("stg",), **model),
        *ran("mart", 30, ("stg",), ("mart",), **model),
    ])  # fmt: skip
    assert levels(plan) == [["dag.dbt"]]


@pytest.mark.parametrize("task_first", [True, False])
def test_a_task_has_the_name_that_it_reports(conn: Connection, task_first: bool) -> None:
    """Its models name it in another case."""
    task = ran("dag.dbt", 1, of_job=TASK, seconds=100)
    model = ran("stg", 10, ("raw",), ("stg",), parent=("dag.dbt-1", "Dag.Dbt"), of_job=MODEL)
    for events in (task, model) if task_first else (model, task):
        write_events(conn, events)
    assert levels(plan_jobs(Session.over(conn))) == [["dag.dbt"]]


def test_rules_decide_about_units(conn: Connection) -> None:
    own = planned(conn, folded(), units=[UnitRule("etl/app.*", "self")])
    assert levels(own) == [["app.one"], ["app.two"], ["stg"], ["mart"]]
    rules = [UnitRule("etl/st*", "parent"), UnitRule("etl/mart", "parent")]
    parent = plan_jobs(Session.over(conn), options=PlanOptions(units=rules))
    assert levels(parent) == [["dag.load"], ["dbt-run"]]


def test_designs_order_and_are_marked(conn: Connection) -> None:
    events = [*ran("load", 0, (), ("a",)), job_event(5, "later", ("a",), ("b",)),
              job_event(5, "last", ("b",), ("c",))]  # fmt: skip
    plan = planned(conn, events)
    assert levels(plan) == [["load"], ["later"], ["last"]]
    assert [each.declared for each in plan.jobs] == [False, True, True]
    assert all(reason.declared for edge in plan.edges for reason in edge.reasons)
    seen = plan_jobs(Session.over(conn), options=PlanOptions(observed=True))
    assert levels(seen) == [["load"]]


def test_names_select_what_must_run_before_or_after(conn: Connection) -> None:
    events = [
        *ran("a", 0, ("raw",), ("ta",)), *ran("b", 20, ("ta",), ("tb",)),
        *ran("c", 40, ("tb",), ("tc",)), *ran("d", 40, ("ta",), ("td",)),
    ]  # fmt: skip
    assert levels(planned(conn, events, "tb")) == [["a"], ["b"]]
    session = Session.over(conn)
    assert levels(plan_jobs(session, ["c"])) == [["a"], ["b"], ["c"]]
    assert levels(plan_jobs(session, ["ta"], "downstream")) == [["b", "d"], ["c"]]
    assert levels(plan_jobs(session, ["etl/b"], "downstream")) == [["c"]]
    assert levels(plan_jobs(session, ["tb", "td"])) == [["a"], ["b", "d"]]
    with pytest.raises(NotFound, match="No job wrote s3://lake/raw since"):
        plan_jobs(session, ["raw"])
    with pytest.raises(NotFound, match="No job read s3://lake/tc since"):
        plan_jobs(session, ["tc"], "downstream")


@pytest.mark.parametrize(
    ("name", "direction", "message"),
    [
        ("etl/live", "upstream", "etl/live is a stream: it runs all the time, outside the order."),
        ("etl/live", "downstream", "etl/live is a stream"),
        ("clicks", "upstream", "Only streams write s3://lake/clicks: etl/live and 1 more."),
        ("topic", "downstream", "Only a stream reads s3://lake/topic: etl/live."),
        ("etl/broken", "upstream", "All runs of etl/broken since 2025-12-02T.* failed."),
        ("lost", "upstream", "All runs that wrote s3://lake/lost since .* failed: etl/broken."),
        ("in", "downstream", "All runs that read s3://lake/in since .* failed: etl/broken."),
        ("etl/idle", "upstream", "No run of etl/idle read or wrote anything since"),
    ],
)
def test_a_name_without_a_place_in_the_order_has_the_cause(
    conn: Connection, name: str, direction: OneWay, message: str
) -> None:
    stream = {"jobType": {"jobType": "JOB", "processingType": "STREAMING", "integration": "SPARK"}}
    write_events(
        conn,
        [
            run_event("s", "RUNNING", 5, "live", ("topic",), ("clicks",), of_job=stream),
            run_event("t", "RUNNING", 5, "live_too", (), ("clicks",), of_job=stream),
            *ran("broken", 0, ("in",), ("lost",), end="FAIL"),
            *ran("idle", 0),
            *ran("load", 0, (), ("a",)),
        ],
    )
    with pytest.raises(NotFound, match=message) as raised:
        plan_jobs(Session.over(conn), [name], direction)
    assert "--" not in str(raised.value)


def test_the_name_of_a_group_selects_what_it_groups(conn: Connection) -> None:
    events = [*folded(), *ran("report", 300, ("mart",), ("r",)), *ran("other", 0, (), ("o",))]
    assert levels(planned(conn, events, "etl/dag")) == [["dag.load"], ["stg"], ["mart"]]
    session = Session.over(conn)
    assert levels(plan_jobs(session, ["etl/dbt-run"])) == [["dag.load"], ["stg"], ["mart"]]
    for group in ("etl/dag", "etl/dbt-run"):
        assert levels(plan_jobs(session, [group], "downstream")) == [["report"]]


def test_stale_jobs_are_those_with_a_new_input_and_all_after_them(conn: Connection) -> None:
    events = [
        *ran("load", 0, (), ("a",)), *ran("use", 20, ("a", "c"), ("b",)),
        *ran("last", 40, ("b",), ("out",)), *ran("other", 40, (), ("c",), end="COMPLETE"),
        *ran("fresh", 70, ("c",), ("d",)),
    ]  # fmt: skip
    plan = planned(conn, events, stale=True)
    assert {each.job.name: each.stale for each in plan.jobs} == {
        "use": "s3://lake/c was written at 2026-01-01T00:00:50.000000Z by etl/other",
        "last": "runs after etl/use",
    }
    # The reader runs again, and fails: that changes nothing. Then it runs well.
    write_events(conn, ran("use", 100, ("a", "c"), ("b",), end="FAIL"))
    assert levels(plan_jobs(Session.over(conn), options=PlanOptions(stale=True))) == [
        ["use"],
        ["last"],
    ]
    write_events(conn, ran("use", 200, ("a", "c"), ("b",)))
    assert levels(plan_jobs(Session.over(conn), options=PlanOptions(stale=True))) == [["last"]]


def reasons(conn: Connection, *names: str, direction: OneWay = "upstream") -> dict[str, str | None]:
    plan = plan_jobs(Session.over(conn), names, direction, PlanOptions(stale=True))
    return {each.job.name: each.stale for each in plan.jobs}


def scored(at: int, end: str) -> list[str]:
    """Return an application that reads ``a`` and then writes ``b``, which ends like the whole."""
    app = (f"score-{at}", "score")
    return [
        run_event(app[0], "START", at, "score"),
        *ran("score.collect", at + 1, ("a",), parent=app),
        *ran("score.write", at + 20, ("a",), ("b",), end=end, parent=app),
        run_event(app[0], end, at + 40, "score"),
    ]


def test_a_read_of_a_failed_application_does_not_count(conn: Connection) -> None:
    write_events(conn, [*ran("load", 0, (), ("a",)), *scored(100, "COMPLETE")])
    write_events(conn, [*ran("load", 1000, (), ("a",)), *scored(1100, "FAIL")])
    again = {"score": "s3://lake/a was written at 2026-01-01T00:16:50.000000Z by etl/load"}
    assert reasons(conn) == again
    write_events(conn, scored(1200, "COMPLETE"))
    assert reasons(conn) == {}


def test_an_application_without_an_end_of_its_own_ends_with_its_statements(
    conn: Connection,
) -> None:
    app = ("app-100", "app")
    events = [*ran("load", 0, (), ("a",)),
              *ran("app.write", 120, ("a",), ("b",), parent=app)]  # fmt: skip
    write_events(conn, events)
    assert reasons(conn) == {}
    write_events(conn, ran("load", 200, (), ("a",)))
    assert list(reasons(conn)) == ["app"]


@pytest.mark.parametrize("state", ["START", "RUNNING"])
def test_a_run_without_an_end_has_written_nothing_yet(conn: Connection, state: str) -> None:
    """A run that writes row by row reports no end either, but another state."""
    write_events(conn, [*ran("load", 0, (), ("a",)), *ran("use", 20, ("a",), ("b",))])
    write_events(conn, [run_event("load-100", state, 100, "load", (), ("a",))])
    assert reasons(conn) == {}
    write_events(conn, [run_event("load-100", "COMPLETE", 160, "load", (), ("a",))])
    assert reasons(conn) == {
        "use": "s3://lake/a was written at 2026-01-01T00:02:40.000000Z by etl/load"
    }
    write_events(conn, [*ran("use", 200, ("a",), ("b",)),
                        run_event("load-300", "OTHER", 300, "load", (), ("a",))])  # fmt: skip
    assert list(reasons(conn)) == ["use"]


def test_a_view_is_never_stale_but_its_readers_are(conn: Connection) -> None:
    write_events(
        conn,
        [
            *ran("make_view", 0, ("orders",), (dataset("v", **VIEW),)),
            *ran("load", 100, ("raw",), ("orders",)),
            *ran("report", 200, ("v",), ("r",)),
        ],
    )
    assert reasons(conn) == {}
    write_events(conn, ran("load", 300, ("raw",), ("orders",)))
    new = "s3://lake/orders was written at 2026-01-01T00:05:10.000000Z by etl/load"
    assert reasons(conn) == {"report": new}
    write_events(conn, ran("fetch", 400, (), ("raw",)))
    assert reasons(conn) == {
        "load": "s3://lake/raw was written at 2026-01-01T00:06:50.000000Z by etl/fetch",
        "report": new,
    }
    # The view is made again, perhaps in another way. Its readers must run, not what it is made of.
    write_events(conn, [
        *ran("load", 500, ("raw",), ("orders",)), *ran("report", 600, ("v",), ("r",)),
        *ran("make_view", 700, ("orders",), (dataset("v", **VIEW),)),
    ])  # fmt: skip
    assert reasons(conn) == {
        "report": "s3://lake/v was written at 2026-01-01T00:11:50.000000Z by etl/make_view"
    }


def test_a_view_without_a_completed_definition_is_in_the_plan(conn: Connection) -> None:
    write_events(conn, [*ran("load", 0, (), ("orders",)),
                        run_event("v-20", "START", 20, "make_view", ("orders",),
                                  (dataset("v", **VIEW),)),
                        *ran("report", 40, ("v",), ("r",))])  # fmt: skip
    assert reasons(conn) == {
        "make_view": "no run of it completed", "report": "runs after etl/make_view"
    }  # fmt: skip


def chain() -> list[str]:
    """Return two chains that meet; the input of ``mid`` was then written again."""
    return [
        *ran("load_1", 0, (), ("a1",)), *ran("load_2", 0, (), ("a2",)),
        *ran("mid", 20, ("a2",), ("b2",)), *ran("final", 40, ("a1", "b2"), ("c",)),
        *ran("use", 60, ("c",), ("d",)), *ran("load_2", 80, (), ("a2",)),
    ]  # fmt: skip


def test_a_part_of_the_order_has_the_reasons_of_the_whole(conn: Connection) -> None:
    write_events(conn, chain())
    whole = {
        "mid": "s3://lake/a2 was written at 2026-01-01T00:01:30.000000Z by etl/load_2",
        "final": "runs after etl/mid",
        "use": "runs after etl/final",
    }
    assert reasons(conn) == whole
    assert reasons(conn, "d") == whole
    after = {job: whole[job] for job in ("final", "use")}
    assert reasons(conn, "b2", direction="downstream") == after
    assert reasons(conn, "a1", direction="downstream") == after
    assert reasons(conn, "etl/final", direction="downstream") == {"use": whole["use"]}


def test_a_view_of_another_part_is_named_in_a_reason(conn: Connection) -> None:
    write_events(conn, [
        *ran("make_view", 0, ("t",), (dataset("v", **VIEW),)), *ran("fetch", 20, (), ("p",)),
        *ran("use", 40, ("v", "p"), ("u",)), *ran("load", 60, (), ("t",)),
    ])  # fmt: skip
    assert reasons(conn, "p", direction="downstream") == {
        "use": "s3://lake/t was written at 2026-01-01T00:01:10.000000Z by etl/load"
    }


def test_a_cycle_above_a_part_makes_all_after_it_stale(conn: Connection) -> None:
    events = [*ran("x", 0, ("p",), ("q",)), *ran("y", 20, ("q",), ("p",)),
              *ran("a", 40, ("p", "s"), ("t",)), *ran("b", 60, ("t",), ("u",)),
              *ran("x", 80, ("p",), ("q",))]  # fmt: skip
    write_events(conn, events)
    assert reasons(conn, "s", direction="downstream") == {
        "a": "runs after etl/y", "b": "runs after etl/a"
    }  # fmt: skip


def test_a_merge_does_not_make_itself_stale(conn: Connection) -> None:
    assert planned(conn, ran("merge", 0, ("t",), ("t",)), stale=True).jobs == ()


def test_a_cycle_is_answered_by_its_shortest_way_with_datasets_and_days(conn: Connection) -> None:
    events = []
    for days in range(4):
        events += _on_day(days, "load_q", 100, ("z",), ("q",))
        events += _on_day(days, "score", 50 if days else 200, ("q",), ("z",))
        events += _on_day(days, "side", 300, ("z",), ("s",))
        events += _on_day(days, "back", 400, ("s",), ("q",))
    plan = planned(conn, events)
    [cycle] = plan.cycles
    assert [job.name for job in cycle.jobs] == ["back", "load_q", "score", "side"]
    assert [(step.before.name, step.after.name, [each.name for each in step.datasets],
             step.days, step.days_after) for step in cycle.steps] == [
        ("load_q", "score", ["q"], 4, 1), ("score", "load_q", ["z"], 4, 3),
    ]  # fmt: skip
    assert cycle.feedback is not None
    assert cycle.feedback.name == "q"
    assert (plan.jobs_by_level, plan.critical_path) == ((), ())
    freed = plan_jobs(Session.over(conn), options=PlanOptions(feedback=["q"]))
    assert levels(freed) == [["score"], ["load_q", "side"], ["back"]]
    assert [(each.dataset.name, each.pairs) for each in freed.feedback] == [("q", 2)]


def _on_day(
    days: int, job: str, second: int, reads: tuple[Any, ...], writes: tuple[Any, ...]
) -> list[str]:
    events = ran(f"{job}", second, reads, writes)
    return [
        each.replace("2026-01-01T", f"2026-01-{days + 1:02}T").replace(
            f'"{job}-{second}"', f'"{job}-{days}-{second}"'
        )
        for each in events
    ]


def test_a_cycle_elsewhere_does_not_matter(conn: Connection) -> None:
    events = [*ran("x", 0, ("p",), ("q",)), *ran("y", 0, ("q",), ("p",)),
              *ran("a", 0, (), ("ta",)), *ran("b", 20, ("ta",), ("tb",))]  # fmt: skip
    assert planned(conn, events).cycles
    assert levels(plan_jobs(Session.over(conn), ["tb"])) == [["a"], ["b"]]


def test_workers_limit_what_runs_at_once(conn: Connection) -> None:
    events = [*ran("a", 0, (), ("ta",), 30), *ran("b", 0, (), ("tb",), 20),
              *ran("c", 0, (), ("tc",), 10), *ran("d", 50, ("tc",), ("td",), 40)]  # fmt: skip
    one = planned(conn, events, workers=1)
    assert (one.seconds, one.critical_seconds) == (100, 50)
    two = plan_jobs(Session.over(conn), options=PlanOptions(workers=2))
    # c and d take longest together, so c begins at once; when it ends, d precedes b.
    assert {each.job.name: each.starts for each in two.jobs} == {"c": 0, "a": 0, "d": 10, "b": 30}
    assert two.seconds == 50


def test_an_empty_graph_has_no_order(conn: Connection) -> None:
    with pytest.raises(NotFound, match="There are no jobs"):
        plan_jobs(Session.over(conn))


def test_a_window_without_runs_has_an_empty_order(conn: Connection) -> None:
    plan = planned(conn, ran("load", 0, (), ("a",)), since="2026-01-02T00:00:00Z")
    assert (plan.jobs, plan.edges, plan.jobs_by_level) == ((), (), ())


def test_a_parent_is_selected_without_a_scan_of_all_runs(conn: Connection) -> None:
    """Tables that were just filled have no statistics."""
    runs = 200
    write_events(
        conn,
        [
            event
            for n in range(runs)
            for event in ran(
                f"load{n}", n, ("raw",), (f"t{n}",), parent=(f"dag-{n}", f"dag{n}"), of_job=TASK
            )
        ],
    )
    statement = "EXPLAIN (ANALYZE, FORMAT JSON) " + accesses._SELECT_ACCESSES.text
    [(plan,)] = conn.execute(statement, {"since": time(0)}).fetchall()
    read = sum(
        each["Actual Rows"] * each["Actual Loops"]
        for each in plan_nodes(plan[0]["Plan"])
        if each.get("Relation Name") == "execution"
    )
    assert read <= 5 * runs
