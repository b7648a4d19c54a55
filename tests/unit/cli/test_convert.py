"""``lineage convert``: events on stdout, invalid lines on stderr, and the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.openlineage_schema import assert_valid
from support.events.plan_documents import RUN, Plans, application, execution_end


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["convert", *arguments], input=text)


def document() -> str:
    plans = Plans()
    plans.table("sales")
    return json.dumps(execution_end(plans.build()))


def test_events_are_json_lines(tmp_path: Path) -> None:
    (tmp_path / f"{RUN}-0000.jsonl").write_text(f"{document()}\n")
    result = run(str(tmp_path))
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    event = json.loads(line)
    assert_valid(event)
    assert event["inputs"][0]["name"] == "/wh/sales"
    assert result.stderr == ""


def test_bad_lines_are_reported_and_the_rest_is_converted(tmp_path: Path) -> None:
    file = tmp_path / "documents.jsonl"
    file.write_text(f"nonsense\n{document()}\n")
    result = run(str(file))
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1
    assert f"{file}:1: The plan document is not JSON" in result.stderr


def test_standard_input_is_read() -> None:
    result = run("-", text=f"{document()}\n")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8:strict"])
def test_standard_input_is_utf_8_in_any_locale(encoding: str) -> None:
    """The last line is cut within a character, as by a driver that was killed."""
    text = json.dumps(json.loads(document()), ensure_ascii=False).replace("sales", "sílber")
    whole = text.encode()
    cut = whole[: whole.index("í".encode()) + 1]
    program = str(Path(sys.executable).parent / "lineage")
    done = subprocess.run(
        [program, "convert", "-"],
        input=whole + b"\n" + cut,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    event = json.loads(done.stdout.decode(encoding.partition(":")[0]))
    assert event["inputs"][0]["name"] == "/wh/sílber"
    assert done.returncode == 1
    assert b"<stdin>:2: The last line is incomplete." in done.stderr


def test_the_exit_code_of_the_application_can_be_reported() -> None:
    end = {"lineage": 1, "kind": "application_end", "time": 1, "app": application()}
    result = run("-", "--exit-code", "2", text=json.dumps(end) + "\n")
    assert json.loads(result.stdout)["eventType"] == "FAIL"


def test_the_default_is_the_spool_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(f"{document()}\n")
    result = CliRunner().invoke(main, ["convert"], env={"LINEAGE_SPOOL": str(tmp_path)})
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)


def test_a_missing_spool_is_an_error(tmp_path: Path) -> None:
    result = run(str(tmp_path / "nowhere"))
    assert result.exit_code == 2
    assert "There is no spool at" in result.stderr
    assert "Traceback" not in result.stderr


def test_directories_below_a_spool_belong_to_it(tmp_path: Path) -> None:
    """``lineage run`` creates one for each command."""
    (tmp_path / "run-1").mkdir()
    (tmp_path / "run-1" / "x.jsonl").write_text(f"{document()}\n")
    result = run(str(tmp_path))
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)


def test_a_directory_without_plan_documents_is_reported(tmp_path: Path) -> None:
    result = run(str(tmp_path))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"There are no plan documents in {tmp_path}.\n"


def test_an_empty_default_spool_is_no_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["convert"], env={"LINEAGE_SPOOL": str(tmp_path)})
    assert (result.exit_code, result.stdout) == (0, "")
