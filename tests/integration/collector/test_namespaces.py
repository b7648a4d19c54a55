"""Tokens for some namespaces: permitted and forbidden changes, for each way of ingestion."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import dataset, dataset_event, derived, time

from lineage.maintenance.archive_runs import archive_runs
from lineage.maintenance.retention import prune_months
from lineage.projection import archived_runs
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from pathlib import Path

    from support.fixtures.collectors import Collector

LINEAGE = "/api/v1/lineage"
BATCH = f"{LINEAGE}/batch"
PLANS = "/api/v1/plan-documents"
OURS, THEIRS = "s3://ours", "s3://theirs"
SCHEMA = {"fields": [{"name": "x", "type": "int"}]}


def run_event(namespace: str, run: str, type: str, at: int, **more: Any) -> str:
    event: dict[str, Any] = {
        "eventTime": time(at),
        "eventType": type,
        "run": {"runId": run, "facets": more.pop("run_facets", {})},
        "job": {"namespace": namespace, "name": more.pop("job", "load"), "facets": {}},
    }
    return json.dumps(event | more)


def parent(run: str, namespace: str, job: str) -> dict[str, Any]:
    return {"parent": {"run": {"runId": run}, "job": {"namespace": namespace, "name": job}}}


def also(namespace: str, name: str, other: str, alias: str) -> dict[str, Any]:
    identifiers = [{"namespace": other, "name": alias, "type": "TABLE"}]
    return dataset(name, namespace=namespace, symlinks={"identifiers": identifiers})


def job_event(namespace: str, **more: Any) -> str:
    job = {"namespace": namespace, "name": "load", "facets": more.pop("facets", {})}
    return json.dumps({"eventTime": time(9), "job": job} | more)


class Team:
    """A client with its own token."""

    def __init__(self, collector: Collector, name: str, *namespaces: str) -> None:
        options = [option for each in namespaces for option in ("--namespace", each)]
        command = ["token", "add", name, *options, "--dsn", collector.dsn]
        self._secret = CliRunner().invoke(main, command).stdout.strip()
        self._collector = collector

    def post(self, body: str, path: str = LINEAGE) -> Any:
        kind = "application/x-ndjson" if path == PLANS else "application/json"
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": kind}
        return self._collector.post(path, body, **headers)

    def may(self, body: str, path: str = LINEAGE) -> bool:
        answer = self.post(body, path)
        assert answer.status_code in (200, 201, 403), answer.text
        return bool(answer.status_code != 403)


@pytest.fixture
def ours(guarded: Collector) -> Team:
    return Team(guarded, "ours", "ours", OURS)


@pytest.fixture
def theirs(guarded: Collector) -> Team:
    return Team(guarded, "theirs", "theirs", THEIRS)


@pytest.fixture
def anybody(guarded: Collector) -> Team:
    return Team(guarded, "anybody")


THEIR_RUN = run_event(
    "theirs", "their run", "START", 1, outputs=[dataset("t", namespace=THEIRS, schema=SCHEMA)]
)
THEIR_JOB = {"type": "JOB", "namespace": "theirs", "name": "load"}

ALLOWED = {
    "a run": run_event("ours", "r", "COMPLETE", 2),
    "a run that reads and writes others' datasets": run_event(
        "ours", "r", "COMPLETE", 2,
        inputs=[dataset("t", namespace=THEIRS, inputFacets={"inputStatistics": {"rowCount": 1}})],
        outputs=[dataset("t", namespace=THEIRS, outputFacets={"outputStatistics": {"size": 1}})],
    ),
    "columns that come from others' datasets": run_event(
        "ours", "r", "COMPLETE", 2,
        outputs=[dataset("o", namespace=OURS, columnLineage=derived(("x", "t", "x")))],
    ),
    "their job that feeds its job": job_event(
        "ours", facets={"lineage": {"entries": [{"type": "JOB", "inputs": [THEIR_JOB]}]}}
    ),
    "facets of its datasets": run_event(
        "ours", "r", "COMPLETE", 2, outputs=[dataset("o", namespace=OURS, schema=SCHEMA)]
    ),
    "another name of its dataset": run_event(
        "ours", "r", "COMPLETE", 2, outputs=[also(OURS, "o", OURS, "o2")]
    ),
    "a child of their run": run_event(
        "ours", "r", "START", 2, run_facets=parent("their run", "theirs", "load")
    ),
    "a child of their run, whose job is not named": run_event(
        "ours", "r", "START", 2, run_facets={"parent": {"run": {"runId": "their run"}}}
    ),
    "a child of a run that nobody has used": run_event(
        "ours", "r", "START", 2, run_facets=parent("unknown", "theirs", "schedule")
    ),
    "its job": job_event("ours", facets={"ownership": {"owners": [{"name": "us"}]}}),
    "its job, which reads others' datasets": job_event(
        "ours", inputs=[dataset("t", namespace=THEIRS)]
    ),
    "its dataset": dataset_event(9, dataset("o", namespace=OURS, schema=SCHEMA)),
    "a facet that is null": run_event(
        "ours", "r", "COMPLETE", 2, inputs=[dataset("t", namespace=THEIRS, schema=None)]
    ),
}  # fmt: skip

FORBIDDEN = {
    "their run, with their job": (
        run_event("theirs", "their run", "FAIL", 2), 'namespace "theirs"',
    ),
    "their run, with our job": (
        run_event("ours", "their run", "FAIL", 2), 'run "their run" of namespace "theirs"',
    ),
    "their job": (job_event("theirs"), 'namespace "theirs"'),
    "facets of their job": (
        job_event("theirs", facets={"ownership": {"owners": [{"name": "us"}]}}),
        'namespace "theirs"',
    ),
    "a job that feeds their job": (
        job_event("ours", facets={"lineage": {"entries": [
            {**THEIR_JOB, "inputs": [{"type": "JOB"}]}
        ]}}),
        'the lineage of job "load" in namespace "theirs"',
    ),
    "their dataset": (
        dataset_event(9, dataset("t", namespace=THEIRS)), f'namespace "{THEIRS}"',
    ),
    "another name for their dataset": (
        dataset_event(9, also(THEIRS, "t", OURS, "o")), f'namespace "{THEIRS}"',
    ),
    "their dataset as another name": (
        run_event("ours", "r", "COMPLETE", 2, outputs=[also(OURS, "o", THEIRS, "t")]),
        f'the name "t" in namespace "{THEIRS}"',
    ),
    "their dataset as another name of an input": (
        run_event("ours", "r", "COMPLETE", 2, inputs=[also(OURS, "o", THEIRS, "t")]),
        f'the name "t" in namespace "{THEIRS}"',
    ),
    "their dataset as another name, in a job": (
        job_event("ours", outputs=[also(OURS, "o", THEIRS, "t")]),
        f'the name "t" in namespace "{THEIRS}"',
    ),
    "their dataset as another name, in a dataset": (
        dataset_event(9, also(OURS, "o", THEIRS, "t")), f'the name "t" in namespace "{THEIRS}"',
    ),
    "a job that is not that of their run, as parent": (
        run_event("ours", "r", "START", 2, run_facets=parent("their run", "theirs", "other")),
        'parent run "their run": it is not of job "other" in namespace "theirs"',
    ),
    "our job as that of their run, as parent": (
        run_event("ours", "r", "START", 2, run_facets=parent("their run", "ours", "load")),
        'parent run "their run": it is not of job "load" in namespace "ours"',
    ),
    "their job as that of our run, as parent": (
        run_event("ours", "r", "START", 2, run_facets=parent("r", "theirs", "load")),
        'parent run "r": it is not of job "load" in namespace "theirs"',
    ),
} | {
    f"{facet} of their dataset, as {side}": (
        run_event("ours", "r", "COMPLETE", 2, **{side: [dataset("t", namespace=THEIRS, **body)]}),
        f'the facet "{facet}" of dataset "t" in namespace "{THEIRS}"',
    )
    for side in ("inputs", "outputs")
    for facet, body in {
        "schema": {"schema": SCHEMA},
        "documentation": {"documentation": {"_deleted": True}},
        "ownership": {"ownership": {"owners": [{"name": "us"}]}},
        "tags": {"tags": {"tags": [{"key": "pii", "value": "false"}]}},
        "columnLineage": {"columnLineage": derived(("x", "t", "x"))},
        "lineage": {"lineage": {"inputs": []}},
        "lifecycleStateChange": {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}},
        "symlinks": {"symlinks": {"identifiers": [{"namespace": OURS, "name": "o"}]}},
        "version": {"version": {"datasetVersion": "9"}},
    }.items()
}  # fmt: skip


@pytest.mark.parametrize("event", ALLOWED.values(), ids=ALLOWED)
def test_what_a_token_may_change(theirs: Team, ours: Team, event: str) -> None:
    assert theirs.may(THEIR_RUN)
    assert ours.may(event)
    report = ours.post(f"[{event}]", BATCH).json()
    assert (report["status"], report["failed_events"]) == ("success", [])


def test_what_a_token_may_not_change(guarded: Collector, theirs: Team, ours: Team) -> None:
    assert theirs.may(THEIR_RUN)
    with guarded.drawn() as conn:
        before = graph_fingerprint(conn)
    for name, (event, what) in FORBIDDEN.items():
        answer = ours.post(event)
        error = answer.json()["error"] if answer.status_code == 403 else answer.text
        assert error["message"] == f'The token "ours" does not cover {what}.', name
        assert error["hint"].startswith("Its namespaces are: "), name
    with guarded.drawn() as conn:
        assert graph_fingerprint(conn) == before


def test_in_a_batch_each_event_is_rejected_alone(
    guarded: Collector, theirs: Team, ours: Team
) -> None:
    assert theirs.may(THEIR_RUN)
    good = [run_event("ours", f"r{n}", "COMPLETE", n) for n in range(len(FORBIDDEN))]
    events = [
        event
        for pair in zip(good, FORBIDDEN.values(), strict=True)
        for event in (pair[0], pair[1][0])
    ]
    report = ours.post(f"[{','.join(events)}]", BATCH).json()
    assert report["summary"]["successful"] == len(FORBIDDEN)
    assert {each["index"]: each["reason"] for each in report["failed_events"]} == {
        2 * n + 1: f'The token "ours" does not cover {what}.'
        for n, (_, what) in enumerate(FORBIDDEN.values())
    }
    with guarded.drawn() as conn:
        [(state,)] = conn.execute("SELECT state FROM lineage.run WHERE run_id = 'their run'")
    assert state == "START"


def test_a_run_is_of_who_used_it_first(guarded: Collector, ours: Team, anybody: Team) -> None:
    """The first may be an unrestricted token or a file, and its event may not be projected yet."""
    with psycopg.connect(guarded.dsn) as conn:
        conn.execute("LOCK TABLE lineage.run IN ACCESS EXCLUSIVE MODE")  # blocks the projection
        assert anybody.may(run_event("theirs", "r1", "START", 1))
        assert not ours.may(run_event("ours", "r1", "FAIL", 2))
        assert ours.may(run_event("ours", "r2", "START", 1))
        assert anybody.may(run_event("theirs", "r2", "RUNNING", 0))  # an unrestricted token
        assert ours.may(run_event("ours", "r2", "COMPLETE", 3))
    CliRunner().invoke(
        main, ["ingest", "-", "--dsn", guarded.dsn], input=run_event("theirs", "r3", "START", 1)
    )
    assert not ours.may(run_event("ours", "r3", "FAIL", 2))


def test_a_false_event_time_does_not_change_the_owner_of_a_run(anybody: Team, ours: Team) -> None:
    assert anybody.may(run_event("theirs", "r1", "START", 100))
    assert not ours.may(run_event("ours", "r1", "START", 1))


def test_what_a_month_dropped_from_the_log_reported_is_known(
    guarded: Collector, ours: Team, anybody: Team
) -> None:
    assert anybody.may(run_event("theirs", "r1", "START", 1))
    with guarded.drawn() as conn:
        assert prune_months(conn, "2026-02-01").events == 1
    assert not ours.may(run_event("ours", "r1", "FAIL", 2))


def test_an_archived_run_still_has_its_owner(
    guarded: Collector,
    ours: Team,
    anybody: Team,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    for run, at in (("r1", 1), ("r2", 2)):
        assert anybody.may(run_event("theirs", run, "COMPLETE", at))
    with guarded.drawn() as conn:
        assert [file.runs for file in archive_runs(conn, "2026-02-01", str(tmp_path))] == [1]
        prune_months(conn, "2026-02-01")
    for run in ("r1", "r2"):
        assert not ours.may(run_event("ours", run, "FAIL", 3))


def test_of_two_at_once_one_gets_a_run(guarded: Collector, ours: Team, theirs: Team) -> None:
    for n in range(10):
        teams = [(ours, "ours"), (theirs, "theirs")] * 2
        with ThreadPoolExecutor(len(teams)) as threads:
            may = list(
                threads.map(
                    lambda t: t[0].may(run_event(t[1], f"r{n}", "START", 1)),  # noqa: B023
                    teams,
                )
            )
        assert may in ([True, False] * 2, [False, True] * 2)
        winner, loser = (ours, theirs) if may[0] else (theirs, ours)
        names = ("ours", "theirs") if may[0] else ("theirs", "ours")
        assert winner.may(run_event(names[0], f"r{n}", "COMPLETE", 2))
        assert not loser.may(run_event(names[1], f"r{n}", "FAIL", 2))


def test_another_token_is_authorized_separately(guarded: Collector) -> None:
    """A token for both namespaces may use a run in both, which does not change its owner."""
    both, one = Team(guarded, "both", "a", "b"), Team(guarded, "one", "b")
    assert both.may(run_event("a", "r", "START", 1))
    assert both.may(run_event("b", "r", "RUNNING", 2))
    assert not one.may(run_event("b", "r", "FAIL", 3))


def child(run: str, namespace: str, job: str) -> str:
    return run_event("ours", f"{run}, of {job}", "START", 2, run_facets=parent(run, namespace, job))


def test_a_run_that_is_named_as_parent_is_of_that_job(
    guarded: Collector, ours: Team, theirs: Team
) -> None:
    """Otherwise a client could name a run of their job as parent, and report its failure."""
    assert ours.may(child("r1", "theirs", "load"))
    assert not ours.may(run_event("ours", "r1", "FAIL", 3))
    batch = [child("r2", "theirs", "load"), run_event("ours", "r2", "FAIL", 3)]
    report = ours.post(f"[{','.join(batch)}]", BATCH).json()
    assert report["summary"]["failed"] == 1
    with guarded.drawn() as conn:
        states = conn.execute(
            "SELECT r.run_id, r.state FROM lineage.run r JOIN lineage.execution x ON x.run = r.id "
            "JOIN lineage.job j ON j.id = x.job WHERE j.namespace = 'theirs'"
        ).fetchall()
    assert states == [("r1", None)]


def test_a_run_that_is_named_as_parent_is_theirs_to_use(ours: Team, theirs: Team) -> None:
    """Its own events determine its job; until then it may have several."""
    assert ours.may(child("r1", "theirs", "load"))
    assert ours.may(child("r1", "theirs", "load (nightly)"))
    assert theirs.may(run_event("theirs", "r1", "START", 1))
    assert ours.may(child("r1", "theirs", "load"))
    assert not ours.may(child("r1", "theirs", "other"))
    assert not ours.may(child("r1", "ours", "load"))
    assert theirs.may(run_event("theirs", "r1", "COMPLETE", 3))


def test_a_rejected_event_names_no_parent(ours: Team, theirs: Team) -> None:
    assert theirs.may(run_event("theirs", "r1", "START", 1))
    assert not ours.may(run_event("ours", "r1", "FAIL", 2, run_facets=parent("r2", "ours", "a")))
    assert theirs.may(run_event("theirs", "r2", "START", 1))


def test_the_first_job_of_a_run_in_a_batch_is_its_job(ours: Team, theirs: Team) -> None:
    jobs = [run_event("theirs", "r1", "START", 1, job=job) for job in ("first", "second")]
    assert theirs.post(f"[{','.join(jobs)}]", BATCH).json()["status"] == "success"
    assert ours.may(child("r1", "theirs", "first"))
    assert not ours.may(child("r1", "theirs", "second"))


@pytest.mark.parametrize("namespace", ["kafka://[::1]:9092", "a?c"])
def test_the_namespace_of_a_token_is_compared_literally(guarded: Collector, namespace: str) -> None:
    team = Team(guarded, "team", namespace)
    assert team.may(run_event(namespace, "r", "START", 1))
    assert not team.may(run_event("abc", "r2", "START", 1))


APPLICATION = "0196f5a0-0000-7000-8000-000000000001"


def document(namespace: str, run: str = APPLICATION, **more: object) -> str:
    app = {"run": run, "name": "nightly", "namespace": namespace, **more}
    start = {"lineage": 1, "kind": "application_start", "time": 1_767_225_600_000, "app": app}
    return json.dumps(start)


def test_an_application_is_of_who_used_it_first(ours: Team, theirs: Team) -> None:
    assert theirs.may(document("theirs"), PLANS)
    answer = ours.post(document("ours"), PLANS)
    assert answer.status_code == 403
    assert f'run "{APPLICATION}" of namespace "theirs"' in answer.json()["error"]["message"]
    assert not ours.may(document("theirs"), PLANS)
    assert not ours.may(run_event("ours", APPLICATION, "FAIL", 2))
    assert theirs.may(document("theirs", host="other"), PLANS)
    other = APPLICATION[:-1] + "2"
    assert ours.may(run_event("ours", other, "START", 2))
    assert not theirs.may(document("theirs", other), PLANS)


def set_aside(guarded: Collector) -> list[str]:
    with guarded.drawn() as conn:
        rows = conn.execute("SELECT reason FROM lineage.plan_document_queue").fetchall()
        return [reason for (reason,) in rows]


def test_a_run_that_an_application_names_as_parent_is_of_that_job(
    guarded: Collector, ours: Team
) -> None:
    parent = {"OPENLINEAGE_PARENT_ID": f"theirs/load/{APPLICATION}"}
    assert ours.may(document("ours", APPLICATION[:-1] + "8", settings=parent), PLANS)
    assert set_aside(guarded) == []
    assert not ours.may(run_event("ours", APPLICATION, "FAIL", 2))


def test_what_a_document_gives_may_change_no_other_namespace(
    guarded: Collector, ours: Team, theirs: Team
) -> None:
    run = APPLICATION[:-1] + "9"
    assert theirs.may(run_event("theirs", run, "START", 1))
    parent = {"OPENLINEAGE_PARENT_ID": f"theirs/other/{run}"}
    assert ours.may(document("ours", settings=parent), PLANS)
    [reason] = set_aside(guarded)
    assert "does not cover parent run" in reason
    replayed = CliRunner().invoke(main, ["replay", "--spark", "--dsn", guarded.dsn])
    assert replayed.exit_code == 0, replayed.output
    assert set_aside(guarded) == [reason]
    with guarded.drawn() as conn:
        found = conn.execute("SELECT run_id FROM lineage.run").fetchall()
    assert found == [(run,)]
