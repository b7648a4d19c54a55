"""Steps in real jobs of Spark: the same items and exact counts, and the same rows as without."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lineage.records import correlation_id
from lineage.records.keys import hash_key, sampling_threshold

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit

PAGE = Path(__file__).parents[2] / "docs/how-to/record-items.md"
RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"


def id_of(number: int) -> str:
    return correlation_id(RUN, "id", number)


@pytest.fixture(scope="module")
def directory(spark_submit: SparkSubmit) -> Path:
    """Run the job of the steps, and return its directory."""
    job = spark_submit.start("record_steps.py", conf={"spark.master": "local[2,3]"})
    assert job.finish() == 0, job.log[-4000:]
    return job.directory


@pytest.fixture(scope="module")
def results(directory: Path) -> dict[str, Any]:
    return json.loads((directory / "results.json").read_text())


@pytest.fixture(scope="module")
def attempts(spark_submit: SparkSubmit) -> dict[str, Any]:
    """Run a job whose tasks run twice or are lost, with executors of its own."""
    speculation = {
        "spark.executor.memory": "512m",
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.minTaskRuntime": "100ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.efficiency.enabled": "false",
    }
    job = spark_submit.start("record_attempts.py", conf=speculation)
    assert job.finish() == 0, job.log[-4000:]
    return json.loads((job.directory / "results.json").read_text())


def outcomes(case: dict[str, Any], node: str) -> dict[str, int]:
    return {name: rows for name, rows in case["nodes"][node]["outcomes"].items() if rows}


def test_the_same_items_are_sampled_with_4_and_with_9_partitions(results: dict[str, Any]) -> None:
    few, many = results["4 partitions"], results["9 partitions"]
    sampled = [n for n in range(1000) if hash_key(n) < sampling_threshold(0.2)]
    lowest = sorted(sampled, key=hash_key)[:30]
    assert [item["id"] for item in few["items"]] == [id_of(n) for n in lowest]
    assert many["items"] == few["items"]
    for case in (few, many):
        assert outcomes(case, "parse") == {"emitted": 900, "filtered_out": 100}
        assert case["report"]["sampled"] == len(sampled)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_files_of_a_job_are_equal_byte_for_byte_with_and_without_a_capture(
    directory: Path, results: dict[str, Any], kind: str
) -> None:
    def files(mode: str) -> dict[str, bytes]:
        paths = sorted((directory / mode / kind).glob("part-*"))
        return {path.name[:10]: path.read_bytes() for path in paths}

    assert len(files("off")) == 3
    assert files("on") == files("off")
    assert results["files"]["report"]["degraded"]


def test_a_stage_that_a_sort_evaluates_twice_counts_once(results: dict[str, Any]) -> None:
    case = results["sorted"]
    assert case["rows"] == 270
    assert outcomes(case, "parse") == {"emitted": 270, "filtered_out": 30}


def test_failed_and_killed_attempts_count_once(results: dict[str, Any]) -> None:
    case = results["failed attempts"]
    dead = {n for n in range(300) if n % 25 == 1}
    filtered = {n for n in range(300) if n % 10 == 3}
    assert case["rows"] == 300 - len(dead | filtered)
    node = case["nodes"]["load"]
    assert node["rows_in"] == 300
    assert node["outcomes"]["dead_lettered"] == node["outcomes"]["error"] == len(dead)
    assert node["outcomes"]["filtered_out"] == len(filtered - dead)
    assert node["outcomes"]["emitted"] == case["rows"]
    assert len(case["items"]) == 300


def test_a_dead_letter_is_written_once_although_attempts_fail(
    directory: Path, results: dict[str, Any]
) -> None:
    files = sorted((directory / "dead").glob("*.jsonl"))
    letters = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert len(files) == 3
    assert sorted(letter["row"]["id"] for letter in letters) == list(range(1, 300, 25))
    by_id = {letter["item"]: letter for letter in letters}
    for item in results["failed attempts"]["items"]:
        if "dead_lettered" in item["outcome"]:
            assert by_id[item["id"]]["retries"] == 1
            assert item["errors"] == ["ValueError"]  # the value is redacted
            assert "secret" in by_id[item["id"]]["error"]


def test_rdd_map_foreach_partition_and_apply_in_pandas_are_recorded(
    results: dict[str, Any],
) -> None:
    case = results["calls"]
    assert len(case["mapped"]) == 30  # rdd.map keeps a None
    assert outcomes(case, "parse") == {"emitted": 27, "filtered_out": 3}
    assert outcomes(case, "save") == {"emitted": 20}
    assert case["largest"] == [257, 258, 259]
    assert outcomes(case, "largest") == {"emitted": 60, "aggregated": 60}
    [zero, *_] = [item for item in case["items"] if id_of(258) in item["contributors"] or (
        item["path"] == ["largest"] and 258 % 3 == 0 and item["rows"] == [20])]  # fmt: skip
    assert zero["rows"] == [20]
    assert len(zero["contributors"]) == 16
    assert all(len(item["path"]) == 1 for item in case["items"])


def test_an_item_has_its_history_over_the_steps_of_a_plan(results: dict[str, Any]) -> None:
    case = results["two steps"]
    by_id = {item["id"]: item for item in case["items"]}
    assert by_id[id_of(5)]["path"] == ["parse", "enrich"]
    assert by_id[id_of(13)]["path"] == ["parse"]
    assert by_id[id_of(13)]["outcome"] == ["filtered_out"]
    # Spark's own filter has removed these.
    assert sorted(case["unresolved"]) == sorted(id_of(n) for n in (7, 27, 47))
    [edge] = case["report"]["edges"]
    assert (edge["source"], edge["target"], edge["items"]) == ("parse", "enrich", 51)


def test_a_step_of_an_imported_module_is_recorded(results: dict[str, Any]) -> None:
    assert outcomes(results["module"], "parse") == {"emitted": 40}
    assert len(results["module"]["items"]) == 40


def test_an_error_of_the_recording_does_not_reach_the_job(results: dict[str, Any]) -> None:
    case = results["errors of the recording"]
    assert case["rows"] == 36
    assert outcomes(case, "parse") == {"emitted": 36, "filtered_out": 4}
    assert {item["data"] for item in case["items"]} == {None}


def test_items_above_the_cap_are_written_through_and_counted(results: dict[str, Any]) -> None:
    case = results["degrade"]
    report = case["report"]
    lowest = sorted(range(200), key=hash_key)[:20]
    assert [item["id"] for item in case["items"]] == [id_of(n) for n in lowest]
    assert report["recorded"] == 20
    assert report["sampled"] == 200
    # Each of the 4 tasks sends at most 20 items.
    assert (report["written_through"], report["dropped"]) == (60, 120)
    assert len(set(case["received"])) == 80
    assert outcomes(case, "parse") == {"emitted": 180, "filtered_out": 20}


def test_a_job_after_a_capture_is_not_recorded(results: dict[str, Any]) -> None:
    assert results["after"]["nodes"] == {}


def test_values_that_pandas_cannot_hold_stay_exact(results: dict[str, Any]) -> None:
    assert results["values"]["outputs"] == [
        [1, "9007199254740993"], [2, None], [1, 9007199254740993], [2, None],
    ]  # fmt: skip


def test_times_and_nested_values_stay_what_they_are(results: dict[str, Any]) -> None:
    case = results["times"]
    assert "datetime.datetime(2026, 7, 1" in case["before"]
    assert case["after"] == case["before"]


def test_the_broadcast_side_of_a_join_is_recorded(results: dict[str, Any]) -> None:
    case = results["broadcast"]
    assert case["rows"] == 18
    assert outcomes(case, "parse") == {"emitted": 18, "filtered_out": 2}


@pytest.mark.slow  # failed and killed attempts are above, without executors
def test_a_speculative_attempt_counts_once(attempts: dict[str, Any]) -> None:
    assert attempts["attempts"] == ["attempt 0", "attempt 1"]
    assert sum(attempts["sizes"]) == 180
    assert attempts["speculation"]["rows"] == 200
    assert attempts["speculation"]["outcomes"]["filtered_out"] == 20
    assert attempts["speculation"]["items"] == 200


@pytest.mark.slow  # of the same job
def test_partitions_that_are_computed_again_after_a_loss_count_once(
    attempts: dict[str, Any],
) -> None:
    assert attempts["killed"]
    assert sum(attempts["sizes after a loss"]) == 180
    assert attempts["lost executor"]["rows"] == 200
    assert attempts["lost executor"]["items"] == 200


def test_the_page_shows_what_its_code_prints(spark_submit: SparkSubmit, dsn: str) -> None:
    env = {"LINEAGE_DSN": dsn}
    page = spark_submit.start("record_page.py", str(PAGE), env=env)
    assert page.finish() == 0, page.log[-4000:]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    shown = [text for language, text in blocks if not language]
    assert len(shown) == 6
    position = 0
    for line in "".join(shown).splitlines():
        position = page.log.index(f"{line}\n", position)
    [letters, *_] = sorted((page.directory / "rejected").glob("parse-*.jsonl"))
    assert json.loads(letters.read_text())["row"] == {"order_id": 3, "amount": "cheap"}
