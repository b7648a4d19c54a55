"""Faults of the listener and around it: they do not affect the job, and are reported."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import read_document
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit, Submitted


def documents(spool: Path) -> list[dict[str, Any]]:
    lines = [
        line for file in sorted(spool.glob("*.jsonl")) for line in file.read_text().splitlines()
    ]
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile data sources that throw only when called by the listener."""
    import pyspark

    classes = tmp_path_factory.mktemp("classes")
    spark_jars = Path(pyspark.__file__).parent / "jars"
    sources = [str(source) for source in (Path(__file__).parent / "java").rglob("*.java")]
    command = ["javac", "-proc:none", "-nowarn", "-cp", f"{spark_jars}/*", "-d", classes, *sources]
    subprocess.run(command, check=True)
    return classes


@pytest.fixture(scope="module")
def several(spark_submit: SparkSubmit, faults: Path) -> Submitted:
    conf = {"spark.driver.extraClassPath": str(faults)}
    job = spark_submit.start("several_applications.py", conf=conf)
    assert job.finish() == 1, "the last application raises an error"
    return job


def test_a_spool_that_cannot_be_written_harms_no_job_and_is_reported_once(several: Submitted):
    spool = several.directory / "blocked" / "spool"
    assert (several.directory / "lake" / "unwritable").is_dir()
    told = [line for line in several.log.splitlines() if f"spool {spool} cannot be written" in line]
    assert len(told) == 2, "once in each of the two applications that had this spool"
    assert "set spark.lineage.spool to another" in told[0]
    assert "6 documents of this application were lost" in several.log


def test_what_waited_is_delivered_when_the_spool_can_be_written(several: Submitted):
    spool = several.directory / "blocked" / "spool"
    assert [d["kind"] for d in documents(spool)] == [
        "application_start",
        *("execution_start", "execution_end") * 2,
        "application_end",
    ]
    assert {d["app"]["name"] for d in documents(spool)} == {"writable-later"}


def test_a_full_disk_loses_nothing_once_space_is_free_and_breaks_no_line(
    several: Submitted,
):
    (told,) = [line for line in several.log.splitlines() if "disk-full cannot be written" in line]
    assert "File too large" in told
    found = documents(several.directory / "disk-full")
    assert [d["kind"] for d in found] == [
        "application_start",
        *("execution_start", "execution_end") * 4,
        "application_end",
    ]
    assert found[-1]["dropped"] == {}


@pytest.mark.parametrize("sink", ["Throws", "LacksClass"])
def test_what_throws_inside_our_own_code_is_reported_by_its_class(several: Submitted, sink: str):
    found = documents(several.directory / "faulty")
    ends = [d for d in found if d["kind"] == "execution_end"]
    commands = [d["plan"]["nodes"][d["plan"]["root"]] for d in ends if "plan" in d]
    sources = [command["args"]["dataSource"] for command in commands]
    assert {"class": f"faults.Sink${sink}"} in sources


def test_an_execution_whose_plan_breaks_our_own_code_says_that_its_lineage_is_missing(
    several: Submitted,
):
    *_, end, over = documents(several.directory / "faulty")
    assert "plan" not in end
    *_, complete = convert_document(read_document(end))
    assert complete.eventType.value == "COMPLETE"
    (item,) = complete.run.facets["lineage_unresolved"].items
    assert item["reason"] == "the document has no plan"
    assert over["executions"] == {"complete": 3, "failed": 0}
    assert "a plan could not be recorded" in several.log


def last_plan(several: Submitted, application: str) -> Any:
    ends = [d for d in documents(several.directory / application) if d["kind"] == "execution_end"]
    return ends[-1]["plan"]


def test_a_plan_over_the_limit_loses_expressions_first(several: Submitted):
    plan = last_plan(several, "no-expressions")
    assert plan["truncated"] == {"bytes": 9 * 1024, "lost": ["exprs"]}
    assert {e[0] for e in plan["exprs"]} == {"#"}
    assert len(json.dumps(plan, separators=(",", ":"))) <= 9 * 1024 + 100
    assert plan["nodes"][plan["root"]]["args"]["outputPath"].endswith("no-expressions-again")


def test_a_plan_far_over_the_limit_keeps_relations_and_commands(several: Submitted):
    plan = last_plan(several, "relations-only")
    assert plan["truncated"]["lost"] == ["exprs", "out", "nodes"]
    assert {"Range", "InsertIntoHadoopFsRelationCommand"} <= {n["op"] for n in plan["nodes"]}
    assert len(json.dumps(plan, separators=(",", ":"))) <= 2 * 1024 + 200


def test_the_spool_goes_on_in_a_new_file(several: Submitted):
    files = sorted((several.directory / "small-files").glob("*.jsonl"))
    assert [int(f.stem[-4:]) for f in files] == list(range(len(files)))
    assert len(files) > 1
    assert all(f.stat().st_size <= 4 * 1024 for f in files)


def test_an_invalid_setting_is_reported_and_the_default_used(several: Submitted):
    assert "spark.lineage.flushTimeout=soon is invalid; the default 5s is used" in several.log
    assert "there is no setting spark.lineage.plan.maxByte." in several.log
    run = "spark.openlineage.applicationRunId=load-42 is invalid; a random UUID is used."
    assert several.log.count(run) == 1
    assert documents(several.directory / "bad-settings")[-1]["kind"] == "application_end"


def test_the_listener_can_be_switched_off(several: Submitted):
    assert (several.directory / "lake" / "off").is_dir()
    assert not (several.directory / "off").exists()


def test_settings_that_disable_openlineage_spark_disable_the_listener_unless_overridden(
    several: Submitted, spark_submit: SparkSubmit
):
    assert (several.directory / "lake" / "off-by-openlineage").is_dir()
    assert not (several.directory / "off-by-openlineage").exists()
    assert documents(several.directory / "on-in-spite-of-it")[-1]["kind"] == "application_end"
    job = spark_submit.start("small.py", env={"OPENLINEAGE_DISABLED": "True"})
    assert job.finish() == 3
    assert not job.spool.exists()


def test_an_application_that_ends_with_an_error_does_not_pretend_to_know_its_exit_code(
    several: Submitted,
):
    end = documents(several.directory / "raises")[-1]
    assert end["kind"] == "application_end"
    assert end["shutdown"] is True
    assert "exitCode" not in end
    assert end["last"]["outcome"] == "FAIL"
    assert "PATH_ALREADY_EXISTS" in end["last"]["error"]["message"]
    assert end["executions"] == {"complete": 2, "failed": 1}


def is_locked(file: Path) -> bool:
    """Return whether another process holds the lock, without acquiring it."""
    with file.open("rb") as lock:
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        answer = struct.unpack("hhqqi4x", fcntl.fcntl(lock, fcntl.F_GETLK, asked))
    return bool(answer[0] != fcntl.F_UNLCK)


@pytest.mark.slow
def test_a_killed_application_is_distinguished_from_one_that_runs(spark_submit: SparkSubmit):
    job = spark_submit.start("waiting.py")
    job.wait_for("running")
    (lock,) = job.spool.glob("*.lock")
    assert is_locked(lock)
    os.killpg(job.process.pid, signal.SIGKILL)
    job.finish()
    assert not is_locked(lock)
    kinds = [d["kind"] for d in job.documents()]
    assert kinds == ["application_start", "execution_start", "execution_end", "execution_start"]
    assert job.documents()[-1]["plan"]["nodes"][-1]["args"]["outputPath"].endswith("/never")


@pytest.mark.slow
def test_a_terminated_application_writes_its_last_document(spark_submit: SparkSubmit):
    job = spark_submit.start("waiting.py")
    job.wait_for("running")
    job.process.send_signal(signal.SIGTERM)
    job.finish()
    *_, open_execution, end = job.documents()
    assert open_execution["kind"] == "execution_end"
    assert open_execution["outcome"] == "FAIL"
    assert end["kind"] == "application_end"
    assert end["shutdown"] is True
    assert end["executions"] == {"complete": 1, "failed": 1}
    assert not list(job.spool.glob("*.lock"))


def without(name: str, original: Path, target: Path) -> Path:
    """Copy the jar without a class, as after an incomplete download or upgrade."""
    with zipfile.ZipFile(original) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.namelist():
            if entry != f"io/lineage/spark/{name}.class":
                new.writestr(entry, old.read(entry))
    return target


@pytest.mark.slow
def test_a_linkage_error_on_the_bus_stops_nothing_and_is_counted(
    spark_submit: SparkSubmit, tmp_path: Path
):
    broken = without("Execution", jar.jar_path(*jar.installed_spark()), tmp_path / "broken.jar")
    job = spark_submit.start("small.py", listener=broken)
    assert job.finish() == 3, "the job ends as it would have without the listener"
    assert (job.directory / "lake" / "_SUCCESS").exists()
    assert job.log.count("Lineage: an event was lost") == 1
    assert "java.lang.NoClassDefFoundError: io/lineage/spark/Execution" in job.log
    assert job.documents()[-1]["kind"] == "application_end"
    assert job.documents()[-1]["dropped"]["error"] > 0


def for_another_spark(original: Path, target: Path) -> Path:
    """Copy the jar, marked as built for another version of Spark."""
    with zipfile.ZipFile(original) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("build.properties"):
                content = re.sub(rb"fits=.*", b"fits=3.4_2.12 3.4_2.13", content)
            new.writestr(name, content)
    return target


@pytest.mark.slow
def test_a_jar_for_another_spark_is_one_clear_line(spark_submit: SparkSubmit, tmp_path: Path):
    version, scala = jar.installed_spark()
    wrong = for_another_spark(jar.jar_path(version, scala), tmp_path / "wrong.jar")
    job = spark_submit.start("small.py", listener=wrong)
    assert job.finish() == 3, "the job ends as it would have without the listener"
    assert (job.directory / "lake" / "_SUCCESS").exists()
    (line,) = [line for line in job.log.splitlines() if "Lineage is off" in line]
    assert "is for Spark 3.4 with Scala 2.12, Spark 3.4 with Scala 2.13, but this is Spark" in line
    assert f"run `lineage jar --spark {version}` of that version." in line
    assert not job.spool.exists()
