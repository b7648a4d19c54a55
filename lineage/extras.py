"""Hints for installing the packages of an extra."""

from __future__ import annotations

import re
import shlex

_REQUIREMENT = re.compile(r"(?P<package>[^;]+?)\s*;\s*extra\s*==\s*[\"'](?P<extra>[^\"']+)[\"']")


def install_hint(extra: str) -> str:
    """Return the command that installs the packages of ``extra`` into this environment.

    The command names the packages instead of ``lineage-age[extra]``: pip would search the index for
    that, but this package may have been installed from a wheel or a repository.
    """
    from importlib import metadata  # takes 40 ms, and nearly no command needs a hint

    matches = map(_REQUIREMENT.fullmatch, metadata.requires("lineage-age") or [])
    packages = [match["package"] for match in matches if match and match["extra"] == extra]
    return f"Install the missing packages: pip install {shlex.join(packages)}"
