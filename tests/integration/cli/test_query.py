"""Output of ``lineage query``, ``show``, ``runs``, ``cypher`` and ``queries``."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import networkx
import psycopg
import pytest
from click.shell_completion import ShellComplete
from lineage_cli import main
from psycopg import sql
from support.events.builders import dataset, derived, run_event
from support.formats.dot import read_dot
from support.services.command_line import answer, graph_of, run

from lineage.eventlog.log import queue_events
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCHEMA = {"fields": [{"name": "total", "type": "bigint"}]}

# orders ─┬─ clean ──▶ staged ──▶ report ──▶ revenue          broken ──▶ (failed) ──▶ loss
# rates ──┴──────────────────────────▲
EVENTS = [
    run_event("r1", "START", 0, "clean", reads=("raw/orders",), writes=("staged/orders",)),
    run_event("r1", "COMPLETE", 60, "clean"),
    run_event(
        "r2",
        "COMPLETE",
        120,
        "report",
        reads=("staged/orders", "raw/rates"),
        writes=(dataset("gold/revenue", also=("db.revenue",), schema=SCHEMA),),
    ),
    run_event("r3", "START", 180, "losses", reads=("staged/orders",), writes=("gold/loss",)),
    run_event("r3", "FAIL", 200, "losses", errorMessage={"message": "no disk\nat all"}),
]

_graph = graph_of(EVENTS)


def test_upstream_is_printed_as_a_tree():
    assert answer("query", "revenue").splitlines() == [
        "s3://lake/gold/revenue",
        "├── s3://lake/raw/rates  [report, 2026-01-01 00:02:00Z]",
        "└── s3://lake/staged/orders  [report, 2026-01-01 00:02:00Z]",
        "    └── s3://lake/raw/orders  [clean, 2026-01-01 00:01:00Z]",
    ]


def test_downstream_leaves_out_what_a_failed_run_was_to_make():
    assert answer("query", "staged/orders", "--downstream").splitlines() == [
        "s3://lake/staged/orders",
        "└── s3://lake/gold/revenue  [report, 2026-01-01 00:02:00Z]",
    ]


def test_both_directions_have_a_title_each():
    lines = answer("query", "staged/orders", "--upstream", "--downstream").splitlines()
    assert [line for line in lines if line.isupper()] == ["UPSTREAM", "DOWNSTREAM"]


def test_depth_ends_the_trace():
    assert "raw/orders" not in answer("query", "revenue", "--depth", "1")
    assert "is not in the range" in run("query", "revenue", "--depth", "99999999999").stderr


def test_each_edge_is_a_row():
    rows = json.loads(answer("query", "db.revenue", "--format", "json"))
    assert [(r["distance"], r["source"], r["target"], r["job"], r["runs"]) for r in rows] == [
        (1, "s3://lake/raw/rates", "s3://lake/gold/revenue", "etl/report", 1),
        (1, "s3://lake/staged/orders", "s3://lake/gold/revenue", "etl/report", 1),
        (2, "s3://lake/raw/orders", "s3://lake/staged/orders", "etl/clean", 1),
    ]
    lines = answer("query", "db.revenue", "--format", "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == rows


def test_a_source_has_nothing_upstream_and_says_so():
    first, said = answer("query", "raw/rates").splitlines()
    assert first == "s3://lake/raw/rates"
    assert said.startswith("It has no upstream datasets: no run that completed or is running")


def test_at_a_time_the_answer_goes_by_runs_back_to_the_sources():
    assert answer("query", "at", "revenue", "2026-01-01T00:10:00Z").splitlines() == [
        "s3://lake/gold/revenue  at 2026-01-01 00:10:00Z",
        "└── s3://lake/gold/revenue  [report, 2026-01-01 00:02:00Z, run r2, by time]",
        "    ├── s3://lake/raw/rates  [no known writer]",
        "    └── s3://lake/staged/orders  [clean, 2026-01-01 00:00:00Z, run r1, by time]",
        "        └── s3://lake/raw/orders  [no known writer]",
    ]
    assert answer("query", "at", "revenue", "2026-01-01 00:01:59Z").splitlines() == [
        "s3://lake/gold/revenue  at 2026-01-01 00:01:59Z",
        "No known run had written it by then.",
    ]


def test_of_a_run_the_answer_is_what_it_read_even_if_it_failed():
    assert answer("query", "run", "r3", "--depth", "1").splitlines() == [
        "run r3  [FAIL]",
        "└── s3://lake/staged/orders  [clean, 2026-01-01 00:00:00Z, run r1, by time]",
    ]
    rows = json.loads(answer("query", "run", "r3", "--format", "json"))
    assert [
        (r["distance"], r["reader"], r["dataset"], r["writer"], r["matched_by"]) for r in rows
    ] == [
        (1, "etl/losses", "s3://lake/staged/orders", "etl/clean", "by time"),
        (2, "etl/clean", "s3://lake/raw/orders", None, None),
    ]
    assert [(r["runs"], r["run"], r["perhaps"], r["omitted"]) for r in rows] == [
        (1, "r1", 0, 0),
        (0, None, 0, 0),
    ]
    rows = json.loads(answer("query", "run", "r3", "--runs", "--format", "json"))
    assert [
        (r["distance"], r["reader"], r["dataset"], r["writer"], r["matched_by"]) for r in rows
    ] == [
        (1, "r3", "s3://lake/staged/orders", "r1", "by time"),
        (2, "r1", "s3://lake/raw/orders", None, None),
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["at", "revenue", "yesterday"], 2, 'The time "yesterday" is not an ISO 8601 date and'),
        (["at", "revenue", "--downstream"], 2, "No such option"),
        (["at"], 2, 'For a dataset with the name "at": lineage query dataset at'),
        (["at", "r9"], 1, 'No dataset is called "r9".'),
        (["run", "revenue", "r1"], 2, "unexpected extra argument (r1)"),
        (["run", "r9"], 1, 'No run has the id "r9"'),
        (["run"], 2, 'For a dataset with the name "run": lineage query dataset run'),
        (["run", "r1", "--tag", "x"], 2, "No such option"),
        (["dataset"], 2, "Missing argument 'NAME'."),
        (
            ["column", "revenue"],
            2,
            'For a dataset with the name "column": lineage query dataset column',
        ),
        (["job", "clean", "--job", "clean"], 2, "No such option"),
        (["job", "nobody"], 1, 'No job or dataset is called "nobody"'),
        (["revenue", "--runs"], 2, "No such option"),
        (["job", "clean", "--perhaps"], 2, "No such option"),
    ],
)
def test_an_invalid_query_reports_the_reason(arguments: list[str], code: int, said: str):
    result = run("query", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in result.stderr


def test_jobs_are_printed_with_the_datasets_between_them():
    assert answer("query", "job", "report").splitlines() == [
        "etl/report",
        "└── etl/clean  [s3://lake/staged/orders, 2026-01-01 00:02:00Z]",
    ]
    assert answer("query", "job", "staged/orders", "--upstream", "--downstream",
                  ).splitlines() == [
        "UPSTREAM",
        "s3://lake/staged/orders",
        "└── etl/clean  [s3://lake/staged/orders, 2026-01-01 00:01:00Z]",
        "",
        "DOWNSTREAM",
        "s3://lake/staged/orders",
        "└── etl/report  [s3://lake/staged/orders, 2026-01-01 00:02:00Z]",
    ]  # fmt: skip
    assert "wrote a dataset that it read" in answer("query", "job", "clean")
    assert "successful or running run read it" in answer(
        "query", "job", "gold/loss", "--downstream"
    )


def test_the_shell_completes_names_of_jobs_at_their_level():
    def completed(*typed: str) -> list[str]:
        complete = ShellComplete(main, {}, "lineage", "_LINEAGE_COMPLETE")
        return [each.value for each in complete.get_completions(["query", *typed], "")]

    assert "etl/clean" in completed("job")
    assert "s3://lake/gold/revenue" in completed("job")
    assert "s3://lake/gold/revenue" in completed("dataset")
    assert "etl/clean" not in completed("dataset")


def test_a_step_from_job_to_job_is_a_row():
    [row] = json.loads(answer("query", "job", "report", "--format", "json"))
    assert row == {
        "direction": "upstream", "distance": 1, "source": "etl/clean", "target": "etl/report",
        "dataset": "s3://lake/staged/orders", "written": "2026-01-01T00:01:00.000000Z",
        "read": "2026-01-01T00:02:00.000000Z", "stale": False, "depended": None, "declared": False,
        "filtered_out": 0, "omitted_neighbours": 0, "omitted": 0,
    }  # fmt: skip
    header, said = answer("query", "job", "report", "--format", "csv").splitlines()
    assert (header.split(","), len(said.split(","))) == (list(row), len(row))
    assert answer("query", "job", "clean", "--format", "csv").split() == [header]
    cut = run("query", "job", "gold/revenue", "--limit", "1", "--format", "jsonl")
    assert "The 1 nearest of 2 jobs upstream are shown; 1 of" in cut.stderr


def test_jobs_are_a_graph_in_every_notation():
    asked = ("query", "job", "gold/revenue", "--format")
    found = networkx.read_graphml(io.BytesIO(answer(*asked, "graphml").encode()))
    kinds = {data["label"]: data["kind"] for _, data in found.nodes(data=True)}
    assert kinds == {"s3://lake/gold/revenue": "dataset", "etl/report": "job", "etl/clean": "job"}
    assert 'n1(["etl/report"])' in answer(*asked, "mermaid")
    assert len(read_dot(answer(*asked, "dot")).edges) == 2
    assert "etl/report" in answer(*asked, "html")


def test_downstream_of_a_run_are_the_readers_of_its_writes():
    drawn = answer("query", "run", "r1", "--downstream").splitlines()
    assert drawn == [
        "run r1  [COMPLETE]",
        "├── s3://lake/staged/orders  [read by losses, run r3, fail, by time]",
        "└── s3://lake/staged/orders  [read by report, run r2, complete, by time]",
    ]
    assert answer("query", "run", "r1", "--downstream").splitlines() == drawn
    assert "No known run read its writes" in answer("query", "run", "r2", "--downstream")
    both = answer("query", "run", "r1", "--upstream", "--downstream").splitlines()
    assert [line for line in both if line.isupper()] == ["UPSTREAM", "DOWNSTREAM"]
    asked = "query", "run", "r1", "--downstream"
    rows = json.loads(answer(*asked, "--format", "json"))
    assert [(r["direction"], r["writer"], r["reader"], r["run"], r["state"]) for r in rows] == [
        ("downstream", "etl/clean", "etl/losses", "r3", "FAIL"),
        ("downstream", "etl/clean", "etl/report", "r2", "COMPLETE"),
    ]
    rows = json.loads(answer(*asked, "--runs", "--format", "json"))
    assert [(r["direction"], r["writer"], r["reader"], r["job"], r["state"]) for r in rows] == [
        ("downstream", "r1", "r2", "etl/report", "COMPLETE"),
        ("downstream", "r1", "r3", "etl/losses", "FAIL"),
    ]


def test_a_limit_of_runs_reports_the_number_of_omitted_ones():
    cut = run("query", "at", "revenue", "--limit", "1", "--format", "csv")
    assert cut.stderr == "The 1 nearest of 4 steps upstream are shown. --limit 0 shows all.\n"
    assert len(cut.stdout.splitlines()) == 2
    assert answer("query", "at", "revenue", "2026-01-02", "--limit", "2", "--runs").endswith(
        "The 2 nearest of 4 dependencies upstream are shown. --limit 0 shows all.\n"
    )


def test_at_the_level_of_runs_a_dataset_is_what_is_there_now():
    now = answer("query", "at", "revenue").splitlines()
    assert now[0] == "s3://lake/gold/revenue  at 2026-01-01 00:03:20Z"
    assert now[1:] == answer("query", "at", "revenue", "2026-01-02").splitlines()[1:]


def test_an_unknown_dataset_is_a_no_with_the_nearest_name():
    result = run("query", "gold/revenu")
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'No dataset is called "gold/revenu"' in result.stderr
    assert "Did you mean s3://lake/gold/revenue?" in result.stderr


def test_an_ambiguous_name_lists_what_it_fits():
    result = run("query", "orders")
    assert (result.exit_code, result.stdout) == (2, "")
    assert '"orders" matches 2 datasets' in result.stderr
    assert "s3://lake/raw/orders" in result.stderr
    assert "s3://lake/staged/orders" in result.stderr


def test_show_reports_all_of_a_dataset():
    lines = answer("show", "revenue").splitlines()
    assert "dataset     s3://lake/gold/revenue" in lines
    assert "also called s3://lake/db.revenue" in lines
    assert "written by  etl/report" in lines
    assert "fields      total  bigint" in lines
    details = json.loads(answer("show", "revenue", "--format", "json"))
    assert details["facets"]["schema"] == SCHEMA


def test_show_reports_all_of_a_job_and_of_a_run():
    job = answer("show", "report").splitlines()
    assert "reads       s3://lake/raw/rates" in job
    assert "writes      s3://lake/gold/revenue" in job
    failed = answer("show", "r3").splitlines()
    assert "state       FAIL" in failed
    assert "error       no disk" in failed
    assert "not written s3://lake/gold/loss" in failed
    assert not [line for line in failed if line.startswith(("wrote", "writes"))]
    assert "wrote       s3://lake/gold/revenue" in answer("show", "r2").splitlines()
    rows = json.loads(answer("runs", "gold/loss", "--format", "json"))
    assert [(row["run_id"], row["did"]) for row in rows] == [("r3", "was to write")]
    assert "written by" not in answer("show", "gold/loss")


def test_show_of_an_unknown_name_reports_the_name():
    result = run("show", "x")
    assert result.exit_code == 1
    assert 'No dataset, job or run is called "x".' in result.stderr


def test_runs_of_a_dataset_newest_first():
    rows = json.loads(answer("runs", "staged/orders", "--format", "json"))
    assert [(row["run_id"], row["did"], row["state"]) for row in rows] == [
        ("r3", "read", "FAIL"),
        ("r2", "read", "COMPLETE"),
        ("r1", "wrote", "COMPLETE"),
    ]


def test_runs_of_a_job():
    [row] = json.loads(answer("runs", "clean", "--format", "json"))
    assert (row["run_id"], row["started_at"]) == ("r1", "2026-01-01T00:00:00.000000Z")


def test_a_table_keeps_a_row_on_a_line():
    lines = answer("runs", "losses").splitlines()
    assert len(lines) == 3
    assert lines[2].endswith("no disk…")


def test_cypher_with_a_parameter():
    text = "MATCH (r:Run)-[:OUTPUTS]->(d:Dataset) WHERE r.state = $s RETURN d.name AS name"
    assert answer("cypher", text, "-p", "s=FAIL", "--format", "jsonl") == '{"name": "gold/loss"}\n'


def test_cypher_cannot_write():
    result = run("cypher", "CREATE (n:Dataset {name: 'x'}) RETURN n")
    assert result.exit_code == 2
    assert "Raw Cypher may read the graph and nothing else." in result.stderr


def test_a_parameter_without_a_value_is_a_usage_error():
    result = run("cypher", "RETURN 1", "-p", "nothing")
    assert result.exit_code == 2
    assert "'nothing' does not have the form NAME=VALUE." in result.stderr


def test_a_canned_query_runs_by_its_name():
    [row] = json.loads(answer("queries", "run", "failed_runs", "--format", "json"))
    assert (row["run_id"], row["would_have_fed"]) == ("r3", "gold/loss")


def test_a_canned_query_says_which_parameter_it_lacks():
    result = run("queries", "run", "run_io")
    assert result.exit_code == 2
    assert "Query run_io requires the parameter run_id." in result.stderr


def test_a_canned_query_takes_a_dataset_by_an_ending_of_its_name():
    rows = json.loads(answer("queries", "run", "writers_of", "name=revenue", "--format", "json"))
    assert [row["job"] for row in rows] == ["report"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ("queries", "run", "writers_of", "nme=revenue"),
            "has no parameter nme. Did you mean name?",
        ),
        (("cypher", "RETURN $n", "-p", "nn=x"), "has no parameter $nn. Did you mean n?"),
        (("cypher", "RETURN $n"), "$n of the query has no value"),
        (("cypher", "RETURN $n", "-p", "n=1", "-p", "n=2"), "n has two values"),
    ],
)
def test_a_parameter_that_is_unknown_missing_or_doubled_is_an_error(
    command: tuple[str, ...], said: str
):
    result = run(*command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_an_unknown_canned_query_is_a_no():
    result = run("queries", "show", "nonsense")
    assert result.exit_code == 1
    assert 'No query is called "nonsense".' in result.stderr


def test_doctor_finds_nothing_wrong_with_the_database():
    lines = run("doctor").stdout.splitlines()
    for layer in ("setting", "server", "age", "migrations", "graph", "queue"):
        assert any(line.startswith(f"ok    {layer}") for line in lines), (layer, lines)


def test_doctor_counts_a_dataset_once_if_it_has_aliases(dsn: str):
    with psycopg.connect(dsn, autocommit=True) as conn:
        rows = conn.execute('SELECT count(*) FROM provenance."Dataset"').fetchall()
    assert f", {rows[0][0]} datasets" in run("doctor").stdout


def test_doctor_reports_settings_that_a_dump_without_its_database_lacks(dsn: str):
    with psycopg.connect(dsn, autocommit=True) as conn:
        name = conn.info.dbname
        conn.execute(sql.SQL("ALTER DATABASE {} RESET ALL").format(sql.Identifier(name)))
    result = run("doctor")
    assert result.exit_code == 1
    statement = f'ALTER DATABASE "{name}" SET search_path = public, ag_catalog;'
    assert "WRONG settings " in result.stdout
    assert statement in result.stdout


def test_doctor_reports_events_that_do_not_enter_the_graph(dsn: str):
    with psycopg.connect(dsn, autocommit=True) as conn:
        queue_events(conn, [read_entry(run_event("late", "COMPLETE", 400, writes=("gold/late",)))])
        assert "ok    queue       1 pending" in run("doctor").stdout
        conn.execute("UPDATE lineage.event SET received_at = received_at - interval '1 hour'")
    result = run("doctor")
    assert result.exit_code == 1
    assert (
        "WRONG queue       The graph lacks events: 1 pending, the oldest for 1 h" in result.stdout
    )


def hub_lines(exit_code: int) -> list[str]:
    """Return the lines of doctor about the hub, and assert the exit code of its checks."""
    lines = run("doctor").stdout.splitlines()
    own = [line for line in lines if line[6:].startswith(("hub", "observers"))]
    assert any(line.startswith("WRONG") for line in own) is bool(exit_code)
    return own


MISSING = {
    "a name in capitals": ("query GOLD/REVENUE", "Did you mean s3://lake/gold/revenue?"),
    "a column before its dataset": (
        "query column total gold/revenue",
        "The dataset precedes the column: lineage query column gold/revenue total",
    ),
    "a column with the name of a dataset": (
        "query column gold/revenue raw/orders",
        'has no column "raw/orders". It has',
    ),
    "a target of forwarding": ("forward rejected nosuch", 'no target with the name "nosuch"'),
    "a run without items": ("trace --run r1", "No items of the run r1 are stored."),
    "a run": ("trace --run nosuch", 'No run has the id "nosuch".'),
}


@pytest.mark.parametrize(("command", "message"), MISSING.values(), ids=MISSING)
def test_what_does_not_exist_is_reported(command: str, message: str) -> None:
    result = run(*command.split())
    assert result.exit_code == 1
    assert message in result.stderr


def test_doctor_checks_the_hub_of_python_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("LINEAGE_HUB_SPOOL", str(tmp_path))
    monkeypatch.delenv("LINEAGE_ENABLED", raising=False)
    assert hub_lines(0) == [
        "none  hub         LINEAGE_ENABLED is not set; programs record nothing",
        f"ok    hub spool   no events in {tmp_path}",
    ]
    (tmp_path / "graph-1-abc.jsonl").write_text("{}\n")
    monkeypatch.setenv("LINEAGE_ENABLED", "Y")
    monkeypatch.setenv("LINEAGE_SINK_IDS", "file,logging")
    monkeypatch.setenv("LINEAGE_OBSERVE", "files,http")
    spooled = f"1 file of events: lineage ingest {tmp_path}"
    remedy = "Ingest them, then delete those of programs that have ended"
    assert hub_lines(1) == [
        "ok    hub sink    file can be started",
        "ok    hub sink    logging can be started",
        "ok    observers   files, http",
        f"WRONG hub spool   1 file of events in the spool. {remedy}: lineage ingest {tmp_path}",
    ]
    assert f"programs   {spooled}" in run("status").stdout.splitlines()
    monkeypatch.setenv("LINEAGE_SINK_IDS", "collector,kafka")
    monkeypatch.setenv("LINEAGE_OBSERVE", "disks")
    monkeypatch.delenv("LINEAGE_URL", raising=False)
    collector, kafka, observers, _ = hub_lines(1)
    assert collector.startswith("WRONG hub sink    LINEAGE_URL is not the address of a collector.")
    assert kafka.startswith('WRONG hub sink    No sink "kafka" is installed.')
    assert observers.startswith("WRONG observers   LINEAGE_OBSERVE has disks")
    assert run("doctor").exit_code == 1


def test_doctor_finds_nothing_wrong_with_a_machine_without_spark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run("doctor")
    assert result.exit_code == 0
    assert "none  spark       no SPARK_HOME, no pyspark and no spark-submit" in result.stdout
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))  # a directory without Spark
    result = run("doctor")
    assert result.exit_code == 1
    assert "WRONG java" in result.stdout
    assert "WRONG jar" in result.stdout


def test_a_database_that_is_down_is_reported_with_the_next_step(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LINEAGE_DSN", "postgresql://nobody:hidden@127.0.0.1:1/none")
    for command in (["query", "x"], ["show", "x"], ["cypher", "RETURN 1"]):
        result = run(*command)
        assert result.exit_code == 2, command
        assert "Cannot connect to the database of LINEAGE_DSN" in result.stderr
        assert "Check host and port" in result.stderr
        assert "hidden" not in result.stderr
    assert run("doctor").exit_code == 1


SUM = {"type": "DIRECT", "subtype": "AGGREGATION"}


@pytest.fixture
def _columns(dsn: str) -> None:
    staged = derived(
        ("total", "raw/orders", "price", SUM), whole=(("raw/orders", "status", "FILTER"),)
    )
    revenue = derived(
        ("total", "staged/orders", "total", {"type": "DIRECT", "masking": True}),
        ("rate", "raw/rates", "rate"),
    )
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [
            run_event("c1", "COMPLETE", 300, "clean",
                      writes=(dataset("staged/orders", columnLineage=staged),)),
            run_event("c2", "COMPLETE", 310, "report",
                      writes=(dataset("gold/revenue", columnLineage=revenue),)),
        ])  # fmt: skip


@pytest.mark.usefixtures("_columns")
def test_column_lineage_is_printed_as_a_tree():
    assert answer("query", "column", "revenue", "total").splitlines() == [
        "s3://lake/gold/revenue.total",
        "└── s3://lake/staged/orders.total  [DIRECT, masked, report]",
        "    ├── s3://lake/raw/orders.price  [AGGREGATION, clean]",
        "    └── s3://lake/raw/orders.status  [FILTER, indirect, clean]",
    ]
    assert "status" not in answer("query", "column", "revenue", "total", "--direct-only")
    assert "raw" not in answer("query", "column", "revenue", "total", "--depth", "1")


@pytest.mark.usefixtures("_columns")
def test_a_filter_feeds_the_whole_dataset_and_its_downstream_columns():
    assert answer("query", "column", "raw/orders", "status", "--downstream").splitlines() == [
        "s3://lake/raw/orders.status",
        "└── s3://lake/staged/orders.*  [FILTER, indirect, clean]",
        "    └── s3://lake/gold/revenue.total  [DIRECT, masked, report]",
    ]


@pytest.mark.usefixtures("_columns")
def test_each_edge_between_columns_is_a_row():
    lines = answer("query", "column", "revenue", "total", "--format", "jsonl").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(r["distance"], r["source_column"], r["target_column"], r["type"], r["subtype"],
             r["masking"], r["job"]) for r in rows] == [
        (1, "total", "total", "DIRECT", None, True, "etl/report"),
        (2, "price", "total", "DIRECT", "AGGREGATION", False, "etl/clean"),
        (2, "status", None, "INDIRECT", "FILTER", False, "etl/clean"),
    ]  # fmt: skip
    assert "source_column" in answer("query", "column", "revenue", "total", "--format", "table")


@pytest.mark.usefixtures("_columns")
def test_a_limit_of_columns_is_of_edges():
    arguments = ("query", "column", "revenue", "total", "--limit", "2")
    assert answer(*arguments).splitlines() == [
        "s3://lake/gold/revenue.total",
        "└── s3://lake/staged/orders.total  [DIRECT, masked, report]",
        "    └── s3://lake/raw/orders.price  [AGGREGATION, clean]",
        "The 2 nearest of 3 edges upstream are shown. --limit 0 shows all.",
    ]
    rows = run(*arguments, "--format", "jsonl")
    assert len(rows.stdout.splitlines()) == 2
    assert "The 2 nearest of 3 edges" in rows.stderr


@pytest.mark.usefixtures("_columns")
def test_both_directions_of_a_column_and_a_column_without_sources():
    lines = answer("query", "column", "staged/orders", "total", "--upstream", "--downstream")
    assert [line for line in lines.splitlines() if line.isupper()] == ["UPSTREAM", "DOWNSTREAM"]
    assert "reported columns that it is derived from" in answer(
        "query", "column", "raw/orders", "price"
    )


@pytest.mark.usefixtures("_columns")
def test_a_step_between_a_struct_and_its_field_is_named(dsn: str):
    with psycopg.connect(dsn, autocommit=True) as conn:
        whole, part = derived(("s", "n/raw", "x")), derived(("f", "n/t", "s.x"))
        write_events(conn, [
            run_event("c3", "COMPLETE", 320, "pack", (), (dataset("n/t", columnLineage=whole),)),
            run_event("c4", "COMPLETE", 330, "read", (), (dataset("n/u", columnLineage=part),)),
        ])  # fmt: skip
    assert answer("query", "column", "n/u", "f").splitlines() == [
        "s3://lake/n/u.f",
        "└── s3://lake/n/t.s.x  [DIRECT, read]",
        "    └── s3://lake/n/raw.x  [DIRECT, into s, pack]",
    ]
    assert answer("query", "column", "n/raw", "x", "--downstream").splitlines() == [
        "s3://lake/n/raw.x",
        "└── s3://lake/n/t.s  [DIRECT, pack]",
        "    └── s3://lake/n/u.f  [DIRECT, from s.x, read]",
    ]


def test_an_unknown_column_and_a_flag_without_one_are_reported():
    unknown = run("query", "column", "revenue", "totla")
    assert unknown.exit_code == 1
    assert 'has no column "totla"' in unknown.stderr
    assert "Did you mean total?" in unknown.stderr
    assert run("query", "revenue", "--direct-only").exit_code == 2


def test_every_answer_is_csv_too():
    rows = json.loads(answer("query", "revenue", "--format", "json"))
    text = answer("query", "revenue", "--format", "csv")
    assert list(csv.DictReader(io.StringIO(text, newline=""))) == [
        {
            name: "" if value is None else value if isinstance(value, str) else json.dumps(value)
            for name, value in row.items()
        }
        for row in rows
    ]
    [row] = csv.DictReader(io.StringIO(answer("runs", "losses", "--format", "csv"), newline=""))
    assert row["error"] == "no disk\nat all"
    formula = """RETURN '=1+1' AS "a" """.replace('"', "`")
    assert answer("cypher", formula, "--format", "csv") == "a\n=1+1\n"
    assert answer("query", "raw/rates", "--format", "csv").startswith("direction,distance,source,")


def test_an_answer_is_a_graph_in_every_notation():
    dot = answer("query", "staged/orders", "--upstream", "--downstream", "--format", "dot")
    read = read_dot(dot)
    labels = {name: label.removeprefix("s3://lake/") for name, label in read.labels.items()}
    assert {(labels[source], label, labels[target]) for source, target, label in read.edges} == {
        ("raw/orders", "clean", "staged/orders"),
        ("staged/orders", "report", "gold/revenue"),
    }
    assert '"clean"' in answer("query", "revenue", "--format", "mermaid")
    graphml = answer("query", "revenue", "--format", "graphml")
    found = networkx.read_graphml(io.BytesIO(graphml.encode()))
    assert sorted(data["runs"] for *_, data in found.edges(data=True)) == [1, 1, 1]
    assert answer("query", "revenue", "--format", "html").startswith("<!DOCTYPE html>")


def test_run_lineage_is_a_graph_of_runs():
    text = answer("query", "run", "r3", "--format", "graphml")
    found = networkx.read_graphml(io.BytesIO(text.encode()))
    labels = {node: data["label"] for node, data in found.nodes(data=True)}
    assert {(labels[s], d["label"], labels[t]) for s, t, d in found.edges(data=True)} == {
        ("etl/clean", "s3://lake/staged/orders", "run r3"),
        ("s3://lake/raw/orders (source)", "s3://lake/raw/orders", "etl/clean"),
    }
    text = answer("query", "run", "r3", "--runs", "--format", "graphml")
    found = networkx.read_graphml(io.BytesIO(text.encode()))
    labels = {node: data["label"] for node, data in found.nodes(data=True)}
    assert {(labels[s], d["label"], labels[t]) for s, t, d in found.edges(data=True)} == {
        ("clean, run r1", "s3://lake/staged/orders", "run r3"),
        ("s3://lake/raw/orders (source)", "s3://lake/raw/orders", "clean, run r1"),
    }


@pytest.mark.usefixtures("_columns")
def test_in_a_graph_of_columns_a_whole_dataset_leads_to_its_columns():
    text = answer("query", "column", "revenue", "total", "--format", "graphml")
    found = networkx.read_graphml(io.BytesIO(text.encode()))
    labels = {
        node: data["label"].removeprefix("s3://lake/") for node, data in found.nodes(data=True)
    }
    assert {(labels[s], d["label"], labels[t]) for s, t, d in found.edges(data=True)} == {
        ("staged/orders.total", "DIRECT, report", "gold/revenue.total"),
        ("raw/orders.price", "DIRECT AGGREGATION, clean", "staged/orders.total"),
        ("raw/orders.status", "INDIRECT FILTER, clean", "staged/orders.*"),
        ("staged/orders.*", "each column", "staged/orders.total"),
    }


def test_an_error_in_cypher_is_marked_with_a_caret():
    result = run("cypher", "MATCH (d:Dataset)\nRETURN d.name, pg_sleep(1)")
    assert (result.exit_code, result.stdout) == (2, "")
    said, line, caret = result.stderr.splitlines()
    assert said.startswith("Error: The function pg_sleep may not be called, line 2 column 16. Raw")
    assert (line, caret) == ("  RETURN d.name, pg_sleep(1)", "                 ^")


def test_an_answer_is_events_that_give_the_same_answer(
    database: Callable[[str], str], server: Any, tmp_path: Path
):
    asked = ["query", "s3://lake/gold/revenue", "--format", "json"]
    place = tmp_path / "events.jsonl"
    place.write_text(answer(*asked[:3], "openlineage"))
    other = database(server.migrated())
    assert run("ingest", str(place), "--dsn", other).exit_code == 0
    assert json.loads(answer(*asked, "--dsn", other)) == json.loads(answer(*asked))


def test_a_limit_marks_omitted_branches_in_the_tree():
    assert answer("query", "revenue", "--limit", "1").splitlines() == [
        "s3://lake/gold/revenue",
        "├── s3://lake/raw/rates  [report, 2026-01-01 00:02:00Z]",
        "└── … 1 more",
        (
            "The 1 nearest of 3 datasets upstream are shown; 1 of the others are adjacent to"
            " these. --limit 0 shows all."
        ),
    ]
    assert "more" not in answer("query", "revenue", "--limit", "0")


def test_a_limit_says_it_in_rows_and_beside_them():
    result = run("query", "revenue", "--limit", "2", "--format", "json")
    rows = json.loads(result.stdout)
    assert [(r["source"], r["omitted_neighbours"], r["omitted"]) for r in rows] == [
        ("s3://lake/raw/rates", 0, 1),
        ("s3://lake/staged/orders", 1, 1),
    ]
    assert result.stderr.startswith("The 2 nearest of 3 datasets upstream are shown; 1 of")
    graphml = answer("query", "revenue", "--limit", "2", "--format", "graphml")
    assert 'attr.name="omitted"' in graphml


def test_filters_show_what_fits_and_say_through_what():
    assert answer("query", "revenue", "--job", "clean").splitlines() == [
        "s3://lake/gold/revenue",
        "└── s3://lake/raw/orders  [through 1 dataset not shown]",
        "2 datasets upstream not shown: removed by filters.",
    ]
    result = run("query", "revenue", "--job", "clean", "--format", "jsonl")
    row = json.loads(result.stdout)
    assert (row["source"], row["target"], row["job"], row["filtered_out"], row["distance"]) == (
        "s3://lake/raw/orders", "s3://lake/gold/revenue", None, 1, 2,
    )  # fmt: skip
    assert result.stderr == "2 datasets upstream not shown: removed by filters.\n"
    assert "1 hidden" in answer("query", "revenue", "--job", "clean", "--format", "dot")
    assert answer("query", "revenue", "--tag", "none").splitlines() == [
        "s3://lake/gold/revenue",
        "3 datasets upstream not shown: removed by filters.",
    ]


def test_a_stale_edge_is_marked_and_can_be_left_out(dsn: str):
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [run_event("r4", "COMPLETE", 300, "report", reads=("staged/orders",),
                               writes=("gold/revenue",))])  # fmt: skip
    assert answer("query", "revenue").splitlines()[1] == (
        "├── s3://lake/raw/rates  [report, 2026-01-01 00:02:00Z, stale]"
    )
    rows = json.loads(answer("query", "revenue", "--format", "json"))
    assert [row["stale"] for row in rows] == [True, False, False]
    assert "raw/rates" not in answer("query", "revenue", "--exclude-stale")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["column", "revenue", "total", "--exclude-stale"], "No such option '--exclude-stale'"),
        (["at", "revenue", "2026-01-01", "--tag", "x"], "No such option '--tag'"),
        (["revenue", "--since", "soon"], 'The time "soon" is not an ISO 8601 date'),
    ],
)
def test_incompatible_options_are_errors_with_the_reason(arguments: list[str], said: str):
    result = run("query", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
