"""Each form of paths that fsspec documents for copies does the same on an observed file system.

https://filesystem-spec.readthedocs.io/en/latest/copying.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import fsspec
import pytest
from support.services.observed import observe_run

import lineage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOURCE = ("source/sub/a.csv", "source/sub/b.csv", "source/sub/nested/c.csv", "source/d.csv")
# The arguments of a copy below a directory that has SOURCE and an empty directory ``target``.
FORMS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "a file to a directory": ("source/sub/a.csv", "target", {}),
    "a file to a directory with a slash": ("source/sub/a.csv", "target/", {}),
    "a file to a new directory": ("source/sub/a.csv", "target/new/", {}),
    "a file to a file": ("source/sub/a.csv", "target/x.csv", {}),
    "a file to a file in a new directory": ("source/sub/a.csv", "target/new/x.csv", {}),
    "a directory to a directory": ("source/sub", "target", {"recursive": True}),
    "a directory to a directory with a slash": ("source/sub", "target/", {"recursive": True}),
    "the content of a directory": ("source/sub/", "target", {"recursive": True}),
    "the content of a directory, twice a slash": ("source/sub/", "target/", {"recursive": True}),
    "a directory to a new directory": ("source/sub", "target/new", {"recursive": True}),
    "a directory to a new directory with a slash": (
        "source/sub/", "target/new/", {"recursive": True}),
    "a directory to some depth": (
        "source/sub/", "target/new/", {"recursive": True, "maxdepth": 1}),
    "a directory without its content": ("source/sub/", "target/", {}),
    "a pattern to a directory": ("source/sub/*", "target", {}),
    "a pattern to a new directory": ("source/sub/*", "target/new/", {}),
    "a pattern of a file": ("source/sub/a*", "target/new/", {}),
    "a pattern, recursively": ("source/*", "target/new/", {"recursive": True}),
    "a list to a directory": (["source/sub/a.csv", "source/d.csv"], "target/", {}),
    "a list to a new directory": (["source/sub/a.csv", "source/d.csv"], "target/new/", {}),
    "a list to a list": (
        ["source/sub/a.csv", "source/d.csv"], ["target/x.csv", "target/y.csv"], {}),
}  # fmt: skip
OPERATIONS = ("copy", "put", "get", "mv")


def below(top: str, path: str | list[str]) -> Any:
    return [f"{top}/{each}" for each in path] if isinstance(path, list) else f"{top}/{path}"


def make_tree(fs: Any, top: str) -> None:
    fs.makedirs(f"{top}/target", exist_ok=True)
    for name in SOURCE:
        fs.makedirs(f"{top}/{name}".rpartition("/")[0], exist_ok=True)
        fs.pipe(f"{top}/{name}", name.encode())


def tree(fs: Any, top: str) -> dict[str, bytes]:
    """Return the content of each file by its path below ``top``."""
    return {path.partition(f"{top}/")[2]: fs.cat(path) for path in fs.find(top)}


def outcome(act: Callable[[], object]) -> type[BaseException] | None:
    try:
        act()
    except Exception as error:
        return type(error)
    return None


@pytest.mark.parametrize("protocol", ["file", "memory"])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_files_are_copied_to_where_they_are_without_observation(
    tmp_path: Path, form: str, operation: str, protocol: str
):
    options = {"auto_mkdir": True} if protocol == "file" else {}
    plain = fsspec.filesystem(protocol, **options)
    local = fsspec.filesystem("file", auto_mkdir=True)
    source, target, named = FORMS[form]
    results = []
    with observe_run(tmp_path / "spool", "files"):
        for name, fs in (
            ("plain", plain),
            ("observed", lineage.observe.filesystem(protocol, **options)),
        ):
            top = f"{tmp_path}/{name}"
            for each in {id(each): each for each in (plain, local)}.values():
                make_tree(each, top)
            copy = partial(getattr(fs, operation), below(top, source), below(top, target), **named)
            error = outcome(copy)
            results.append((error, tree(plain, top), tree(local, top)))
    assert results[1] == results[0]


def covered(name: str, datasets: list[str]) -> str:
    """Return the dataset that is the file or a directory above it."""
    [dataset] = [each for each in datasets if name == each or name.startswith(f"{each}/")]
    return dataset


@pytest.mark.parametrize("protocol", ["file", "memory"])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_each_copied_file_is_recorded_with_its_source(
    tmp_path: Path, form: str, operation: str, protocol: str
):
    options = {"auto_mkdir": True} if protocol == "file" else {}
    of_source, of_target = fsspec.filesystem(protocol, **options), fsspec.filesystem("file")
    if operation != "get":
        of_source, of_target = of_target, of_source
    if operation in ("copy", "mv"):
        of_source = of_target
    source, target, named = FORMS[form]
    top = f"{tmp_path}/top"
    for each in {id(each): each for each in (of_source, of_target)}.values():
        make_tree(each, top)
    with observe_run(tmp_path / "spool") as observed:
        observed.run.reads("other", namespace="shop")
        fs = lineage.observe.filesystem(protocol, **options)
        error = outcome(
            partial(getattr(fs, operation), below(top, source), below(top, target), **named)
        )
    event = observed.event
    inputs = [each["name"] for each in event["inputs"] if each["namespace"] != "shop"]
    outputs = {each["name"]: each["facets"].get("lineage") for each in event["outputs"]}
    if error:
        assert (inputs, outputs) == ([], {})
        return
    used = set()
    for name, content in tree(of_target, top).items():
        if not name.startswith("target/"):
            continue
        old, new = f"{top}/{content.decode()}", f"{top}/{name}"
        if operation != "put":
            used.add(read := covered(old, inputs))
        if operation != "get":
            used.add(written := covered(new, list(outputs)))
        if operation in ("copy", "mv"):
            assert [each["name"] for each in outputs[written]["inputs"]] == [read]
            assert new.removeprefix(written) == old.removeprefix(read)
    assert used == {*inputs, *outputs}, "nothing else is recorded"


def test_what_a_pattern_removes_is_removed(tmp_path: Path):
    memory = fsspec.filesystem("memory")
    make_tree(memory, str(tmp_path))
    with observe_run(tmp_path / "spool") as observed:
        lineage.observe.filesystem("memory").rm(f"{tmp_path}/source/sub/*.csv")
    assert sorted(tree(memory, str(tmp_path))) == ["source/d.csv", "source/sub/nested/c.csv"]
    removed = [f"memory|{tmp_path}/source/sub/{name}.csv" for name in "ab"]
    assert (observed.inputs, observed.outputs) == ([], removed)
    assert [observed.change(each) for each in removed] == ["DROP", "DROP"]


def test_a_name_that_is_like_a_pattern_is_a_name(tmp_path: Path):
    for name in ("a[1].csv", "a1.csv"):
        (tmp_path / name).write_text(name)
    with observe_run(tmp_path / "spool") as observed:
        lineage.observe.filesystem("file").rm(f"{tmp_path}/a[1].csv")
    assert observed.outputs == [f"{tmp_path}/a[1].csv"]
    assert (tmp_path / "a1.csv").exists()


@pytest.mark.parametrize("protocol", ["file", "memory"])
def test_a_file_of_a_transaction_is_an_output_if_that_is_committed(tmp_path: Path, protocol: str):
    def write_files(fs: Any, name: str, error: Exception | None) -> None:
        with fs.transaction:
            with fs.open(f"{tmp_path}/{name}", "wb") as file:
                file.write(b"12")
            if error:
                raise error

    with observe_run(tmp_path / "spool") as observed:
        fs = lineage.observe.filesystem(protocol)
        write_files(fs, "committed", None)
        with pytest.raises(ValueError, match="rolled back"):
            write_files(fs, "rolled", ValueError("rolled back"))
        assert not fs.exists(f"{tmp_path}/rolled")
    [output] = observed.outputs
    assert output.endswith(f"{tmp_path}/committed")
    assert observed.size(output) == 2


def test_files_of_a_loop_move_into_one_directory(tmp_path: Path):
    memory = fsspec.filesystem("memory")
    names = ("a.csv", "b.csv", "c.csv")
    for name in names:
        memory.pipe(f"{tmp_path}/lake/{name}", name.encode())
    with observe_run(tmp_path / "spool"):
        for name in names:
            lineage.observe.filesystem("memory").mv(
                f"{tmp_path}/lake/{name}", f"{tmp_path}/archive/"
            )
    assert tree(memory, str(tmp_path)) == {f"archive/{name}": name.encode() for name in names}


def test_a_pattern_with_a_slash_matches_directories(tmp_path: Path):
    plain = fsspec.filesystem("file")
    make_tree(plain, str(tmp_path))
    pattern = f"{tmp_path}/source/*/"
    matches = lineage.observe.filesystem("file").glob(pattern)
    assert matches == plain.glob(pattern)
    assert [each.rstrip("/") for each in matches] == [f"{tmp_path}/source/sub"]
