"""Namespaces from profiles of dbt: only the keys that name the server, and no secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineage.errors import UsageError
from lineage.readers.dbt.profiles import read_namespace

if TYPE_CHECKING:
    from pathlib import Path

PASSWORD = "'{{ env_var(\"NO_SUCH_VARIABLE\") }}'"


def write_profiles(directory: Path, output: str, more: str = "") -> Path:
    lines = "\n".join(f"      {line}" for line in output.strip().splitlines())
    text = f"shop:\n  target: dev\n  outputs:\n    dev:\n{lines}\n{more}"
    (directory / "profiles.yml").write_text(text)
    return directory


@pytest.mark.parametrize(
    ("output", "namespace"),
    [
        ("type: postgres\nhost: db\nport: 5433", "postgres://db:5433"),
        ("type: postgres\nhost: db", "postgres://db:5432"),
        ("type: redshift\nhost: c.eu.example\nport: 5439", "redshift://c.eu.example:5439"),
        ("type: snowflake\naccount: org-acct.eu-west-1", "snowflake://org-acct"),
        ("type: snowflake\naccount: xy1.eu-west-1", "snowflake://xy1.eu-west-1.aws"),
        ("type: snowflake\naccount: xy1.west-eu.azure", "snowflake://xy1.west-eu.azure"),
        ("type: bigquery\nproject: p", "bigquery"),
        ("type: sqlserver\nserver: etl\nport: 1433", "mssql://etl:1433"),
        ("type: duckdb\npath: /w/shop.duckdb", "duckdb:///w/shop.duckdb"),
        ("type: duckdb", "duckdb://:memory:"),
        ("type: databricks\nhost: adb.example.net\ntoken: x", "databricks://adb.example.net"),
    ],
)
def test_the_namespace_is_that_of_openlineage_dbt(tmp_path: Path, output: str, namespace: str):
    directory = write_profiles(tmp_path, f"{output}\npassword: {PASSWORD}")
    assert read_namespace(directory, tmp_path, None, None) == namespace


def test_environment_variables_are_read_in_these_keys_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SHOP_HOST", "db.corp")
    output = (
        "type: postgres\nhost: \"{{ env_var('SHOP_HOST') }}\"\n"
        "port: \"{{ env_var('SHOP_PORT', '5444') | int }}\"\n"
        f"password: {PASSWORD}\nuser: \"{{{{ anything('at all') }}}}\""
    )
    directory = write_profiles(tmp_path, output)
    assert read_namespace(directory, tmp_path, None, None) == "postgres://db.corp:5444"


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("type: oracle\nhost: db", "databases of type oracle is not known"),
        ("type: postgres\nport: 1", "the key host is missing"),
        ("type: postgres\nhost: \"{{ var('h') }}\"", "the key host has an expression"),
        ("type: postgres\nhost: \"{{ env_var('NO_SUCH_VARIABLE') }}\"", "needs the environment"),
        ("type: postgres\nhost: \"{{ env_var('DBT_ENV_SECRET_H') }}\"", "is the secret"),
    ],
)
def test_what_cannot_be_named_is_an_error_with_the_key(tmp_path: Path, output: str, message: str):
    directory = write_profiles(tmp_path, output)
    with pytest.raises(UsageError, match=message) as error:
        read_namespace(directory, tmp_path, None, None)
    assert "--namespace" in str(error.value)


def test_the_project_names_its_profile(tmp_path: Path):
    directory = write_profiles(
        tmp_path,
        "type: postgres\nhost: db",
        "other:\n  target: dev\n  outputs:\n    dev: {type: postgres, host: elsewhere}\n",
    )
    with pytest.raises(UsageError, match="has 2 profiles"):
        read_namespace(directory, tmp_path, "postgres", None)
    (tmp_path / "dbt_project.yml").write_text("name: x\nprofile: other\n")
    assert read_namespace(directory, tmp_path, "postgres", None) == "postgres://elsewhere:5432"


def test_the_adapter_decides_between_profiles(tmp_path: Path):
    directory = write_profiles(
        tmp_path,
        "type: postgres\nhost: db",
        "other:\n  target: dev\n  outputs:\n    dev: {type: duckdb, path: x}\n",
    )
    assert read_namespace(directory, tmp_path, "duckdb", None) == "duckdb://x"


def test_an_output_is_chosen_by_name(tmp_path: Path):
    directory = write_profiles(
        tmp_path, "type: postgres\nhost: db", "    prod: {type: postgres, host: prod}\n"
    )
    assert read_namespace(directory, tmp_path, None, "prod") == "postgres://prod:5432"
    with pytest.raises(UsageError, match="has no output test; it has dev, prod"):
        read_namespace(directory, tmp_path, None, "test")


def test_a_token_in_a_path_is_removed(tmp_path: Path):
    directory = write_profiles(tmp_path, 'type: duckdb\npath: "md:shop?motherduck_token=abc123"')
    assert "abc123" not in read_namespace(directory, tmp_path, None, None)
