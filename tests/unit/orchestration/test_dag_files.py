"""DAG files: tasks and edges equal to the order of jobs, and commands with hostile names."""

from __future__ import annotations

import ast
import re
import subprocess
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.events.plans import HOSTILE_NAMES, plan_of

from lineage.errors import UsageError
from lineage.orchestration.airflow import escape_template, quote_scalar, write_dag, write_loader
from lineage.orchestration.checks import compare_dags, form_of_file
from lineage.orchestration.commands import job_command, pull_command
from lineage.orchestration.configuration import Configuration, JobRule, Repository
from lineage.orchestration.dagster import read_module, write_module
from lineage.orchestration.merges import choose_merges, replace_jobs
from lineage.orchestration.tasks import list_tasks, task_ids

PRINT = Configuration(jobs=(JobRule("*", ("printf", "--", "%s\\n", "{name}")),))


def render(template: str) -> str:
    """Render the expressions that are texts, and replace line ends, as Jinja does."""
    template = re.sub(r"\r\n|\r", "\n", template)
    assert not re.search(r"\{%|\{#", re.sub(r"\{\{ '[^']*' \}\}", "", template))
    return re.sub(r"\{\{ ('[^']*') \}\}", lambda match: ast.literal_eval(match[1]), template)


def run_bash(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    return done.stdout.decode()


def test_commands_of_hostile_names_print_them_byte_for_byte() -> None:
    plan = plan_of({name: ("raw", f"t{n}") for n, name in enumerate(HOSTILE_NAMES)})
    text = write_dag(list_tasks(plan, PRINT), PRINT)
    assert "$" not in text  # dag-factory replaces variables of the environment in the whole text
    assert text.isascii()
    [tasks] = [dag["tasks"] for dag in yaml.safe_load(text).values()]
    ids = task_ids(f"etl/{name}" for name in HOSTILE_NAMES)
    commands = {task["task_id"]: task["bash_command"] for task in tasks}
    for name in HOSTILE_NAMES:
        assert run_bash(render(commands[ids[f"etl/{name}"]])) == f"{name}\n"
    assert not Path("/tmp/lineage-pwned").exists()


@settings(max_examples=30)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_name_arrives_as_it_is(name: str) -> None:
    plan = plan_of({name: ("a", "b")})
    text = write_dag(list_tasks(plan, PRINT), PRINT)
    [dag] = yaml.safe_load(text).values()
    assert run_bash(render(dag["tasks"][0]["bash_command"])) == f"{name}\n"
    module = write_module(list_tasks(plan, PRINT), PRINT)
    [task] = read_module(module)
    assert (task["job"], run_bash(task["command"])) == (f"etl/{name}", f"{name}\n")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_scalar_is_read_back(text: str) -> None:
    scalar = quote_scalar(text)
    assert yaml.safe_load(scalar) == text
    assert "$" not in scalar


@given(st.text(st.sampled_from("{}%# \r\n'\\a$")))
def test_a_template_renders_to_its_text_and_a_blank(text: str) -> None:
    assert render(escape_template(text)) == f"{text} "


@given(st.lists(st.text(min_size=1), unique=True))
def test_ids_are_distinct_words(names: list[str]) -> None:
    ids = task_ids(names)
    assert ids.keys() == set(names)
    assert len({id.lower() for id in ids.values()}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_]{1,250}", id, re.ASCII) for id in ids.values())


def edges_of(text: str) -> set[tuple[str, str]]:
    [dag] = yaml.safe_load(text).values()
    return {(each, task["task_id"]) for task in dag["tasks"] for each in task["dependencies"]}


JOBS = {
    "load": ("raw", "clean"), "rates": ("web", "rates"), "stg": ("clean rates", "stg"),
    "mart": ("stg clean", "mart"), "see": ("mart", ""),
}  # fmt: skip


def test_tasks_and_edges_are_the_reduced_order() -> None:
    plan = plan_of(JOBS)
    tasks = list_tasks(plan, PRINT)
    ids = task_ids(each.job.full_name for each in plan.jobs)
    graph = nx.DiGraph((edge.before.full_name, edge.after.full_name) for edge in plan.edges)
    expected = {(ids[a], ids[b]) for a, b in nx.transitive_reduction(graph).edges}
    assert edges_of(write_dag(tasks, PRINT)) == expected
    assert {(each, task.id) for task in tasks for each in task.after} == expected
    module = read_module(write_module(tasks, PRINT))
    assert {(each, task["id"]) for task in module for each in task["after"]} == expected
    assert [task.job for task in tasks][-1] == "etl/see"


def test_settings_of_the_dag_and_of_jobs() -> None:
    chosen = Configuration(
        name="nightly", schedule="0 3 * * *", owner="data", retries=2, retry_seconds=60,
        jobs=(JobRule("etl/load", ("true",), owner="ada", retries=0), *PRINT.jobs),
    )  # fmt: skip
    [(name, dag)] = yaml.safe_load(write_dag(list_tasks(plan_of(JOBS), chosen), chosen)).items()
    assert name == "nightly"
    assert dag["default_args"] == {
        "owner": "data", "retries": 2, "retry_delay_sec": 60, "start_date": "2026-01-01"
    }  # fmt: skip
    assert (dag["schedule"], dag["catchup"], dag["max_active_runs"]) == ("0 3 * * *", False, 1)
    by_id = {task["task_id"]: task for task in dag["tasks"]}
    load = by_id[task_ids(["etl/load"])["etl/load"]]
    assert (load["owner"], load["retries"], load["bash_command"]) == ("ada", 0, "true ")
    loader = write_loader(chosen)
    assert "airflow" in loader.lower()
    assert "dag" in loader
    assert "nightly.yml" in loader
    compile(loader, "nightly.py", "exec")


def test_a_repository_is_pulled_once_before_all_of_its_tasks() -> None:
    both = Configuration(
        repositories=(Repository("code", "/srv/it's code", "git@git.corp:a b.git"),
                      Repository("unused", "/srv/unused")),
        jobs=(
            JobRule("etl/[lr]*", ("python", "tasks/{name}.py"), "code", "my env"),
            JobRule("*", ("dbt", "run", "--select", "{model}"), "code"),
        ),
    )  # fmt: skip
    tasks = {task.job: task for task in list_tasks(plan_of(JOBS), both)}
    pull = tasks.pop(None)
    assert pull.id == "pull_code"
    assert pull.command == (
        "if test -e '/srv/it'\"'\"'s code'/.git; then git -C '/srv/it'\"'\"'s code' pull --ff-only;"
        " else git clone -- 'git@git.corp:a b.git' '/srv/it'\"'\"'s code'; fi"
    )
    assert {job for job, task in tasks.items() if pull.id in task.after} == {
        "etl/load",
        "etl/rates",
    }
    assert tasks["etl/load"].command == (
        "cd '/srv/it'\"'\"'s code' && conda run --no-capture-output -n 'my env'"
        " python tasks/load.py"
    )
    assert tasks["etl/mart"].command.endswith("&& dbt run --select mart")


def test_a_pull_clones_first_and_then_follows(tmp_path: Path) -> None:
    def git(*words: str, at: Path) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, *words], cwd=at, check=True, capture_output=True)

    origin = tmp_path / "origin $(touch x)"
    origin.mkdir()
    git("init", "--quiet", at=origin)
    git("commit", "--quiet", "--allow-empty", "-m", "one", at=origin)
    copy = Repository("code", str(tmp_path / "copy '"), str(origin))
    run_bash(pull_command(copy))
    (origin / "task.py").write_text("")
    git("add", "task.py", at=origin)
    git("commit", "--quiet", "-m", "two", at=origin)
    run_bash(pull_command(copy))
    assert (Path(copy.path) / "task.py").exists()


def test_jobs_with_one_command_that_names_them_are_one_task() -> None:
    """Such as the nodes of two targets of dbt. A command without a name may start any jobs."""
    rule = JobRule("*", ("dbt", "build", "--select", "{model}"))
    jobs = {"ci.load": ("", "c"), "load": ("", "a"), "prod.stg": ("a", "b"), "ci.stg": ("c", "d"),
            "mart": ("b d", "e")}  # fmt: skip
    tasks = {task.command.split()[-1]: task for task in
             list_tasks(plan_of(jobs), Configuration(jobs=(rule,)))}  # fmt: skip
    assert tasks.keys() == {"load", "stg", "mart"}
    assert tasks["stg"].after == (tasks["load"].id,)
    assert tasks["mart"].after == (tasks["stg"].id,)


BUILD = Configuration(jobs=(JobRule("*", ("dbt", "build", "--select", "{model}")),))


def test_jobs_between_which_another_must_run_are_tasks_of_their_own() -> None:
    """A relationships test of orders reads customers, which are built from orders."""
    jobs = {"shop.orders": ("raw", "orders"), "shop.customers": ("orders", "customers"),
            "ci.orders": ("raw", "ci"), "test.orders": ("orders customers", "")}  # fmt: skip
    tasks = {task.job: task for task in list_tasks(plan_of(jobs), BUILD)}
    first, between, last = (
        tasks.pop(f"etl/{name}") for name in ("ci.orders", "shop.customers", "test.orders")
    )
    assert not tasks
    assert first.command == last.command == "dbt build --select orders"
    assert between.command == "dbt build --select customers"
    assert (first.after, between.after, last.after) == ((), (first.id,), (between.id,))


def test_of_two_commands_in_opposite_orders_one_runs_twice() -> None:
    jobs = {"a.x": ("", "1"), "a.y": ("1", "2"), "b.y": ("", "3"), "b.x": ("3", "4")}
    tasks = {task.job: task for task in list_tasks(plan_of(jobs), BUILD)}
    first, both, last = (tasks[f"etl/{name}"] for name in ("a.x", "b.y", "b.x"))
    assert len(tasks) == 3
    assert first.command == last.command != both.command
    assert (first.after, both.after, last.after) == ((), (first.id,), (both.id,))


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=8),
    st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7))),
)
def test_as_many_jobs_are_merged_as_their_order_admits(
    commands: list[int], edges: set[tuple[int, int]]
) -> None:
    jobs = range(len(commands))
    graph = nx.DiGraph((a, b) for a, b in edges if a < b < len(commands))
    graph.add_nodes_from(jobs)

    def merge(task_of: dict[int, int]) -> nx.DiGraph:
        return nx.quotient_graph(graph, lambda a, b: task_of[a] == task_of[b], relabel=False)

    successors = {job: list(graph[job]) for job in jobs}
    first = {job: commands.index(commands[job]) for job in jobs}
    same = {job: other for job, other in first.items() if job != other}
    merges = choose_merges(successors, same)
    task_of = {job: merges.get(job, job) for job in jobs}
    tasks = set(task_of.values())
    assert all(commands[job] == commands[task] for job, task in task_of.items())
    assert nx.is_directed_acyclic_graph(merge(task_of))
    assert {(task_of[a], task_of[b]) for a, b in graph.edges if task_of[a] != task_of[b]} == {
        (a, b) for a, targets in replace_jobs(successors, merges).items() for b in targets
    }
    for a, b in combinations(tasks, 2):
        if commands[a] == commands[b]:
            more = {job: a if task == b else task for job, task in task_of.items()}
            assert not nx.is_directed_acyclic_graph(merge(more))


def test_a_job_that_no_match_fits_is_an_error_or_is_bridged() -> None:
    some = Configuration(jobs=(JobRule("etl/load", ("true",)), JobRule("etl/[ms]*t", ("true",)),
                               JobRule("etl/see", ("true",))))  # fmt: skip
    with pytest.raises(UsageError, match="No command fits 2 jobs: etl/rates, etl/stg"):
        list_tasks(plan_of(JOBS), some)
    tasks = list_tasks(plan_of(JOBS), some, skip_unmatched=True)
    ids = task_ids(["etl/load", "etl/mart", "etl/see"])
    assert {task.id: task.after for task in tasks} == {
        ids["etl/load"]: (), ids["etl/mart"]: (ids["etl/load"],),
        ids["etl/see"]: (ids["etl/mart"],),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "name", "message"),
    [
        (("dbt", "run", "--select", "{name}"), "--vars={}", "begins with a dash"),
        (("python", "tasks/{name}.py"), "../../tmp/x", "has .. in it"),
        (("load", "{dataset}"), "plain", "writes 2 datasets"),
    ],
)
def test_names_that_would_change_the_command_are_rejected(
    words: tuple[str, ...], name: str, message: str
) -> None:
    [planned] = plan_of({name: ("a", "b c")}).jobs
    with pytest.raises(UsageError, match=message):
        job_command(planned, JobRule("*", words), Configuration())


def test_placeholders_are_replaced_once() -> None:
    [planned] = plan_of({"a.{name}.b": ("a", "{namespace}")}).jobs
    words = ("{name}", "{namespace}/{model}", "{dataset}", "{other}", "{{name}}")
    assert job_command(planned, JobRule("*", words), Configuration()) == (
        "'a.{name}.b' etl/b '{namespace}' '{other}' '{a.{name}.b}'"
    )


@pytest.mark.parametrize(
    ("kind", "name", "table", "model"),
    [
        ("MODEL", "w.shop.shop.stg", "w.shop.stg", "stg"),
        ("MODEL", "w.shop.shop.stg.build.run", "w.shop.stg", "stg"),
        ("SEED", "w.shop.shop.cities.seed", "w.shop.cities", "cities"),
        ("SNAPSHOT", "w.shop.shop.history.snapshot", "w.shop.history", "history"),
        ("MODEL", "w.shop.shop.customers.v2", "w.shop.customers_v2", "customers.v2"),
        # These are names of models.
        ("MODEL", "w.shop.shop.seed", "w.shop.seed", "seed"),
        ("MODEL", "w.shop.shop.v2", "w.shop.v2", "v2"),
        # Jobs of other programs.
        (None, "load.cities.seed", "x", "seed"),
        (None, "load.v2", "x", "v2"),
    ],
)
def test_a_job_of_dbt_has_the_name_that_selects_its_node(
    kind: str | None, name: str, table: str, model: str
) -> None:
    [planned] = plan_of({name: ("a", table)}, kind=kind).jobs
    rule = JobRule("*", ("dbt", "build", "--select", "{model}"))
    assert job_command(planned, rule, Configuration()) == f"dbt build --select {model}"


@pytest.mark.parametrize(
    ("name", "tables", "selected"),
    [
        ("w.shop.shop.stg.test", "w.shop.stg", "stg"),
        ("w.shop.shop.stg.build.test", "w.shop.stg", "stg"),
        ("w.shop.shop.customers.v2.test", "w.shop.customers_v2 w.shop.orders", "customers.v2"),
        ("w.shop.shop.v2.test", "w.shop.v2", "v2"),
        ("w.raw.source.shop.raw.orders.test", "w.raw.orders", "source:raw.orders"),
        ("w.raw.source.shop.raw.v2.test", "w.raw.v2", "source:raw.v2"),
        # dbt on Spark has no database; a schema may be named source.
        ("raw.source.shop.raw.orders.test", "raw.orders", "source:raw.orders"),
        ("w.source.shop.stg.test", "w.source.stg", "stg"),
        ("w.source.shop.customers.v2.test", "w.source.customers_v2", "customers.v2"),
        ("test.shop.totals_are_equal", "w.shop.stg w.shop.mart", "totals_are_equal"),
    ],
)
def test_a_test_of_dbt_has_the_name_that_selects_what_it_checks(
    name: str, tables: str, selected: str
) -> None:
    [planned] = plan_of({name: (tables, "")}, kind="TEST").jobs
    rule = JobRule("*", ("dbt", "test", "--select", "{model}"))
    assert job_command(planned, rule, Configuration()) == f"dbt test --select {selected}"


def command_of_tests(name: str, tests: tuple[str, ...]) -> str:
    [planned] = plan_of({name: ("w.shop.stg", "")}, kind="TEST").jobs
    rule = JobRule("*", ("dbt", "test", "--select", "{tests}"))
    return job_command(replace(planned, tests=tests), rule, Configuration())


def test_a_test_of_another_target_has_the_name_of_the_test() -> None:
    command = command_of_tests("w.ci.test.shop.totals_are_equal", ())
    assert command == "dbt test --select totals_are_equal"
    with pytest.raises(UsageError, match="no run of the job reports the names"):
        command_of_tests("w.test.shop.stg.test", ())


def test_tests_of_dbt_are_selected_by_their_names() -> None:
    command = command_of_tests("w.shop.shop.stg.test", ("not_null_stg_id", "unique_stg_id"))
    assert command == "dbt test --select 'not_null_stg_id unique_stg_id'"
    for name in ("test.shop.totals_are_equal", "test.shop.totals_are_equal.d59be191d3"):
        assert command_of_tests(name, ()) == "dbt test --select totals_are_equal"


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ((), "no run of the job reports the names of its tests"),
        (("unique_stg_id", "stg+"), r'has a test "stg\+", which dbt cannot select'),
        (("--full-refresh",), "which dbt cannot select"),
    ],
)
def test_tests_that_dbt_cannot_select_are_an_error(tests: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        command_of_tests("w.shop.shop.stg.test", tests)


@pytest.mark.parametrize("form", ["airflow", "dagster"])
def test_a_check_names_what_differs(form: str) -> None:
    write = write_dag if form == "airflow" else write_module
    old = write(list_tasks(plan_of(JOBS), PRINT), PRINT)
    assert compare_dags(old, old, form).is_equal
    jobs = {**JOBS, "see": ("stg", ""), "new": ("mart", "x")}
    del jobs["rates"]
    new = write(list_tasks(plan_of(jobs), PRINT), PRINT)
    ids = task_ids(f"etl/{name}" for name in {*JOBS, *jobs})
    changes = compare_dags(old, new, form)
    assert (changes.added, changes.removed) == ((ids["etl/new"],), (ids["etl/rates"],))
    assert set(changes.edges_added) == {(ids["etl/stg"], ids["etl/see"]),
                                        (ids["etl/mart"], ids["etl/new"])}  # fmt: skip
    assert set(changes.edges_removed) == {(ids["etl/rates"], ids["etl/stg"]),
                                          (ids["etl/mart"], ids["etl/see"])}  # fmt: skip
    assert (changes.changed, changes.settings) == ((), False)
    other = Configuration(schedule="@daily", jobs=(JobRule("*", ("true",)),))
    changes = compare_dags(new, write(list_tasks(plan_of(jobs), other), other), form)
    assert (len(changes.changed), changes.settings) == (len(jobs), True)
    with pytest.raises(UsageError, match="no tasks that lineage plan"):
        compare_dags("a: [", new, form)


def test_only_dag_files_can_be_validated() -> None:
    assert form_of_file(Path("a/b.YAML")) == "airflow"
    with pytest.raises(UsageError, match=r"a\.json is not a DAG file"):
        form_of_file(Path("a.json"))
