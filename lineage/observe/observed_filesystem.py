"""A file system of fsspec that passes everything on, and records reads and writes of the run.

``pd.read_parquet("lineage::s3://lake/x")``, or ``lineage.observe.filesystem("s3")`` for libraries
that take a file system. An access belongs to the current run. In the threads of a library, which
have none, it belongs to the run in which the file system was created.
"""

from __future__ import annotations

import io
from functools import partial
from typing import Any

from lineage.hub.events import FileOperation
from lineage.observe.file_accesses import FileAccesses, is_recursive
from lineage.observe.observed_file import ObservedFile, record_at_commit
from lineage.observe.transferred_paths import is_local_copy, pair_copies, pair_moves, pair_uploads


def filesystem(protocol: str, **options: Any) -> ObservedFileSystem:
    """Return the file system that ``fsspec.filesystem`` returns for these arguments, observed."""
    return ObservedFileSystem(target_protocol=protocol, target_options=options)


class ObservedFileSystem(FileAccesses):
    """Observes the file system ``fs``, or the one of ``target_protocol`` and ``target_options``."""

    protocol = "lineage"
    cachable = False  # each has the run in which it was created
    async_impl = False

    # Reads.

    def open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        """Open a file. A read is recorded now, a write and the bytes when it is closed."""
        path = self._inner_paths(path)
        if "b" not in mode:
            binary = {name: options.pop(name) for name in ("block_size", "cache_options",
                      "compression") if name in options}  # fmt: skip
            text = {name: options.pop(name) for name in ("encoding", "errors", "newline")
                    if name in options}  # fmt: skip
            file = self.open(path, mode.replace("t", "") + "b", **binary, **options)
            return io.TextIOWrapper(file, **text)
        is_deferred = getattr(self.fs, "_intrans", False) and options.get("autocommit", True)
        file = self.fs.open(path, mode, **options)
        run = self._run_of_access()
        if run is None:
            return file

        if is_read := "r" in mode:
            self._add_read(path, None, run)

        def add_access(bytes_read: int, bytes_written: int) -> None:
            if is_read:
                self._add_read(path, bytes_read, run)
            if not is_read or "+" in mode:
                append = mode[0] in "ra"
                add = partial(self._add_write, path, bytes_written, run, append=append)
                if is_deferred and not is_read and self.fs._intrans:
                    record_at_commit(add, self.fs.transaction)
                else:
                    add()

        return ObservedFile(file, add_access)

    def cat(self, path: Any, *args: Any, **options: Any) -> Any:
        content = self.fs.cat(self._inner_paths(path), *args, **options)
        of_paths = content if isinstance(content, dict) else {path: content}
        for each, data in of_paths.items():
            if not isinstance(data, Exception):
                self._add_read(each, len(data))
        return content

    def cat_file(self, path: str, *args: Any, **options: Any) -> Any:
        data = self.fs.cat_file(self._inner_paths(path), *args, **options)
        self._add_read(path, len(data))
        return data

    def cat_ranges(self, paths: list[str], *args: Any, **options: Any) -> Any:
        ranges = self.fs.cat_ranges(self._inner_paths(paths), *args, **options)
        for path, data in zip(paths, ranges, strict=False):
            if not isinstance(data, Exception):
                self._add_read(path, len(data))
        return ranges

    def get(self, rpath: Any, lpath: Any, *args: Any, **options: Any) -> Any:
        sources = self._inner_paths(rpath)
        files = self._expand_paths(sources, args, options)
        done = self.fs.get(sources, lpath, *args, **options)
        for path in files:
            if is_recursive(args, options) or is_local_copy(path, lpath):
                self._add_read(path)
        return done

    def get_file(self, rpath: str, lpath: Any, *args: Any, **options: Any) -> Any:
        done = self.fs.get_file(self._inner_paths(rpath), lpath, *args, **options)
        self._add_read(rpath)
        return done

    # Writes.

    def pipe(self, path: Any, value: Any = None, **options: Any) -> Any:
        contents = path if isinstance(path, dict) else {path: value}
        plain = {self._inner_paths(each): data for each, data in contents.items()}
        done = self.fs.pipe(plain, **options)
        for each, data in contents.items():
            self._add_write(each, memoryview(data).nbytes)
        return done

    def pipe_file(self, path: str, value: Any, *args: Any, **options: Any) -> Any:
        done = self.fs.pipe_file(self._inner_paths(path), value, *args, **options)
        self._add_write(path, memoryview(value).nbytes)
        return done

    def put(self, lpath: Any, rpath: Any, *args: Any, **options: Any) -> Any:
        target = self._inner_paths(rpath)
        pairs = self._pair_paths(pair_uploads, (lpath, target), args, options)
        done = self.fs.put(lpath, target, *args, **options)
        for _, path in pairs:
            self._add_write(path)
        return done

    def put_file(self, lpath: Any, rpath: str, *args: Any, **options: Any) -> Any:
        done = self.fs.put_file(lpath, self._inner_paths(rpath), *args, **options)
        self._add_write(rpath)
        return done

    def touch(self, path: str, truncate: bool = True, **options: Any) -> Any:
        is_write = truncate or not self.exists(path)
        done = self.fs.touch(self._inner_paths(path), truncate=truncate, **options)
        if is_write:
            self._add_write(path, 0)
        return done

    # Copies, moves and removals.

    def cp_file(self, path1: str, path2: str, **options: Any) -> Any:
        done = self.fs.cp_file(*self._inner_paths([path1, path2]), **options)
        self._add_transfer(FileOperation.COPY, path1, path2)
        return done

    def copy(self, path1: Any, path2: Any, *args: Any, **options: Any) -> Any:
        paths = self._inner_paths(path1), self._inner_paths(path2)
        pairs = self._pair_paths(pair_copies, paths, args, options)
        own = self._own_directories([source for source, _ in pairs])
        done = self.fs.copy(*paths, *args, **options)
        for old, new in pairs:
            self._add_transfer(FileOperation.COPY, old, new, is_own=old in own)
        return done

    def mv(self, path1: Any, path2: Any, *args: Any, **options: Any) -> Any:
        paths = self._inner_paths(path1), self._inner_paths(path2)
        pairs = self._pair_paths(pair_moves, paths, args, options)
        own = self._own_directories([source for source, _ in pairs])
        done = self.fs.mv(*paths, *args, **options)
        for old, new in pairs:
            self._add_transfer(FileOperation.MOVE, old, new, is_own=old in own)
        return done

    def rm(self, path: Any, *args: Any, **options: Any) -> Any:
        paths = self._inner_paths(path)
        removed = self._expand_paths(paths, args, options)
        own = self._own_directories(removed)
        done = self.fs.rm(paths, *args, **options)
        for each in removed:
            self._add_delete(each, is_own=each in own)
        return done

    def rm_file(self, path: str) -> Any:
        done = self.fs.rm_file(self._inner_paths(path))
        self._add_delete(path)
        return done

    # Operations that neither read nor write data.

    @property
    def transaction(self) -> Any:
        """The transaction of the target. Its files are recorded when they are closed."""
        return self.fs.transaction

    def __getattr__(self, name: str) -> Any:
        if name == "fs":  # while it is created
            raise AttributeError(name)
        return getattr(self.fs, name)


def _pass_on(name: str) -> Any:
    def call_target(self: ObservedFileSystem, *args: Any, **options: Any) -> Any:
        args = tuple(
            self._inner_paths(each) if isinstance(each, str | list) else each for each in args
        )
        if isinstance(path := options.get("path"), str | list):
            options["path"] = self._inner_paths(path)
        return getattr(self.fs, name)(*args, **options)

    call_target.__name__ = name
    return call_target


for _name in (
    *("ls", "info", "exists", "lexists", "isdir", "isfile", "walk", "find", "glob", "du", "size"),
    *("sizes", "checksum", "ukey", "created", "modified", "mkdir", "makedirs", "rmdir", "sign"),
    *("invalidate_cache", "expand_path", "start_transaction", "end_transaction"),
):
    setattr(ObservedFileSystem, _name, _pass_on(_name))
