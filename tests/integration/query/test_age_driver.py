"""The graph read with AGE's Python driver from PyPI."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from psycopg.conninfo import conninfo_to_dict

from lineage.errors import UsageError

if TYPE_CHECKING:
    import psycopg

    from lineage.query import Graph

# The driver requires psycopg2, which has no wheel. Therefore it cannot be in a lock file; it is
# installed with psycopg2-binary in a separate environment.
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
    """Return the interpreter of an environment with the driver."""
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


TO_AGE = """
import json, sys, lineage
from age.models import Edge, Path, Vertex
with lineage.connect(sys.argv[1]) as graph:
    table = graph.cypher(
        "MATCH p=(s:Dataset)-[f:FEEDS]->(t:Dataset) WHERE t.name = $n "
        "RETURN s, f, p, [s, {x: f}], s.name, {id: 1, label: 'x', properties: {}}, '}::vertex' "
        "ORDER BY s.name", {"n": "gold/revenue"})
for s, f, p, inner, name, like_a_vertex, text in table.to_age():
    assert (type(s), type(f), type(p)) == (Vertex, Edge, Path), (s, f, p)
    assert (f.start_id, f.end_id) == (s.id, p[2].id) and p[0].id == s.id and p[1].id == f.id
    assert type(inner[0]) is Vertex and type(inner[1]["x"]) is Edge and len(p) == 3
    assert like_a_vertex == {"id": 1, "label": "x", "properties": {}} and text == "}::vertex"
    print(json.dumps([s.label, s["name"], f.label, f["runs"], p[2]["name"], name]))
"""


def test_answers_are_objects_of_the_driver_where_it_is_installed(
    shop: psycopg.Connection[Any], dsn: str, python: Path
) -> None:
    done = run_beside_driver(TO_AGE, dsn, python)
    assert not done.returncode, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        ["Dataset", "silver/orders", "FEEDS", 2, "gold/revenue", "silver/orders"],
        ["Dataset", "silver/rates", "FEEDS", 1, "gold/revenue", "silver/rates"],
    ]


VALUES = r"""
import sys, lineage
from age.models import Edge, Path, Vertex
text = "é \u2028 😀 \\ \" ' }::vertex"
with lineage.connect(sys.argv[1]) as graph:
    query = (
        "MATCH p=(s:Dataset)-[:FEEDS]->(t:Dataset) WHERE t.name = 'gold/revenue' "
        "WITH p, s ORDER BY s.name LIMIT 1 "
        "RETURN null, 9007199254740993, -0.0, 1.5e300, 0.1::numeric, $text, "
        "[p, [p, null]], {a: {b: [s, {c: relationships(p)}]}}, nodes(p)"
    )
    [row] = graph.cypher(query, {"text": text}).to_age()
    nothing = graph.cypher("MATCH (n:Dataset {name: 'no such'}) RETURN n").to_age()
null, whole, zero, real, exact, same, paths, map, nodes = row
assert null is None and nothing == []
assert whole == 9007199254740993 and type(whole) is int
assert str(zero) == "-0.0" and real == 1.5e300 and float(exact) == 0.1
assert same == text, ascii(same)
assert type(paths[0]) is Path and type(paths[1][0]) is Path and paths[1][1] is None
assert type(map["a"]["b"][0]) is Vertex and type(map["a"]["b"][1]["c"][0]) is Edge
assert [type(node) for node in nodes] == [Vertex, Vertex]
print("held")
"""


def test_values_of_any_kind_stand_beside_objects_of_the_driver(
    shop: psycopg.Connection[Any], dsn: str, python: Path
) -> None:
    done = run_beside_driver(VALUES, dsn, python)
    assert (done.returncode, done.stdout) == (0, "held\n"), done.stderr


def run_beside_driver(script: str, dsn: str, python: Path) -> subprocess.CompletedProcess[str]:
    """Run a script with our interpreter and the driver on its path."""
    [packages] = python.parent.parent.glob("lib/python*/site-packages")
    return subprocess.run(
        [sys.executable, "-c", script, dsn],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(packages)},
    )


def test_without_the_driver_the_error_says_how_to_install_it(provenance: Graph) -> None:
    with pytest.raises(UsageError, match="pip install --no-deps apache-age-python") as error:
        provenance.cypher("RETURN 1").to_age()
    assert "psycopg2-binary" in str(error.value)
