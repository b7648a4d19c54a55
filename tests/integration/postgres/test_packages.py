"""Download of packages from the mirror of this system: complete or not stored."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineage.errors import ServerError
from lineage.postgres import apt_sources, binaries, debian_packages

if TYPE_CHECKING:
    from collections.abc import Iterator

on_debian = pytest.mark.skipif(
    not apt_sources.debian_sources(), reason="needs Debian's apt sources"
)
FETCH = (
    "import sys, pathlib; from lineage.postgres import debian_packages as packages;"
    "packages.fetch_packages(pathlib.Path(sys.argv[1]), print)"
)


@pytest.fixture
def cache() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lineage-cache-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


@on_debian
@pytest.mark.slow
def test_an_interrupted_fetch_leaves_nothing_that_counts(cache: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", FETCH, cache], start_new_session=True) as process:
        deadline = time.monotonic() + 60
        while not list(cache.glob("fetch-*/debs")):
            assert process.poll() is None, "it ended before it could be interrupted"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    assert debian_packages.find_unpacked(cache) is None

    found = binaries.inspect_directory(debian_packages.fetch_packages(cache, lambda _: None))

    assert found is not None
    assert (found.major, found.age[:2]) == (18, (1, 8))
    assert debian_packages.find_unpacked(cache) == found.directory
    assert list(cache.glob("fetch-*/")) == []
    assert [file for file in cache.rglob("*") if file.lstat().st_mode & 0o6000] == []


def test_a_cache_that_was_moved_does_not_count(cache: Path) -> None:
    root = debian_packages.package_directory(cache)
    root.mkdir()
    (root / "unpacked-at").write_text("/elsewhere")
    assert debian_packages.find_unpacked(cache) is None


def test_without_a_mirror_the_error_says_so(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apt_sources, "debian_sources", list)
    with pytest.raises(ServerError, match="name no mirror of Debian"):
        debian_packages.fetch_packages(cache, lambda _: None)


@on_debian
def test_an_unreachable_mirror_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = apt_sources.Source("http://127.0.0.1:9/debian/", "amd64", "")
    monkeypatch.setattr(apt_sources, "debian_sources", lambda: [dead])
    with pytest.raises(ServerError, match=r"failed while fetching .*127\.0\.0\.1"):
        debian_packages.fetch_packages(cache, lambda _: None)
    assert [path.name for path in cache.iterdir()] == ["fetch.lock"]


@on_debian
def test_a_mirror_whose_keys_are_not_known_is_rejected(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mirror, *_) = apt_sources.debian_sources()
    stranger = cache / "stranger.gpg"
    stranger.touch()
    unknown = apt_sources.Source(mirror.uri, mirror.architecture, str(stranger))
    monkeypatch.setattr(apt_sources, "debian_sources", lambda: [unknown])
    with pytest.raises(ServerError, match=r"not signed|NO_PUBKEY|couldn't be verified"):
        debian_packages.fetch_packages(cache, lambda _: None)
    assert debian_packages.find_unpacked(cache) is None


def test_a_cache_that_is_closed_to_us_is_a_clear_error(cache: Path) -> None:
    (cache / "file").touch()
    with pytest.raises(ServerError, match="cannot be stored in") as caught:
        debian_packages.fetch_packages(cache / "file" / "below", lambda _: None)
    assert "LINEAGE_CACHE" in str(caught.value.hint)


@on_debian
@pytest.mark.parametrize(
    ("year", "problem", "setting"),
    [(2020, "is expired", "Check-Valid-Until"), (2099, "is not valid yet", "Check-Date")],
    ids=["old", "new"],
)
def test_an_archive_of_another_time_is_named_with_what_to_do(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    year: int,
    problem: str,
    setting: str,
) -> None:
    release = tmp_path / "archive/dists" / debian_packages.SUITE / "Release"
    release.parent.mkdir(parents=True)
    release.write_text(
        f"Suite: {debian_packages.SUITE}\nDate: Wed, 01 Jan {year} 00:00:00 UTC\n"
        f"Valid-Until: Wed, 08 Jan {year} 00:00:00 UTC\nArchitectures: amd64\nComponents: main\n"
        f"SHA256:\n {hashlib.sha256(b'').hexdigest()} 0 main/binary-amd64/Packages\n"
    )
    # Ignore apt's configuration on this machine, which may accept expired archives.
    (tmp_path / "apt.conf").write_text('Dir::Etc::parts "/dev/null"; Dir::Etc::main "/dev/null";')
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    # The line after the Signed-By value makes apt accept the archive without a signature.
    archive = apt_sources.Source(f"file:{tmp_path}/archive", "amd64", "/dev/null\nTrusted: yes")
    monkeypatch.setattr(apt_sources, "debian_sources", lambda: [archive])
    with pytest.raises(ServerError, match=f"Release file for file:.*{problem}") as raised:
        debian_packages.fetch_packages(cache, lambda _: None)
    assert raised.value.hint is not None
    for remedy in ("clock", "apt sources", f'Acquire::{setting} "false"'):
        assert remedy in raised.value.hint
