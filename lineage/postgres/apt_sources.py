"""Find the Debian mirrors in the system's apt sources, and the keys that verify them."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# A source may name its release by codename or by one of these.
ALIASES = frozenset({"oldstable", "stable", "testing", "unstable", "sid"})
KEYRINGS = tuple(
    Path(f"/usr/share/keyrings/debian-archive-keyring.{ending}") for ending in ("pgp", "gpg")
)
FORMAT = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ARCHITECTURE)|$(SOURCESENTRY)"


@dataclass(frozen=True)
class Source:
    """A Debian mirror and its verification keys (a Signed-By value; empty means apt's own)."""

    uri: str
    architecture: str
    signed_by: str

    def deb822_stanza(self, suite: str) -> str:
        """Return the deb822 source of ``suite`` on this mirror, for binary packages only."""
        keys = f"Signed-By: {self.signed_by}\n" if self.signed_by else ""
        return (
            f"Types: deb\nURIs: {self.uri}\nSuites: {suite}\nComponents: main\n"
            f"Architectures: {self.architecture}\nTargets: Packages\nLanguages: none\n{keys}"
        )


def debian_sources(os_release: Path = Path("/etc/os-release")) -> list[Source]:
    """Return the Debian mirrors in the system's sources; empty if the system is not Debian."""
    release = _os_release(os_release)
    if release.get("ID") != "debian" or not shutil.which("apt-get"):
        return []
    suites = ALIASES | {release.get("VERSION_CODENAME", "")}
    sources: dict[str, Source] = {}
    for line in _index_targets().splitlines():
        uri, suite, component, architecture, entry = line.split("|")
        if suite in suites and component == "main" and architecture != "all":
            sources.setdefault(uri, Source(uri, architecture, _signed_by(entry)))
    return list(sources.values())


def _index_targets() -> str:
    # apt reads its own files, in both forms. Without --no-release-info it lists only sources that
    # have been fetched before, which are none on a fresh system.
    command = ["apt-get", "--no-release-info", "indextargets", "--format", FORMAT]
    result = subprocess.run(
        [*command, "Created-By: Packages"], capture_output=True, text=True, check=False
    )
    return result.stdout


def _os_release(path: Path) -> dict[str, str]:
    try:
        text = path.read_text()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {name: value.strip().strip("\"'") for name, _, value in pairs}


def _signed_by(entry: str) -> str:
    """Return the keys of a source, given as ``file:number`` of a line or of a stanza.

    Sources without keys get Debian's keyring if it is installed, because newer releases have no
    keyring that applies to all sources.
    """
    file, _, number = entry.rpartition(":")
    try:
        text = Path(file).read_text()
    except OSError:
        text = ""
    read = _stanza_keys if file.endswith(".sources") else _line_keys
    default = next((str(keyring) for keyring in KEYRINGS if keyring.exists()), "")
    return read(text, int(number)) or default


def _stanza_keys(text: str, number: int) -> str:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    stanzas = [stanza for stanza in re.split(r"\n\s*\n", lines) if stanza.strip()]
    # a value continues on lines that begin with a space: the source may contain its keys
    field = re.compile(r"^Signed-By:(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
    match = field.search(stanzas[number - 1]) if number <= len(stanzas) else None
    return match[1].strip(" \t") if match else ""


def _line_keys(text: str, number: int) -> str:
    lines = text.splitlines()
    match = re.search(r"\[.*?\bsigned-by=([^\s\]]+)", lines[number - 1]) if lines else None
    return match[1] if match else ""
