"""The default spool: the same for driver and command, for every user."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineage import settings
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from collections.abc import Iterator

ASK = """
package io.lineage.spark;

public final class Ask {
  public static void main(String[] args) {
    System.out.println(UserDirectories.ofProcess().spool());
  }
}
"""
# A user id without an account. Only root can switch to it; other users keep their own id.
USER = next(each for each in range(54321, 60000) if each not in {p.pw_uid for p in pwd.getpwall()})


@pytest.fixture(scope="module")
def classes() -> Iterator[Path]:
    """Compile the listener's class and a caller of it in a directory readable by every user."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        directory = Path(made)
        directory.chmod(0o755)
        with zipfile.ZipFile(jar.packaged_jar()) as archive:
            archive.extract("io/lineage/spark/UserDirectories.class", directory)
        (directory / "Ask.java").write_text(ASK)
        home = os.environ.get("JAVA_HOME")
        javac = f"{home}/bin/javac" if home else shutil.which("javac") or "javac"
        command = [javac, "--release", "8", "-nowarn", "-Xlint:-options", "-cp", made, "-d", made]
        subprocess.run([*command, directory / "Ask.java"], check=True)
        for path in directory.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield directory


def of_listener(classes: Path, environment: dict[str, str]) -> str:
    user = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java") or "java"
    done = subprocess.run(
        [java, "-XX:-UsePerfData", "-cp", str(classes), "io.lineage.spark.Ask"],
        env=environment,
        cwd="/",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        **user,
    )
    return done.stdout.strip()


def of_command(environment: dict[str, str]) -> str:
    """Return the command's spool from a forked process: the user may lack access to our Python."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(USER)
                os.setuid(USER)
            os.chdir("/")
            os.environ.clear()
            os.environ.update(environment)
            os.write(write, str(settings.spool_directory()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        spool = answer.read()
    os.waitpid(child, 0)
    return spool


def account_home() -> str:
    return "/" if os.geteuid() == 0 else pwd.getpwuid(os.getuid()).pw_dir


@pytest.mark.parametrize(
    ("environment", "spool"),
    [
        ({"HOME": "/srv/me"}, "/srv/me/.local/state/lineage/spool"),
        ({}, "{account}/.local/state/lineage/spool"),
        ({"HOME": ""}, "{account}/.local/state/lineage/spool"),
        ({"HOME": "/srv/me", "XDG_STATE_HOME": "/state"}, "/state/lineage/spool"),
        ({"HOME": "/srv/me", "XDG_STATE_HOME": "~/state"}, "/srv/me/state/lineage/spool"),
        ({"HOME": "/srv/me", "XDG_STATE_HOME": ""}, "/srv/me/.local/state/lineage/spool"),
        ({"HOME": "/srv/me", "LINEAGE_SPOOL": "~/spool"}, "/srv/me/spool"),
        ({"LINEAGE_SPOOL": "~/spool"}, "{account}/spool"),
        ({"LINEAGE_SPOOL": "/spool", "XDG_STATE_HOME": "/state"}, "/spool"),
        ({"LINEAGE_SPOOL": "spool"}, "/spool"),
    ],
)
def test_listener_and_command_have_one_default_spool(
    classes: Path, environment: dict[str, str], spool: str
) -> None:
    wanted = spool.replace("{account}", account_home().rstrip("/"))
    assert (of_listener(classes, environment), of_command(environment)) == (wanted, wanted)


def test_a_user_without_an_account_is_no_traceback() -> None:
    code = (
        "from lineage import settings; print(settings.home_directory(), settings.cache_directory(),"
        " settings.spool_directory())"
    )
    done = subprocess.run([sys.executable, "-c", code], env={}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
