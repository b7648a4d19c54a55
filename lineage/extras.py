"""The packages of an extra, for whoever asks for what needs them and has them not."""

from __future__ import annotations

import re
import shlex
from importlib import metadata

_REQUIREMENT = re.compile(r"(?P<package>[^;]+?)\s*;\s*extra\s*==\s*[\"'](?P<extra>[^\"']+)[\"']")


def install_hint(extra: str) -> str:
    """Return the command that installs the packages of ``extra`` into this environment.

    It names the packages and not ``lineage-age[extra]``: pip would look for that on the index, and
    this one may have come from a wheel or a repository.
    """
    matches = map(_REQUIREMENT.fullmatch, metadata.requires("lineage-age") or [])
    packages = [match["package"] for match in matches if match and match["extra"] == extra]
    return f"Install what it needs: pip install {shlex.join(packages)}"
