"""The namespace of the database of a dbt project, from its profile.

Only the keys that name the server are read. Secrets of a profile are neither evaluated nor copied.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.naming import redact_url, snowflake_account
from lineage.text_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Namespaces by adapter, with the keys of the profile in braces, as openlineage-dbt builds them.
_NAMESPACES = {
    "athena": "awsathena://athena.{region_name}.amazonaws.com",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse://{host}:{port}",
    "databricks": "databricks://{host}",
    "duckdb": "duckdb://{path}",
    "postgres": "postgres://{host}:{port}",
    "presto": "presto://{host}:{port}",
    "redshift": "redshift://{host}:{port}",
    "snowflake": "snowflake://{account}",
    "sqlserver": "mssql://{server}:{port}",
    "trino": "trino://{host}:{port}",
}
# dbt's defaults of keys that a profile may leave out.
_DEFAULTS = {
    "postgres": {"port": "5432"},
    "redshift": {"port": "5439"},
    "sqlserver": {"port": "1433"},
    "duckdb": {"path": ":memory:"},
}
_ENV_VAR = re.compile(
    r"""\{\{-?\s*env_var\(\s*(['"])(?P<name>\w+)\1\s*(?:,\s*(['"])(?P<default>[^'"]*)\3\s*)?\)"""
    r"""\s*(?:\|\s*(?:int|as_number|as_native|as_text)\s*)?-?\}\}"""
)
_GIVE_NAMESPACE = "Specify --namespace, for example postgres://HOST:5432."


def read_namespace(directory: Path, project: Path, adapter: str | None, target: str | None) -> str:
    """Return the namespace of the tables that a project writes.

    ``directory`` has ``profiles.yml``. ``project`` has ``dbt_project.yml``, which names the
    profile; without this file the profile is the only one, or the only one with an output for
    ``adapter``. ``target`` is the name of the output, by default that of the profile. Raises
    UsageError if one of them is missing or ambiguous, or if the namespace cannot be built.
    """
    path = directory / "profiles.yml"
    if not path.exists():
        raise UsageError(f"There is no profiles.yml in {directory}.", _GIVE_NAMESPACE)
    profiles = _as_mapping(read_yaml(path, str(path)))
    name = _profile_name(path, profiles, project, adapter)
    profile = _as_mapping(profiles.get(name))
    outputs = _as_mapping(profile.get("outputs"))
    chosen = target or _evaluate_key(path, "target", profile.get("target", "default"))
    if chosen not in outputs:
        known = ", ".join(map(str, outputs)) or "none"
        raise UsageError(
            f"The profile {name} in {path} has no output {chosen}; it has {known}.",
            "Specify one of them as --target.",
        )
    return build_namespace(path, _as_mapping(outputs[chosen]))


def build_namespace(path: Path, output: Mapping[str, Any]) -> str:
    """Return the namespace of an output of a profile.

    Raises UsageError if the adapter is not known, or if a key that the namespace needs is missing.
    """
    adapter = _evaluate_key(path, "type", output.get("type"))
    template = _NAMESPACES.get(adapter)
    if template is None:
        raise UsageError(
            f"{path}: the namespace of databases of type {adapter} is not known.", _GIVE_NAMESPACE
        )
    defaults = _DEFAULTS.get(adapter, {})
    keys = re.findall(r"\{(\w+)\}", template)
    values = {key: _evaluate_key(path, key, output.get(key, defaults.get(key))) for key in keys}
    if adapter == "snowflake":
        values["account"] = snowflake_account(values["account"])
    return redact_url(template.format_map(values))


def _profile_name(
    path: Path, profiles: Mapping[str, Any], project: Path, adapter: str | None
) -> str:
    settings = project / "dbt_project.yml"
    if settings.exists():
        named = _as_mapping(read_yaml(settings, str(settings))).get("profile")
        if isinstance(named, str) and "{{" not in named:
            if named not in profiles:
                raise UsageError(f"{path} has no profile {named}.", _GIVE_NAMESPACE)
            return named
    names = [name for name in profiles if name != "config"]
    if len(names) > 1:
        names = [name for name in names if adapter in _adapters_of(profiles[name])] or names
    if len(names) != 1:
        raise UsageError(
            f"{path} has {len(names)} profiles, and {settings} does not name one of them.",
            _GIVE_NAMESPACE,
        )
    return str(names[0])


def _adapters_of(profile: Any) -> set[Any]:
    outputs = _as_mapping(_as_mapping(profile).get("outputs"))
    return {_as_mapping(output).get("type") for output in outputs.values()}


def _evaluate_key(path: Path, key: str, value: Any) -> str:
    """Return the text of a key, with ``env_var`` evaluated."""
    if value is None or isinstance(value, dict | list):
        raise UsageError(f"{path}: the key {key} is missing.", _GIVE_NAMESPACE)

    def replace_variable(match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        if name.startswith("DBT_ENV_SECRET"):
            raise UsageError(f"{path}: the key {key} is the secret {name}.", _GIVE_NAMESPACE)
        result = os.environ.get(name, default)
        if result is None:
            raise UsageError(
                f"{path}: the key {key} needs the environment variable {name}, which is not set.",
                "Set it, or specify --namespace.",
            )
        return result

    text = str(value)
    if "{" in _ENV_VAR.sub("", text):
        raise UsageError(
            f"{path}: the key {key} has an expression other than env_var.", _GIVE_NAMESPACE
        )
    return _ENV_VAR.sub(replace_variable, text)


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
