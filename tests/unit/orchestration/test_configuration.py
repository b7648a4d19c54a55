"""The file of ``lineage plan``: what it says, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineage.errors import UsageError
from lineage.orchestration.configuration import (
    Configuration,
    JobRule,
    Repository,
    read_configuration,
)
from lineage.orchestration.units import UnitRule

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
name: nightly
schedule: "0 3 * * *"
start_date: 2026-02-01
owner: data
retries: 2
retry_seconds: 60
repositories:
  loaders: {url: "git@git.corp:data/loaders.git", path: /srv/loaders}
  local: {path: /srv/local}
jobs:
  - {match: "python/*", repository: loaders, environment: load, command: [python, "{name}.py", 1]}
  - {match: "dbt/*", command: [dbt, run], owner: ada, retries: 0}
units: [{match: "spark/*", unit: parent}]
feedback: [lake/z]
ignore: ["postgres://*/psql"]
"""


def read(tmp_path: Path, text: str) -> Configuration:
    path = tmp_path / "lineage-plan.yml"
    path.write_text(text)
    return read_configuration(path)


def test_a_whole_file(tmp_path: Path) -> None:
    assert read(tmp_path, WHOLE) == Configuration(
        "nightly", "0 3 * * *", "2026-02-01", "data", 2, 60,
        (Repository("loaders", "/srv/loaders", "git@git.corp:data/loaders.git"),
         Repository("local", "/srv/local")),
        (JobRule("python/*", ("python", "{name}.py", "1"), "loaders", "load"),
         JobRule("dbt/*", ("dbt", "run"), owner="ada", retries=0)),
        (UnitRule("spark/*", "parent"),),
        ("lake/z",),
        ("postgres://*/psql",),
    )  # fmt: skip


def test_an_empty_file_has_the_defaults(tmp_path: Path) -> None:
    assert read(tmp_path, "") == Configuration()


@pytest.mark.parametrize(
    "url",
    [
        "https://ada:secret@git.corp/a.git", "https://ghp_0123456789@git.corp/a.git",
        "ssh://git:secret@git.corp/a.git", "git:secret@git.corp:a.git",
        "https://git.corp/a.git?token=secret",
    ],
)  # fmt: skip
def test_an_address_with_a_password_is_rejected(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, f'repositories: {{loaders: {{path: /srv/l, url: "{url}"}}}}')
    assert str(error.value) == (
        "The address of repository loaders has a password in it."
        " Use an SSH key, or a credential helper of git."
    )


@pytest.mark.parametrize(
    "url",
    ["git@git.corp:data/loaders.git", "ssh://git@git.corp:22/a.git", "https://git.corp/a@b:c.git",
     "/srv/git/a.git"],
)  # fmt: skip
def test_an_address_without_a_password_is_not(tmp_path: Path, url: str) -> None:
    [repository] = read(tmp_path, f'repositories: {{a: {{path: /a, url: "{url}"}}}}').repositories
    assert repository.url == url


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jobs: [", "line 1 is not valid YAML"),
        ("schedul: x", "the file has an unknown key: schedul. Did you mean"),
        ("[]", "the file is not a map"),
        ("name: a b", "name is 'a b'"),
        ("name: default", "name is 'default'"),
        ("start_date: soon", "start_date is 'soon'"),
        ("retries: -1", "retries is -1"),
        ("retries: true", "retries is True"),
        ("owner: [a]", "owner is"),
        ("repositories: {a b: {path: /x}}", "the repository 'a b' has other characters"),
        ("repositories: {a: {path: x}}", "the path of repository a is not absolute"),
        ("jobs: [{command: [a]}]", "an entry of jobs has no match"),
        ("jobs: [{match: x, command: ls -l}]", "the command of x is not a list of words"),
        ("jobs: [{match: x, command: [a], repository: y}]", "the repository y of x is not one of"),
        ("jobs: [{match: x, command: [a], environment: -y}]", "begins with a dash"),
        ("jobs: [{match: x, command: [a, --password=hunter2]}]", "has a secret in it"),
        (
            'jobs: [{match: x, command: ["t/{nam}.py"]}]',
            "the command of x has an unknown placeholder: {nam}. Did you mean name?",
        ),
        ("units: [{match: x, unit: other}]", "an entry of units has no match, or no unit"),
        ("feedback: x", "feedback is not a list"),
        ("ignore: x", "ignore is not a list"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, text)
    assert message in str(error.value)
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("word", ["${name}", "${nam}", "{1}", "{}", "{a,b}", "awk '{print}'"])
def test_other_braces_are_words_of_the_shell(tmp_path: Path, word: str) -> None:
    [rule] = read(tmp_path, f'jobs: [{{match: x, command: ["{word}"]}}]').jobs
    assert rule.command == (word,)
