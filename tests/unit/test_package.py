"""The exports of ``import lineage``, and modules that it does not load."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version


def printed(script: str) -> str:
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_line_of_the_readme_for_notebooks_works():
    assert printed("import lineage; print(lineage.spark.configure.__name__)") == "configure"


def test_answers_can_be_exported_without_another_import():
    assert printed("import lineage; print(lineage.export.NOTATIONS[0])") == "dot"
    assert printed("import lineage; print(lineage.errors.LineageError.__name__)") == "LineageError"


def test_the_version_is_that_of_the_package():
    assert printed("import lineage; print(lineage.__version__)") == version("lineage-age")


def test_dir_and_help_show_the_way_in():
    names = printed("import lineage; print(*dir(lineage))").split()
    assert {"__version__", "connect", "errors", "export", "spark"} <= set(names)
    page = printed("import lineage; help(lineage)")
    for word in ("lineage.connect()", "lineage.spark.configure(", "lineage.export", "connect(dsn"):
        assert word in page


def test_importing_loads_neither_spark_nor_psycopg():
    loaded = "print(*(name for name in ('pyspark', 'psycopg') if name in sys.modules))"
    assert printed(f"import sys, lineage; dir(lineage); lineage.__version__; {loaded}") == ""


def test_a_name_that_is_not_there_is_an_attribute_error():
    script = "import lineage\ntry: lineage.sprak\nexcept AttributeError as error: print(error)"
    assert printed(script) == "module 'lineage' has no attribute 'sprak'"
