"""The files that a run reads and writes, from audit events, which precede what they announce.

The state of each file is kept, not each event, so that a program may run for months. Nothing here
takes a lock, because an audit hook must not: each change is one operation on a dictionary or a set.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from lineage.hub.locations import absolute_path

if TYPE_CHECKING:
    from lineage.observe.ignored_paths import IgnoredPaths

MOST_FILES = 50_000  # of each side; directories follow
_MOST_UNRESOLVED = 100
_NO_DIRECTORY = -1  # the value of dir_fd if there is none
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR


@dataclass(slots=True)
class Write:
    """What a run did to a file.

    ``append``: earlier content may remain. ``before``: the state of the file then, if only a change
    of it shows that the run wrote. ``source``: the file of which it is a copy, or that was moved
    here. ``moved``: device and number of that file. ``altered``: whether it was written to since.
    """

    append: bool = False
    before: tuple[int, ...] | None = None
    source: str | None = None
    moved: tuple[int, int] | None = None
    altered: bool = False


class RunFiles:
    """The files of one run, by absolute path."""

    def __init__(self, ignored: IgnoredPaths) -> None:
        self.reads: dict[str, None] = {}
        self.writes: dict[str, Write] = {}
        self.deletes: dict[str, None] = {}
        self.vanished: set[str] = set()  # were there, and the run removed or moved them
        self.removed_trees: set[str] = set()
        self.unresolved: dict[str, None] = {}
        self.read_directories: dict[str, int] = {}
        self.written_directories: dict[str, int] = {}
        self.failures = 0
        self._ignored = ignored
        self._seen: set[tuple[Any, ...]] = set()  # open events
        self._created: set[str] = set()  # directories
        self._copies: dict[str, str] = {}  # announced: source by target

    def open_file(self, event: tuple[Any, str | None, int]) -> None:
        """Take an ``open`` event: path, mode and flags."""
        if event[0].__class__ is str and event in self._seen:
            return
        path, mode, flags = event
        if isinstance(path, int):
            return
        name = path_text(path)
        if name is None or (mode is None and not os.path.isabs(name)):
            # os.open does not tell dir_fd, the directory that the path may be relative to.
            self._add_unresolved(path)
            return
        resolved = plain_path(name)
        if self._ignored.is_ignored(resolved):
            self._remember_open(event)
        elif flags & _ACCESS == os.O_RDONLY and not flags & os.O_TRUNC:
            self._remember_open(event)
            self._add_read(resolved)
        elif source := self._copies.pop(resolved, None):
            self._add_write(resolved, Write(source=None if source in self.writes else source))
        else:
            self._remember_open(event)
            self._open_to_write(resolved, flags)

    def _open_to_write(self, resolved: str, flags: int) -> None:
        if flags & os.O_TRUNC:
            self._add_write(resolved, Write())
            return
        before = _state_of(resolved)
        if before is None:
            if flags & os.O_CREAT:
                self._add_write(resolved, Write())
        elif not flags & os.O_EXCL:
            if flags & _ACCESS == os.O_RDWR:
                self._add_read(resolved)
            known = self.writes.get(resolved)
            if known is None:
                self._add_write(resolved, Write(append=True, before=before))
            else:
                known.altered = True

    def _add_read(self, resolved: str) -> None:
        written = self.writes.get(resolved)
        if written is not None and not written.append:
            return  # the run's own content
        if resolved in self.reads or len(self.reads) < MOST_FILES:
            self.reads[resolved] = None
        else:
            _count_directory(self.read_directories, resolved)

    def _add_write(self, resolved: str, write: Write) -> None:
        is_read = resolved in self.reads and resolved not in self.vanished
        if is_read and _read_status(resolved) is None:  # so it could not be read either
            self.reads.pop(resolved, None)
        if resolved in self.writes or len(self.writes) < MOST_FILES:
            self.writes[resolved] = write
        else:
            _count_directory(self.written_directories, resolved)

    def announce_copy(self, event: tuple[Any, Any]) -> None:
        """Take a ``shutil.copyfile`` event; an ``open`` event of each of both paths follows."""
        source, target = event
        old, new = self._observed_path(source), self._observed_path(target)
        if old and new:
            self._seen.clear()
            self._copies[new] = old

    def link_file(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.link`` event."""
        source, target, *directories = event
        if any(each != _NO_DIRECTORY for each in directories):
            self._add_unresolved(target)
            return
        old, new = self._observed_path(source), self._observed_path(target)
        if old and new and os.path.lexists(old) and not os.path.lexists(new):
            own = old in self.writes
            self._add_read(old)
            self._add_write(new, Write(source=None if own else old))

    def truncate_file(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.truncate`` event."""
        resolved = self._observed_path(event[0])
        if resolved:
            self._open_to_write(resolved, os.O_WRONLY)

    def rename_path(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.rename`` event, which ``os.replace`` raises too."""
        self._seen.clear()
        source, target, *directories = event
        if any(each != _NO_DIRECTORY for each in directories):
            self._add_unresolved(source)
            self._add_unresolved(target)
            return
        old, new = _resolve_path(source), _resolve_path(target)
        status = _read_status(old) if old and new else None
        if not old or not new or status is None:
            return
        if stat.S_ISDIR(status.st_mode):
            self._rename_directory(old, new, status)
            return
        written = self.writes.pop(old, None)
        if old in self.reads:
            self.vanished.add(old)
        if written is None or written.append:
            if not self._ignored.is_ignored(old):
                self._add_read(old)
                self.vanished.add(old)
            moved = (status.st_dev, status.st_ino)
            written = Write(source=old, moved=moved, altered=written is not None)
        if not self._ignored.is_ignored(new):
            self._add_write(new, written)

    def _add_vanished(self, below: str) -> None:
        for path in list(self.reads):
            if path.startswith(below) and _read_status(path) is not None:
                self.vanished.add(path)

    def _rename_directory(self, old: str, new: str, status: os.stat_result) -> None:
        below = f"{old}/"
        own = [path for path in list(self.writes) if path.startswith(below)]
        for path in own:
            self._add_write(f"{new}/{path[len(below) :]}", self.writes.pop(path))
        self._add_vanished(below)
        if old in self._created or own:
            self._created.discard(old)
            self._created.add(new)
        elif not self._ignored.is_ignored(old) and not self._ignored.is_ignored(new):
            self._add_read(old)
            self.vanished.add(old)
            self._add_write(new, Write(source=old, moved=(status.st_dev, status.st_ino)))

    def remove_file(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.remove`` event. Paths of rmtree are relative; it has an event of its own."""
        self._seen.clear()
        if event[1:] not in ((), (_NO_DIRECTORY,)):
            return
        resolved = self._observed_path(event[0])
        if resolved is None or (status := _read_status(resolved)) is None:
            return
        self.vanished.add(resolved)
        written = self.writes.pop(resolved, None)
        if (written is None or written.append) and stat.S_ISREG(status.st_mode):
            self.deletes[resolved] = None
        elif written is not None and written.moved and written.source:
            self.deletes[written.source] = None

    def remove_tree(self, event: tuple[Any, ...]) -> None:
        """Take a ``shutil.rmtree`` event; the files below have no paths in their own events."""
        self._seen.clear()
        resolved = self._observed_path(event[0])
        if resolved is None or not os.path.isdir(resolved):
            return
        below = f"{resolved}/"
        self.removed_trees.add(resolved)  # it opens the directory to remove what is in there
        self._add_vanished(below)
        for each in [each for each in list(self.writes) if each.startswith(below)]:
            del self.writes[each]
        if resolved in self._created:
            self._created.discard(resolved)
        else:
            self.deletes[resolved] = None

    def create_directory(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.mkdir`` event."""
        if event[2:] not in ((), (_NO_DIRECTORY,)):
            return
        resolved = self._observed_path(event[0])
        if resolved and not os.path.lexists(resolved):
            self._created.add(resolved)

    def change_directory(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.chdir`` event: relative paths have another meaning from now on."""
        self._seen.clear()

    def _observed_path(self, path: Any) -> str | None:
        resolved = _resolve_path(path)
        return None if resolved is None or self._ignored.is_ignored(resolved) else resolved

    def _remember_open(self, event: tuple[Any, ...]) -> None:
        if event[0].__class__ is not str:  # the hash of another class may do anything
            return
        if len(self._seen) >= MOST_FILES:
            self._seen.clear()
        self._seen.add(event)

    def _add_unresolved(self, path: Any) -> None:
        name = path_text(path) or f"a path of type {type(path).__name__}"
        if len(self.unresolved) < _MOST_UNRESOLVED:
            self.unresolved[name] = None


def path_text(path: Any) -> str | None:
    """Return a path as text. The methods of other classes are not called: they may do anything."""
    if isinstance(path, str):
        return str.__str__(path)
    if isinstance(path, bytes):
        return os.fsdecode(path)
    return str(path) if isinstance(path, PurePath) else None


def _resolve_path(path: Any) -> str | None:
    name = path_text(path)
    return plain_path(name) if name else None


def plain_path(path: str) -> str:
    """Return the absolute path without ``.`` and ``..``; soon, because most paths are that."""
    is_plain = path.startswith("/") and "/." not in path and "//" not in path
    return path if is_plain and path[-1] != "/" else absolute_path(path)


def _read_status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def _state_of(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return file_state(status)


def file_state(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes if a file is written."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _count_directory(directories: dict[str, int], path: str) -> None:
    directory = os.path.dirname(path)
    if directory in directories or len(directories) < MOST_FILES:
        directories[directory] = directories.get(directory, 0) + 1
