"""The accesses of a file system of fsspec, which it adds to the run that they belong to."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.extras import install_hint
from lineage.hub.active_run import claiming_run
from lineage.hub.events import Dataset, FileIo, FileOperation
from lineage.hub.guard import guard_program
from lineage.hub.locations import dataset_at
from lineage.naming import partitioned_root

try:
    from fsspec import AbstractFileSystem
    from fsspec import filesystem as create_filesystem
    from fsspec.archive import AbstractArchiveFileSystem
    from fsspec.implementations.chained import ChainedFileSystem

    from lineage.observe.transferred_paths import expand_paths
except ImportError as error:
    raise UsageError(
        "Observing file systems needs fsspec from 2025.10 on.", install_hint("fsspec")
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.hub.active_run import ActiveRun
    from lineage.observe.transferred_paths import PairPaths

_PREFIX = "lineage://"


class FileAccesses(ChainedFileSystem):  # type: ignore[misc] # fsspec has no types
    """Adds accesses of the file system ``fs`` to the current run, else to its creator."""

    def __init__(
        self,
        target_protocol: str | None = None,
        target_options: Mapping[str, Any] | None = None,
        fs: Any = None,
        fo: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.fs = fs or create_filesystem(target_protocol or "file", **(target_options or {}))
        self._creator = claiming_run()
        self.__dict__["_strip_protocol"] = self._strip_protocols

    def _run_of_access(self) -> ActiveRun | None:
        run = claiming_run()
        if run is None and self._creator is not None and not self._creator.has_ended:
            return self._creator
        return run

    def _add_read(self, path: str, size: int | None = None, run: ActiveRun | None = None) -> None:
        run = run or self._run_of_access()
        if run is not None:
            with guard_program():
                is_own = run.content.own_files.add_read(self._file_at(path))
                if not is_own and (dataset := self._dataset_at(path, run)) is not None:
                    run.reads(dataset, bytes=size)

    def _add_write(
        self,
        path: str,
        size: int | None = None,
        run: ActiveRun | None = None,
        *,
        append: bool = False,
    ) -> None:
        run = run or self._run_of_access()
        if run is not None:
            with guard_program():
                if (dataset := self._dataset_at(path, run)) is not None:
                    if run.is_recording and not append:
                        run.content.own_files.add_replaced(self._file_at(path), dataset)
                    run.writes(dataset, bytes=size, append=append)

    def _expand_paths(self, paths: Any, args: Any, options: Mapping[str, Any]) -> list[str]:
        """Return the files and directories that an operation with these options takes."""
        expanded: list[str] = []
        if self._run_of_access() is not None:
            with guard_program(), suppress(FileNotFoundError):
                expanded = expand_paths(self.fs, paths, recursive=is_recursive(args, options))
        return expanded

    def _pair_paths(
        self, pair: PairPaths, paths: tuple[Any, Any], args: Any, options: Mapping[str, Any]
    ) -> list[tuple[str, str]]:
        """Return each source of an operation with its target, before it is done."""
        pairs: list[tuple[str, str]] = []
        if self._run_of_access() is not None:
            with guard_program(), suppress(FileNotFoundError):
                pairs = pair(self.fs, *paths, recursive=is_recursive(args, options))
        return pairs

    def _own_directories(self, paths: Iterable[str]) -> set[str]:
        """Return the directories of ``paths`` that have files of the run and no others."""
        own: set[str] = set()
        run = self._run_of_access()
        if run is not None:
            with guard_program():
                files = run.content.own_files
                for path in paths:
                    if files.is_directory(self._file_at(path)):
                        every = self.fs.find(self._strip_protocols(path))
                        if all(files.has_replaced(self._file_at(each)) for each in every):
                            own.add(path)
        return own

    def _add_transfer(
        self, operation: FileOperation, source: str, target: str, *, is_own: bool = False
    ) -> None:
        run = self._run_of_access()
        if run is not None:
            with guard_program():
                payload = FileIo(operation, self._url_of(source), self._url_of(target))
                if not is_own:
                    run.add_observation(payload)
                elif run.is_recording:
                    old, new = self._file_at(source), self._file_at(target)
                    run.content.own_files.add_transfer(payload, old, new)

    def _add_delete(self, path: str, *, is_own: bool = False) -> None:
        run = self._run_of_access()
        if run is not None:
            with guard_program():
                if not is_own:
                    run.add_observation(FileIo(FileOperation.DELETE, self._url_of(path)))
                elif run.is_recording:
                    run.content.own_files.remove_files(self._file_at(path))

    # Names.

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(each) for each in path]
        return path.removeprefix(_PREFIX) if isinstance(path, str) else path

    def _strip_protocols(self, path: Any) -> Any:
        """Strip the protocol of the target too, of a path or of each of a list."""
        if isinstance(path, list | tuple):
            return [self._strip_protocols(each) for each in path]
        return self.fs._strip_protocol(type(self)._strip_protocol(path))

    def _inner_paths(self, path: Any) -> Any:
        """Return the paths for the inner file system. A slash at the end means a directory."""
        if isinstance(path, list | tuple):
            return [self._inner_paths(each) for each in path]
        if isinstance(path, os.PathLike):
            return path
        inner = self._strip_protocols(path)
        is_directory = isinstance(path, str) and path.endswith("/") and inner
        return f"{inner.rstrip('/')}/" if is_directory else inner

    def _dataset_at(self, path: str, run: ActiveRun) -> Dataset | None:
        """Return the dataset of a file: of one in a partition the directory of the partitions."""
        dataset = self._file_at(path)
        if isinstance(self.fs, AbstractArchiveFileSystem):
            if not run.has_ended:
                run.content.add_item({"kind": "FILE_IO", "unresolved": dataset.name})
            return None
        return Dataset(dataset.namespace, partitioned_root(dataset.name))

    def _file_at(self, path: str) -> Dataset:
        return dataset_at(self._url_of(path))

    def _url_of(self, path: str) -> str:
        """Return the URL in the innermost file system: caches and directories are no place."""
        inner, path = self.fs, self._strip_protocols(path)
        while isinstance(inner, ChainedFileSystem) and isinstance(
            getattr(inner, "fs", None), AbstractFileSystem
        ):
            path = inner._join(path) if hasattr(type(inner), "_join") else path
            inner = inner.fs
        return str(inner.unstrip_protocol(path))


def is_recursive(args: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
    """Return whether a call is for directories too, by its first argument after the paths."""
    return bool(options.get("recursive", args[0] if args else False))
