"""PostgreSQL and AGE out of Debian's packages, unpacked beside the system and not into it."""

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
# Of all they depend on only libraries are wanted, not what sets up accounts, services and locales.
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
    """Where under ``cache`` the unpacked packages are, or will be."""
    return cache / f"postgresql-{MAJOR}-age-{SUITE}"


def find_unpacked(cache: Path) -> Path | None:
    """The directory of programs of a finished unpacking in ``cache``, None where there is none."""
    root = package_directory(cache)
    # programs name their loader by its full path, so a cache that was moved has to be made again
    try:
        finished = (root / "unpacked-at").read_text() == str(root)
    except OSError:
        return None
    return bin_directory(root) if finished else None


def bin_directory(root: Path) -> Path:
    """Where Debian puts the programs of PostgreSQL, under ``root``."""
    return root / "usr/lib/postgresql" / str(MAJOR) / "bin"


def fetch_packages(cache: Path, say: Callable[[str], None]) -> Path:
    """Fetch, verify and unpack the packages into ``cache``; returns the directory of programs.

    Safe beside other processes that do the same, and when interrupted: the result appears whole.

    Raises:
        ServerError: no source has the packages, or they cannot be verified or unpacked.
    """
    with _work_directory(cache), file_lock.lock_exclusively(cache / "fetch.lock"):
        if done := find_unpacked(cache):
            return done
        for left in cache.glob("fetch-*"):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=cache) as work:
            # apt fetches as an account of its own, which has to get in
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
            f"The programs of PostgreSQL cannot be kept in {cache}: {error.strerror}.",
            "Make room there, or set LINEAGE_CACHE to another directory.",
        ) from error


def download_packages(
    work: Path, say: Callable[[str], None], names: Sequence[str], pattern: re.Pattern[str]
) -> None:
    """Fetch packages from the first mirror that has them, into ``work/debs``.

    Of those that they depend on only the ``pattern`` come with them.

    Raises:
        ServerError: this is no Debian, or no mirror of its sources has them.
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
    """What to fetch, each as name=version: the packages and what is wanted of what they need."""
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
    """Return what to do if apt refused an archive for its dates, else None."""
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
        # what lies there was moved from elsewhere, or is the work of another version
        shutil.rmtree(target)
    root.rename(target)


def _drop_privileges(root: Path) -> None:
    """Take set-user-id and set-group-id from all files: no copy in a cache may have them."""
    for place, _, names in os.walk(root):
        for file in (Path(place, name) for name in names):
            mode = file.lstat().st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                file.chmod(stat.S_IMODE(mode) & 0o777)
