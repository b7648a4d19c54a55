"""Unpack PostgreSQL and AGE from Debian's packages into a cache, without installing them."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.errors import ServerError
from lineage.postgres import account, apt_sources, elf, file_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SUITE = "forky"
MAJOR = 18
PACKAGES = (f"postgresql-{MAJOR}", f"postgresql-{MAJOR}-age")
# Of the dependencies only libraries are needed, not the setup of accounts, services and locales.
FETCHED_PACKAGES = re.compile(
    r"(?!.*-perl$|libperl|libc-bin|libc-l10n|libc-gconv|libsystemd-shared)(lib|zlib|postgresql-)"
)

CONFIGURATION = """\
Dir::State "{work}/state";
Dir::State::status "{work}/status";
Dir::Cache "{work}/cache";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{work}/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::Log "{work}";
APT::Install-Recommends "false";
Acquire::Retries "2";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""


def package_directory(cache: Path) -> Path:
    """Return the directory under ``cache`` for the unpacked packages."""
    return cache / f"postgresql-{MAJOR}-age-{SUITE}"


def find_unpacked(cache: Path) -> Path | None:
    """Return the directory of programs of a complete unpacking in ``cache``, or None."""
    root = package_directory(cache)
    # programs contain the full path of their loader, so a cache that was moved is made again
    try:
        finished = (root / "unpacked-at").read_text() == str(root)
    except OSError:
        return None
    return bin_directory(root) if finished else None


def bin_directory(root: Path) -> Path:
    """Return the directory of PostgreSQL's programs in Debian, under ``root``."""
    return root / "usr/lib/postgresql" / str(MAJOR) / "bin"


def fetch_packages(cache: Path, say: Callable[[str], None]) -> Path:
    """Fetch, verify and unpack the packages into ``cache``; return the directory of programs.

    Safe with concurrent calls of other processes, and if interrupted: the result appears complete.
    Raises ServerError if no source has the packages, or if they cannot be verified or unpacked.
    """
    with _work_directory(cache), file_lock.lock_exclusively(cache / "fetch.lock"):
        if done := find_unpacked(cache):
            return done
        for left in cache.glob("fetch-*"):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=cache) as work:
            # apt fetches as another account, which needs access
            Path(work).chmod(0o755)
            download_packages(Path(work), say, PACKAGES, FETCHED_PACKAGES)
            _unpack_packages(Path(work), package_directory(cache))
        return bin_directory(package_directory(cache))


@contextlib.contextmanager
def _work_directory(cache: Path) -> Iterator[None]:
    try:
        account.make_directory(cache)
        yield
    except OSError as error:
        raise ServerError(
            f"The programs of PostgreSQL cannot be stored in {cache}: {error.strerror}.",
            "Free space there, or set LINEAGE_CACHE to another directory.",
        ) from error


def download_packages(
    work: Path, say: Callable[[str], None], names: Sequence[str], pattern: re.Pattern[str]
) -> None:
    """Fetch packages from the first mirror that has them, into ``work/debs``.

    Of their dependencies, only those that match ``pattern`` are fetched. Raises ServerError if the
    system is not Debian, or if no mirror of its sources has the packages.
    """
    mirrors = apt_sources.debian_sources()
    if not mirrors:
        raise ServerError("The apt sources of this system name no mirror of Debian.")
    for name in ("state/lists/partial", "cache/archives/partial", "sources", "debs"):
        (work / name).mkdir(parents=True)
    (work / "status").touch()
    (work / "apt.conf").write_text(CONFIGURATION.format(work=work))
    with contextlib.suppress(KeyError, PermissionError):
        os.chown(work / "debs", pwd.getpwnam("_apt").pw_uid, -1)
    failures = []
    for mirror in mirrors:
        say(f"Fetching {', '.join(names)} from {mirror.uri} ({SUITE}).")
        (work / "sources/debian.sources").write_text(mirror.deb822_stanza(SUITE))
        try:
            _run_apt(work, "update", "--error-on=any")
            _run_apt(work, "download", *_plan_download(work, names, pattern))
        except ServerError as error:
            failures.append(error)
        else:
            return
    raise failures[-1]


def _plan_download(work: Path, names: Sequence[str], pattern: re.Pattern[str]) -> list[str]:
    """Return the packages to fetch, each as name=version, with the needed dependencies."""
    plan = _run_apt(work, "install", "--simulate", *names)
    chosen = re.findall(r"^Inst (\S+) \((\S+) ", plan, re.MULTILINE)
    return [f"{name}={version}" for name, version in chosen if pattern.match(name)]


def _run_apt(work: Path, *arguments: str) -> str:
    return _run_command(["apt-get", "-c", str(work / "apt.conf"), "-q", *arguments], work / "debs")


def _run_command(command: Sequence[str], directory: Path) -> str:
    result = subprocess.run(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    if result.returncode:
        errors = [line for line in result.stderr.splitlines() if line.startswith(("E:", "W:"))]
        reason = " ".join(errors or result.stderr.splitlines()[-1:])
        message = f"{command[0]} failed while fetching PostgreSQL from {SUITE}: {reason}"
        raise ServerError(message, _remedy_for(reason))
    return result.stdout


def _remedy_for(reason: str) -> str | None:
    """Return the remedy if apt rejected an archive for its dates, else None."""
    if "is expired" in reason:
        setting, archive = "Check-Valid-Until", "no longer updated, such as a snapshot"
    elif "is not valid yet" in reason:
        setting, archive = "Check-Date", "dated ahead of this machine"
    else:
        return None
    return (
        "Check this machine's clock, and that its apt sources name a current mirror. To accept an"
        f' archive that is {archive}, write Acquire::{setting} "false"; into a file in'
        " /etc/apt/apt.conf.d."
    )


def _unpack_packages(work: Path, target: Path) -> None:
    """Unpack ``work/debs`` so that it works in ``target``, then move it there in one step."""
    root = work / "root"
    for package in sorted((work / "debs").glob("*.deb")):
        _run_command(["dpkg-deb", "-x", str(package), str(root)], work)
    root.chmod(0o755)
    _drop_privileges(root)
    elf.relocate_files(root, target)
    (root / "unpacked-at").write_text(str(target))
    if target.exists():
        # the existing directory was moved from elsewhere, or belongs to another version
        shutil.rmtree(target)
    root.rename(target)


def _drop_privileges(root: Path) -> None:
    """Remove set-user-id and set-group-id from all files: copies in a cache must not have them."""
    for place, _, names in os.walk(root):
        for file in (Path(place, name) for name in names):
            mode = file.lstat().st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                file.chmod(stat.S_IMODE(mode) & 0o777)
