"""Short names of jobs: shorter, and distinct in one result."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lineage_cli.output.job_names import beside_target, short_names

from lineage.query.records import Dataset, Job

INSERT = "insert_into_hadoop_fs_relation_command"
GOLD = Dataset(1, "file", "/lake/gold/delays_by_airline")


def names(*jobs: Job, datasets: tuple[Dataset, ...] = (GOLD,)) -> list[str]:
    short = short_names(jobs, datasets)
    return [short[job] for job in jobs]


def job(name: str, namespace: str = "default", id: int = 1) -> Job:
    return Job(id, namespace, name)


def test_a_job_of_spark_is_its_application_and_what_it_writes() -> None:
    found = names(job(f"report_delays.{INSERT}.gold_delays_by_airline"))
    assert found == ["report_delays → gold/delays_by_airline"]


def test_a_target_outside_the_answer_keeps_its_label() -> None:
    found = names(job(f"report_delays.{INSERT}.gold_routes"))
    assert found == ["report_delays → gold_routes"]


def test_a_table_has_its_name() -> None:
    dataset = Dataset(1, "hive://metastore", "sales.orders")
    found = names(job("etl.append_data.sales_orders"), datasets=(dataset,))
    assert found == ["etl → sales.orders"]


def test_a_label_of_two_datasets_stays_a_label() -> None:
    two = (GOLD, Dataset(2, "s3://lake", "gold_delays.by_airline"))
    assert names(job(f"r.{INSERT}.gold_delays_by_airline"), datasets=two) == [
        "r → gold_delays_by_airline"
    ]


def test_jobs_of_other_producers_keep_their_names() -> None:
    others = [job("shop.model.orders"), job("dag.group.task", id=2), job("report", id=3)]
    assert names(*others) == ["shop.model.orders", "dag.group.task", "report"]


def test_two_commands_for_one_target_have_whole_names() -> None:
    two = [job(f"r.{INSERT}.gold_x"), job("r.merge_into_command.gold_x", id=2)]
    assert names(*two) == [each.name for each in two]


def test_beside_the_dataset_that_it_writes_a_job_is_its_application() -> None:
    writer = job(f"report_delays.{INSERT}.gold_delays_by_airline")
    short = short_names([writer], [GOLD])
    assert beside_target(writer, GOLD, short) == "report_delays"
    other = Dataset(2, "file", "/lake/gold/routes")
    assert beside_target(writer, other, short) == "report_delays → gold/delays_by_airline"


def test_an_application_with_the_name_of_a_job_keeps_its_target() -> None:
    writer = job(f"report.{INSERT}.gold_delays_by_airline")
    short = short_names([writer, job("report", id=2)], [GOLD])
    assert beside_target(writer, GOLD, short) == "report → gold/delays_by_airline"


def test_a_name_with_its_own_arrow_is_unchanged() -> None:
    writer = job("a → gold/delays_by_airline")
    assert beside_target(writer, GOLD, short_names([writer], [GOLD])) == writer.name


def test_jobs_of_two_namespaces_have_their_namespace() -> None:
    two = [job(f"r.{INSERT}.gold_x", "dev"), job(f"r.{INSERT}.gold_x", "prod", 2)]
    assert names(*two) == [each.full_name for each in two]


part = st.sampled_from(["a", "b", "append_data", INSERT, "a → b", "x_y"])


@given(st.sets(st.tuples(part, st.lists(part, min_size=1, max_size=3)
                         .map(".".join)), max_size=8))  # fmt: skip
def test_no_two_jobs_have_the_same_name(found: set[tuple[str, str]]) -> None:
    jobs = [Job(id, *each) for id, each in enumerate(sorted(found))]
    short = short_names(jobs, [Dataset(1, "n", "a/b"), Dataset(2, "n", "x/y")])
    assert len(set(short.values())) == len({each.full_name for each in jobs})
