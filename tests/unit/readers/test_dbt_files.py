"""The files of dbt: versions, and what is no file of dbt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lineage.errors import UsageError
from lineage.readers.dbt.files import read_artifacts

if TYPE_CHECKING:
    from pathlib import Path


def schema(kind: str, version: int) -> str:
    return f"https://schemas.getdbt.com/dbt/{kind}/v{version}.json"


def write_manifest(target: Path, version: int = 12, **parts: Any) -> None:
    metadata = {"dbt_schema_version": schema("manifest", version), "invocation_id": "a"}
    content = {"metadata": metadata, "nodes": {}, **parts}
    (target / "manifest.json").write_text(json.dumps(content))


@pytest.mark.parametrize("version", [10, 11, 12])
def test_versions_of_the_manifest_that_are_read(tmp_path: Path, version: int):
    write_manifest(tmp_path, version)
    artifacts = read_artifacts(tmp_path)
    assert (artifacts.results, artifacts.catalog, artifacts.notes) == (None, None, [])


@pytest.mark.parametrize("version", [9, 13, 20])
def test_another_version_is_named(tmp_path: Path, version: int):
    write_manifest(tmp_path, version)
    with pytest.raises(UsageError, match=f"is of version v{version}; v10 to v12 can be read"):
        read_artifacts(tmp_path)


def test_a_version_is_named_before_the_form(tmp_path: Path):
    write_manifest(tmp_path, 9, nodes=["in another form"])
    with pytest.raises(UsageError, match="is of version v9"):
        read_artifacts(tmp_path)


def test_a_file_of_another_kind_is_rejected(tmp_path: Path):
    content = {"metadata": {"dbt_schema_version": schema("catalog", 1)}, "nodes": {}}
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(UsageError, match="does not have the form of dbt's manifest"):
        read_artifacts(tmp_path)


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"metadata": 1}', "\x00"])
def test_what_is_no_json_of_dbt_is_rejected(tmp_path: Path, text: str):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UsageError, match=r"manifest\.json"):
        read_artifacts(tmp_path)


def test_the_place_of_a_wrong_value_is_named(tmp_path: Path):
    node = {"unique_id": "model.a.b", "resource_type": "model", "name": 1, "package_name": "a"}
    write_manifest(tmp_path, nodes={"model.a.b": node})
    with pytest.raises(UsageError, match=r"Expected `str`, got `int` - at `\$\.nodes\[\.\.\.\]"):
        read_artifacts(tmp_path)


def test_a_directory_without_a_manifest_is_named(tmp_path: Path):
    with pytest.raises(UsageError, match=r"There is no manifest\.json in"):
        read_artifacts(tmp_path)
    with pytest.raises(UsageError, match="There is no directory"):
        read_artifacts(tmp_path / "missing")
