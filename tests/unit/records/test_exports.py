"""The names of ``lineage.records``, which are imported on access."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lineage.records as records


def test_each_exported_name_exists() -> None:
    for name in records.__all__:
        assert getattr(records, name) is not None, name
    assert set(records.__all__) <= set(dir(records))


def test_no_module_has_the_name_of_an_export() -> None:
    """Importing a module sets the attribute of the package, which would hide the export."""
    modules = {path.stem for path in Path(records.__file__).parent.glob("*.py")}
    assert modules & set(records.__all__) == set()


def test_importing_the_package_loads_no_other_distribution() -> None:
    code = (
        "import sys, lineage.records;"
        "print(sorted({'msgspec', 'psycopg', 'pandas', 'pyarrow', 'pyspark'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
