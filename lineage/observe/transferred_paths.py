"""The files and directories that an operation of fsspec takes, and where it puts them.

fsspec expands patterns and lists, and decides by slashes and existing files whether a target is a
directory: https://filesystem-spec.readthedocs.io/en/latest/copying.html
"""

from __future__ import annotations

from glob import has_magic
from os.path import exists, isdir, isfile
from posixpath import basename
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

Pairs = list[tuple[str, str]]


class PairPaths(Protocol):
    """A function that returns the sources and targets of an operation."""

    def __call__(self, fs: Any, sources: Any, target: Any, *, recursive: bool) -> Pairs: ...


def expand_paths(fs: Any, paths: Any, *, recursive: bool) -> list[str]:
    """Return the matches of patterns, and other paths unchanged. A name may be like a pattern."""
    expanded: dict[str, None] = {}
    for path in paths if isinstance(paths, list | tuple) else [paths]:
        matches = fs.glob(path) if has_magic(path) and not fs.exists(path) else []
        if not recursive:
            matches = _without_directories(fs, matches)
        expanded.update(dict.fromkeys(matches or [path]))
    return list(expanded)


def is_local_copy(source: str, target: Any) -> bool:
    """Return whether a download left a file or a directory: a directory may have been skipped.

    The file system is not asked: HTTP would fetch the file again.
    """
    if not isinstance(target, str):
        return True
    inside = f"{target.rstrip('/')}/{basename(source.rstrip('/'))}"
    return isfile(target) or exists(inside) or not isdir(target)


def pair_copies(
    fs: Any, sources: Any, target: Any, *, recursive: bool, source_fs: Any = None
) -> Pairs:
    """Return each source of a copy with its target, as fsspec pairs them.

    A directory that is copied stands for its content. ``fs``: of the target. ``source_fs``: of
    the sources, if that is another one.
    """
    source_fs = source_fs or fs
    if isinstance(sources, list) and isinstance(target, list):
        return list(zip(sources, target, strict=False))
    if isinstance(sources, str) and not has_magic(sources):
        if not recursive and source_fs.isdir(sources):
            return []
        is_inside = not sources.endswith("/") and (target.endswith("/") or fs.isdir(target))
        return [_pair_path(sources, target, is_inside=is_inside)]
    expanded = source_fs.expand_path(sources, recursive=recursive)
    if not isinstance(sources, str) or not recursive:
        expanded = _without_directories(source_fs, expanded)
    if not expanded:
        return []
    from fsspec.utils import other_paths

    is_pattern = isinstance(sources, str)
    exists = is_pattern and len(expanded) == 1
    targets = other_paths(expanded, target, exists=exists, flatten=not is_pattern)
    pairs = dict(zip(expanded, targets, strict=True))
    return [(source, pairs[source]) for source in expanded if not _has_parent(source, pairs)]


def pair_uploads(fs: Any, sources: Any, target: Any, *, recursive: bool) -> Pairs:
    """Return each local source of an upload with its target."""
    from fsspec.implementations.local import LocalFileSystem, make_path_posix

    sources = make_path_posix(sources) if isinstance(sources, str) else sources
    return pair_copies(fs, sources, target, recursive=recursive, source_fs=LocalFileSystem())


def pair_moves(fs: Any, sources: Any, target: Any, *, recursive: bool) -> Pairs:
    """Return each source of a move with its target.

    A file system copies and removes, or has a method of its own, which renames.
    """
    from fsspec import AbstractFileSystem
    from fsspec.implementations.chained import ChainedFileSystem

    inner = fs
    while isinstance(inner, ChainedFileSystem) and isinstance(inner.fs, AbstractFileSystem):
        inner = inner.fs
    if type(inner).mv is AbstractFileSystem.mv:
        return pair_copies(fs, sources, target, recursive=recursive)
    if isinstance(sources, str) and isinstance(target, str):
        return [_pair_path(sources, target, is_inside=fs.isdir(target))]
    return []


def _pair_path(source: str, target: str, *, is_inside: bool) -> tuple[str, str]:
    source, target = source.rstrip("/"), target.rstrip("/")
    return source, f"{target}/{basename(source)}" if is_inside else target


def _without_directories(fs: Any, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if not fs.isdir(path)]


def _has_parent(path: str, paths: Iterable[str]) -> bool:
    while (parent := path.rpartition("/")[0]) not in ("", path):
        if parent in paths:
            return True
        path = parent
    return False
