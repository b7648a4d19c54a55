"""The exports of ``import lineage``, and modules that it does not load."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import packages_distributions, requires, version

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


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


# Modules that need the packages of an extra; all others are imported without any.
OF_EXTRAS = (
    "lineage.http.", "lineage.mcp.", "lineage.metaflow.decorator", "lineage.metaflow.flow",
    "lineage.observe.file_accesses", "lineage.observe.observed_filesystem",
)  # fmt: skip
WITHOUT_EXTRAS = """
import importlib, pkgutil, sys
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split():
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Finder)
import lineage
from click import Context, Group
from click.testing import CliRunner
from lineage_cli import main

for module in pkgutil.walk_packages(lineage.__path__, "lineage."):
    try:
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    except (ImportError, lineage.errors.UsageError) as error:
        print(module.name)

def ask(command, words, context):
    answer = CliRunner().invoke(main, [*words, "--help"])
    if answer.exit_code:
        print(*words, answer.output, answer.exception)
    for name in command.list_commands(context) if isinstance(command, Group) else ():
        part = command.get_command(context, name)
        ask(part, [*words, name], Context(part, parent=context, info_name=name))

ask(main, [], Context(main))
"""


def required_distributions(name: str) -> set[str]:
    """Return a distribution and all that it requires without extras, by normalized name."""
    found: set[str] = set()
    left = [name]
    while left:
        each = canonicalize_name(left.pop())
        if each not in found:
            found.add(each)
            needed = map(Requirement, requires(each) or [])
            left += [r.name for r in needed if not r.marker or r.marker.evaluate({"extra": ""})]
    return found


def test_only_modules_of_extras_need_more_than_the_dependencies():
    """No other module and no help of a command imports what pip did not install."""
    allowed = required_distributions("lineage-age")
    other = [
        package
        for package, names in packages_distributions().items()
        if allowed.isdisjoint(map(canonicalize_name, names))
    ]
    assert {"pyspark", "pyarrow", "starlette", "fsspec"} <= set(other)
    command = [sys.executable, "-c", WITHOUT_EXTRAS, " ".join(other)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "lineage.http.serve.app" in lines
    assert [line for line in lines if not line.startswith(OF_EXTRAS)] == []
