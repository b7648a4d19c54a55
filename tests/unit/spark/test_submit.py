"""``lineage run``: adds the listener to a command and keeps the user's settings."""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path

import pytest

from lineage.spark.launcher.submit import LISTENER, with_listener

JAR = Path("/opt/lineage.jar")


def conf(arguments: list[str]) -> dict[str, str]:
    """Return the effective settings of spark-submit: the last value of a key wins."""
    pairs = itertools.pairwise(arguments)
    return dict(value.split("=", 1) for option, value in pairs if option in ("--conf", "-c"))


def submit(text: str) -> list[str]:
    return with_listener(shlex.split(text), JAR, {"spark.lineage.spool": "/spool"}).arguments


@pytest.fixture(autouse=True)
def no_spark_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)


def test_adds_jar_listener_and_settings_before_the_application():
    arguments = submit("spark-submit job.py --conf not=ours")
    assert arguments[-3:] == ["job.py", "--conf", "not=ours"]
    assert arguments[1:3] == ["--jars", str(JAR)]
    assert conf(arguments[:-2]) == {
        "spark.extraListeners": LISTENER,
        "spark.lineage.spool": "/spool",
    }


@pytest.mark.parametrize(
    "given",
    [
        "--conf spark.extraListeners=com.acme.Audit --jars a.jar,b.jar",
        "--conf=spark.extraListeners=com.acme.Audit --jars=a.jar,b.jar",
        "-c spark.extraListeners=com.acme.Audit --conf spark.jars=a.jar,b.jar",
    ],
)
def test_keeps_the_listeners_and_jars_of_the_command(given: str):
    arguments = submit(f"spark-submit --verbose {given} --name x job.py")
    assert conf(arguments)["spark.extraListeners"] == f"com.acme.Audit,{LISTENER}"
    assert arguments[arguments.index("--jars") + 1] == f"a.jar,b.jar,{JAR}"
    assert arguments.count("--jars") == 1
    assert arguments[-4:] == ["--verbose", "--name", "x", "job.py"]


def test_keeps_the_listeners_of_the_properties_file(tmp_path: Path):
    file = tmp_path / "spark.conf"
    file.write_text("# ours\nspark.extraListeners   com.acme.Audit\nspark.jars=a.jar\n\n")
    arguments = submit(f"spark-submit --properties-file {file} job.py")
    assert conf(arguments)["spark.extraListeners"] == f"com.acme.Audit,{LISTENER}"
    assert arguments[arguments.index("--jars") + 1] == f"a.jar,{JAR}"


def test_keeps_the_listeners_of_spark_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "spark-defaults.conf").write_text("spark.extraListeners=com.acme.Audit\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert conf(submit("spark-submit job.py"))["spark.extraListeners"].startswith("com.acme.Audit,")


def test_a_listener_that_is_there_already_is_not_added_twice():
    arguments = submit(f"spark-submit --conf spark.extraListeners={LISTENER} job.py")
    assert conf(arguments)["spark.extraListeners"] == LISTENER


def test_documents_go_where_they_will_be_read_from():
    given = "--conf spark.lineage.spool=/theirs --conf spark.lineage.tags=team:sales"
    ours = {"spark.lineage.spool": "/ours", "spark.lineage.transport": "file"}
    command = with_listener(shlex.split(f"spark-submit {given} job.py"), JAR, ours)
    assert conf(command.arguments) == {
        "spark.extraListeners": LISTENER,
        "spark.lineage.tags": "team:sales",
        **ours,
    }
    assert command.ignored == ("spark.lineage.spool",)


def test_a_python_program_gets_the_options_through_its_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars a.jar pyspark-shell")
    command = with_listener(["python", "job.py"], JAR, {})
    assert command.arguments == ["python", "job.py"]
    words = shlex.split(command.environment["PYSPARK_SUBMIT_ARGS"])
    assert words[:2] == ["--jars", f"a.jar,{JAR}"]
    assert words[-1] == "pyspark-shell"
    assert conf(words)["spark.extraListeners"] == LISTENER
