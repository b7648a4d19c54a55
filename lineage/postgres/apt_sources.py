"""Which mirror the system's own apt sources name for Debian, and which keys vouch for it."""

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
    """A mirror of Debian and what apt is told to verify it by (a Signed-By value; empty: apt's)."""

    uri: str
    architecture: str
    signed_by: str

    def deb822_stanza(self, suite: str) -> str:
        """The source of ``suite`` on this mirror in deb822 form, with nothing but packages."""
        keys = f"Signed-By: {self.signed_by}\n" if self.signed_by else ""
        return (
            f"Types: deb\nURIs: {self.uri}\nSuites: {suite}\nComponents: main\n"
            f"Architectures: {self.architecture}\nTargets: Packages\nLanguages: none\n{keys}"
        )


def debian_sources(os_release: Path = Path("/etc/os-release")) -> list[Source]:
    """The mirrors that this system's sources name for Debian; empty where it is not Debian."""
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
    # apt reads its own files, in both their forms; without --no-release-info it lists only what
    # has been fetched before, which on a fresh system is nothing
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
    """The keys of a source, given as ``file:number`` of a line or of a stanza.

    Sources without keys of their own get Debian's keyring where it is installed: newer releases
    trust no keyring for every source any more.
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
    # a value goes on in lines that begin with a space: keys may stand in the source itself
    field = re.compile(r"^Signed-By:(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
    match = field.search(stanzas[number - 1]) if number <= len(stanzas) else None
    return match[1].strip(" \t") if match else ""


def _line_keys(text: str, number: int) -> str:
    lines = text.splitlines()
    match = re.search(r"\[.*?\bsigned-by=([^\s\]]+)", lines[number - 1]) if lines else None
    return match[1] if match else ""
