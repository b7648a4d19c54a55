"""The graph is readable with AGE's own Python driver, as it is on PyPI."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from psycopg.conninfo import conninfo_to_dict

if TYPE_CHECKING:
    import psycopg

# It asks for psycopg2, which is no wheel, so it cannot stand in a lock file: psycopg2-binary is put
# beside it, in an environment of its own.
DRIVER = ["apache-age-python==0.0.7", "psycopg2-binary==2.9.10", "antlr4-python3-runtime==4.11.1"]

SCRIPT = """
import json, sys, age
graph = age.connect(graph="provenance", **json.loads(sys.argv[1]))
rows = graph.execCypher(
    "MATCH p=(s:Dataset)-[f:FEEDS]->(t:Dataset) WHERE t.name = %s RETURN s, f, p ORDER BY s.name",
    cols=["s agtype", "f agtype", "p agtype"], params=("gold/revenue",))
for source, feeds, path in rows:
    kinds = [type(value).__name__ for value in (source, feeds, path)]
    print(json.dumps([kinds, source["name"], feeds["runs"], path[2]["name"]]))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the driver."""
    home = tmp_path_factory.mktemp("driver")
    uv = str(Path(sys.executable).parent / "uv")
    python = home / "bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, home], check=True)
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--python", python]
    subprocess.run([*install, *DRIVER], check=True)
    return python


def test_the_driver_reads_vertices_edges_and_paths(
    shop: psycopg.Connection[Any], dsn: str, python: Path
) -> None:
    done = subprocess.run(
        [python, "-c", SCRIPT, json.dumps(conninfo_to_dict(dsn))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    kinds = ["Vertex", "Edge", "Path"]
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        [kinds, "silver/orders", 2, "gold/revenue"],
        [kinds, "silver/rates", 1, "gold/revenue"],
    ]
