"""Mirror and keys from apt's source files, in both formats."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from lineage.postgres import apt_sources

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(not shutil.which("apt-get"), reason="apt reads its own files")

ONE_LINE = """\
# deb http://commented.example/debian bookworm main
deb http://third.example/debian bookworm-pgdg main
deb [arch=amd64 signed-by=/keys/own.gpg trusted=no] http://mirror.example/debian bookworm main
"""
DEB822 = """\
# a comment

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Types: deb deb-src
# another
URIs: http://one.example/debian http://two.example/debian/
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /keys/debian.gpg
"""
WITH_KEY = """\
Types: deb
URIs: http://mirror.example/debian
Suites: stable
Components: main
Architectures: amd64
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBF
 -----END PGP PUBLIC KEY BLOCK-----
"""


@pytest.fixture
def debian(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[apt_sources.Source]]:
    """Return the sources of a Debian 12 with the given files."""

    def find(os_release: str = 'ID=debian\nVERSION_CODENAME="bookworm"\n', **files: str):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        (tmp_path / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{tmp_path}";\n'
            'APT::Architecture "amd64";\nAPT::Architectures { "amd64"; };\n'
        )
        monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
        (tmp_path / "os-release").write_text(os_release)
        return apt_sources.debian_sources(tmp_path / "os-release")

    return find


def test_a_one_line_source(debian) -> None:
    assert debian(a_list=ONE_LINE) == [
        apt_sources.Source("http://mirror.example/debian/", "amd64", "/keys/own.gpg")
    ]


def test_a_deb822_source_with_several_mirrors(debian) -> None:
    assert debian(a_sources=DEB822) == [
        apt_sources.Source("http://one.example/debian/", "amd64", "/keys/debian.gpg"),
        apt_sources.Source("http://two.example/debian/", "amd64", "/keys/debian.gpg"),
    ]


def test_a_key_that_stands_in_the_source(debian) -> None:
    (source,) = debian(a_sources=WITH_KEY)
    assert source.signed_by.splitlines()[1] == " -----BEGIN PGP PUBLIC KEY BLOCK-----"
    assert source.signed_by.splitlines()[-1] == " -----END PGP PUBLIC KEY BLOCK-----"


def test_a_source_without_keys_gets_debians_keyring(
    debian, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring = tmp_path / "debian.pgp"
    keyring.touch()
    monkeypatch.setattr(apt_sources, "KEYRINGS", (keyring,))
    (source,) = debian(a_list="deb http://mirror.example/debian bookworm main\n")
    assert source.signed_by == str(keyring)


@pytest.mark.parametrize(
    "os_release", ["ID=ubuntu\nVERSION_CODENAME=noble\n", ""], ids=["ubuntu", "unknown"]
)
def test_another_system_has_no_mirror_of_debian(debian, os_release: str) -> None:
    assert debian(os_release, a_list=ONE_LINE) == []


def test_the_stanza_asks_for_packages_of_one_suite_and_nothing_else() -> None:
    stanza = apt_sources.Source(
        "http://mirror.example/debian/", "arm64", "/keys/own.gpg"
    ).deb822_stanza("x")
    assert stanza == (
        "Types: deb\nURIs: http://mirror.example/debian/\nSuites: x\nComponents: main\n"
        "Architectures: arm64\nTargets: Packages\nLanguages: none\nSigned-By: /keys/own.gpg\n"
    )
