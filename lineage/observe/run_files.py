"""The files that a run opens and copies, from audit events, which precede the operations.

The state of each file is kept, not each event, so that a program may run for months. Nothing here
takes a lock, because an audit hook must not: each change is one operation on a dictionary or a set.
"""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lineage.observe.announced_changes import AnnouncedChanges
from lineage.observe.path_state import (
    file_identity,
    file_state,
    file_status,
    link_status,
    path_text,
    plain_path,
    resolve_path,
)

if TYPE_CHECKING:
    from lineage.observe.ignored_paths import IgnoredPaths

MAX_FILES = 50_000  # of each side; directories follow
_MAX_UNRESOLVED = 100
NO_DIRECTORY = -1  # the value of dir_fd if there is none
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
_READ_ONLY = _ACCESS | os.O_CREAT | os.O_TRUNC


@dataclass(slots=True)
class Write:
    """The write of a file by a run.

    ``append``: earlier content may remain. ``adds_only``: all of it remains. ``before``: the state
    of the file then, if only a change of it shows that the run wrote. ``source``: the file of which
    it is a copy, or that was moved here. ``size``: its bytes then. ``moved``: device and number of
    that file. ``altered``: whether it was opened to be written since.
    """

    append: bool = False
    adds_only: bool = False
    before: tuple[int, ...] | None = None
    source: str | None = None
    size: int | None = None
    moved: tuple[int, int] | None = None
    altered: bool = False


class RunFiles:
    """The files that one run opens and copies, by absolute path."""

    def __init__(self, ignored: IgnoredPaths) -> None:
        self.reads: dict[str, None] = {}
        self.opened: set[str] = set()  # reads by the program itself, not only by copies and moves
        self.renamed: set[str] = set()
        self.writes: dict[str, Write] = {}
        self.deletes: dict[str, None] = {}
        self.vanished: set[str] = set()  # were there, and the run removed or moved them
        self.removed_trees: set[str] = set()
        self.unresolved: dict[str, None] = {}
        self.read_directories: dict[str, int] = {}
        self.written_directories: dict[str, int] = {}
        self.failures = 0
        self._ignored = ignored
        self._start = time.time_ns()
        self._listings: dict[str, int] = {}  # the last time by directory
        self._seen: set[tuple[Any, ...]] = set()  # open events
        self._created: set[str] = set()  # directories
        self._copies: dict[str, str] = {}  # announced: source by target
        self._copied: set[str] = set()  # announced sources that are not opened yet
        self._changes = AnnouncedChanges()
        self._pending_changes = self._changes.pending  # for each open

    def open_file(self, event: tuple[Any, str | None, int]) -> None:
        """Take an ``open`` event: path, mode and flags."""
        if event[0].__class__ is str and event in self._seen:
            return
        path, mode, flags = event
        if isinstance(path, int):
            return
        name = path_text(path)
        if name is None or (mode is None and not os.path.isabs(name)):
            self._open_relative(path, name, flags)
            return
        if self._pending_changes:
            self._settle_changes()
        resolved = plain_path(name)
        if self._ignored.is_ignored(resolved):
            self._remember_open(event)
        elif flags & _ACCESS == os.O_RDONLY and not flags & os.O_TRUNC:
            if resolved in self._copied:
                self._copied.discard(resolved)
                self._add_read(resolved)
            else:
                self._remember_open(event)
                self._add_opened(resolved)
        elif source := self._copies.pop(resolved, None):
            self._add_write(resolved, self._copy_of(source))
        else:
            self._remember_open(event)
            self._open_to_write(resolved, flags)

    def _open_relative(self, path: Any, name: str | None, flags: int) -> None:
        """Take an ``os.open``, which does not have dir_fd, the directory of a relative path.

        A file that is in the working directory only afterwards was created there.
        """
        if name and flags & _READ_ONLY == os.O_RDONLY and self._changes.is_removing(name):
            return
        self._settle_changes()
        resolved = plain_path(name) if name and flags & os.O_CREAT else ""
        if os.path.isabs(resolved) and link_status(resolved) is None:
            self._forget_failed_read(resolved)
            apply = partial(self._add_created, resolved)
            revoke = partial(self._add_unresolved, path)
            self._changes.announce_change(resolved, None, apply, revoke=revoke)
        else:
            self._add_unresolved(path)

    def _add_created(self, resolved: str) -> None:
        if not self._ignored.is_ignored(resolved):
            self._add_write(resolved, Write())

    def _settle_changes(self, *, at_end: bool = False) -> None:
        if self._changes.settle_changes(at_end=at_end):
            self._seen.clear()  # other threads may have had events since the announcement

    def list_directory(self, event: tuple[Any]) -> None:
        """Take an ``os.listdir`` or ``os.scandir`` event: the run learns which files are there."""
        resolved = None if isinstance(event[0], int) else resolve_path(event[0] or ".")
        if resolved and (resolved in self._listings or len(self._listings) < MAX_FILES):
            self._listings[resolved] = time.time_ns()

    def _add_content_of_run(self, path: str) -> None:
        """Add a write of a file that C, Rust or a child process wrote: these raise no events.

        Such a file has changed since the run started, and the program renames it in its directory
        without having opened it or having listed the directory. Any other file may be of another
        program.
        """
        if path in self.writes or path in self.reads:
            return
        status = link_status(path)
        if status is not None and stat.S_ISREG(status.st_mode):
            since = max(self._start, self._listings.get(os.path.dirname(path), 0))
            if since <= status.st_mtime_ns <= time.time_ns():
                self._add_write(path, Write())

    def _copy_of(self, source: str) -> Write:
        """Return the write of a copy. The source of an unaltered copy is that of its copies."""
        status = file_status(source)
        size = status.st_size if status is not None else None
        known = self.writes.get(source)
        if known is None:
            return Write(source=source, size=size)
        is_copy = known.source is not None and not known.altered and known.size == size
        return Write(source=known.source, size=size) if is_copy else Write()

    def _open_to_write(self, resolved: str, flags: int) -> None:
        if flags & os.O_TRUNC:
            self._add_write(resolved, Write())
            return
        status = file_status(resolved)
        if status is None:
            if flags & os.O_CREAT:
                self._add_write(resolved, Write())
        elif not flags & os.O_EXCL:
            if flags & _ACCESS == os.O_RDWR:
                self._add_opened(resolved)
            known = self.writes.get(resolved)
            adds = bool(flags & os.O_APPEND)
            if known is None:
                write = Write(append=True, adds_only=adds, before=file_state(status))
                self._add_write(resolved, write)
            else:
                known.altered = True
                known.adds_only = known.adds_only and adds

    def _add_opened(self, resolved: str) -> None:
        """Add a read by the program: of a copy or a moved file, it reads the source."""
        path = resolved
        while path:
            if (written := self.writes.get(path)) is not None and written.source is not None:
                self.opened.add(written.source)
            parent = os.path.dirname(path)
            path = parent if self.renamed and parent != path else ""
        if self._add_read(resolved):
            self.opened.add(resolved)

    def _add_read(self, resolved: str) -> bool:
        """Add a read, and return whether the file is one of ``reads``: none of own content."""
        written = self.writes.get(resolved)
        if written is not None and not written.append:
            return False
        if resolved in self.reads or len(self.reads) < MAX_FILES:
            self.reads[resolved] = None
        else:
            _count_directory(self.read_directories, resolved)
        return resolved in self.reads

    def _add_write(self, resolved: str, write: Write) -> None:
        self._forget_failed_read(resolved)
        if resolved in self.writes or len(self.writes) < MAX_FILES:
            self.writes[resolved] = write
        else:
            _count_directory(self.written_directories, resolved)

    def _forget_failed_read(self, resolved: str) -> None:
        """Remove the read of a file that is not there before a write: it could not be read."""
        is_read = resolved in self.reads and resolved not in self.vanished
        if is_read and link_status(resolved) is None:
            self.reads.pop(resolved, None)

    def announce_copy(self, event: tuple[Any, Any]) -> None:
        """Take a ``shutil.copyfile`` event; an ``open`` event of each of both paths follows."""
        self._settle_changes()
        source, target = event
        old, new = self._observed_path(source), self._observed_path(target)
        known = file_identity(file_status(new)) if new else None
        if old and new and (known is None or known != file_identity(file_status(old))):
            self._seen.clear()
            self._copied.add(old)
            self._copies[new] = old

    def link_file(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.link`` event."""
        self._settle_changes()
        source, target, *directories = event
        if any(each != NO_DIRECTORY for each in directories):
            self._add_unresolved(target)
            return
        old, new = self._observed_path(source), self._observed_path(target)
        if old and new and os.path.lexists(old) and not os.path.lexists(new):
            self._add_read(old)
            self._add_write(new, self._copy_of(old))

    def truncate_file(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.truncate`` event."""
        self._settle_changes()
        resolved = self._observed_path(event[0])
        if resolved:
            self._open_to_write(resolved, os.O_WRONLY)

    def _observed_path(self, path: Any) -> str | None:
        resolved = resolve_path(path)
        return None if resolved is None or self._ignored.is_ignored(resolved) else resolved

    def _remember_open(self, event: tuple[Any, ...]) -> None:
        if event[0].__class__ is not str:  # the hash of another class may do anything
            return
        if len(self._seen) >= MAX_FILES:
            self._seen.clear()
        self._seen.add(event)

    def _add_unresolved(self, path: Any) -> None:
        name = path_text(path) or f"a path of type {type(path).__name__}"
        if len(self.unresolved) < _MAX_UNRESOLVED:
            self.unresolved[name] = None


def _count_directory(directories: dict[str, int], path: str) -> None:
    directory = os.path.dirname(path)
    if directory in directories or len(directories) < MAX_FILES:
        directories[directory] = directories.get(directory, 0) + 1
