"""End to end: Spark job, listener, ``lineage serve``, graph, ``lineage query``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from click.testing import CliRunner
from lineage_cli import main
from support.services.polling import wait_until_projected

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit

LINEAGE = Path(sys.executable).parent / "lineage"


def lineage(*words: str) -> str:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_a_job_that_sends_its_documents_is_answered_for(spark_submit: SparkSubmit, dsn: str):
    token = lineage(
        "token", "add", "spark", "--namespace", "nightly", "--namespace", "file", "--dsn", dsn
    ).strip()
    serve = [LINEAGE, "serve", "--port", "0", "--tokens", "--dsn", dsn]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        url = next(m[0] for line in server.stderr if (m := re.search(r"http://[\d.]+:\d+", line)))
        settings = {"spark.lineage.url": url, "spark.lineage.namespace": "nightly"}
        job = spark_submit.start("two_steps.py", conf=settings, env={"LINEAGE_TOKEN": token})
        assert job.finish() == 0, job.log[-3000:]
        with psycopg.connect(dsn, autocommit=True) as conn:
            wait_until_projected(conn)
        server.terminate()
        server.communicate(timeout=60)
    assert not list(job.spool.glob("unsent/*.jsonl"))
    [step] = json.loads(lineage("query", "lake/clean", "--format", "json", "--dsn", dsn))
    assert step["source"] == f"file:{job.directory}/lake/raw"
    assert step["job"].startswith("nightly/two_steps.")
    [run] = json.loads(lineage("runs", "nightly/two_steps", "--format", "json", "--dsn", dsn))
    assert run["state"] == "COMPLETE"
