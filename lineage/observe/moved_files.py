"""The files and directories that a run moves and removes, from audit events.

An event precedes the call, which may fail. A change is applied when it is done.
"""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import Any

from lineage.observe.path_state import file_identity, link_status, resolve_path
from lineage.observe.run_files import NO_DIRECTORY, RunFiles, Write


class MovedFiles(RunFiles):
    """The files of one run, where they are after it has moved and removed them."""

    def rename_path(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.rename`` event, which ``os.replace`` raises too."""
        self._seen.clear()
        self._settle_changes()
        source, target, *directories = event
        if any(each != NO_DIRECTORY for each in directories):
            self._add_unresolved(source)
            self._add_unresolved(target)
            return
        old, new = resolve_path(source), resolve_path(target)
        status = link_status(old) if old and new else None
        if not old or not new or status is None:
            return
        if stat.S_ISLNK(status.st_mode) and old not in self.writes:
            return  # it has no content, and links are not followed
        self._forget_failed_read(new)
        apply = self._rename_file
        if stat.S_ISDIR(status.st_mode):
            apply = self._rename_directory
            self._add_vanished(f"{old}/")
            for path in [each for each in list(self.reads) if each.startswith(f"{new}/")]:
                self._forget_failed_read(path)
        elif old in self.reads:
            self.vanished.add(old)
        elif not self._ignored.is_ignored(old) and os.path.dirname(old) == os.path.dirname(new):
            self._add_content_of_run(old)
        self._changes.announce_change(old, status, partial(apply, old, new, status))

    def _rename_file(self, old: str, new: str, status: os.stat_result) -> None:
        written = self.writes.pop(old, None)
        if written is None or written.append:
            if not self._ignored.is_ignored(old):
                self._add_read(old)
                self.vanished.add(old)
                self.renamed.add(old)
            written = Write(
                source=old,
                size=status.st_size,
                moved=file_identity(status),
                altered=written is not None,
            )
        if not self._ignored.is_ignored(new):
            self._add_write(new, written)

    def _add_vanished(self, below: str) -> None:
        for path in list(self.reads):
            if path.startswith(below) and link_status(path) is not None:
                self.vanished.add(path)

    def _rename_directory(self, old: str, new: str, status: os.stat_result) -> None:
        below = f"{old}/"
        own = [path for path in list(self.writes) if path.startswith(below)]
        for path in own:
            self._add_write(f"{new}/{path[len(below) :]}", self.writes.pop(path))
        if old in self._created or own:
            if old in self._created:
                self._forget_reads(below)
            self._created.discard(old)
            self._created.add(new)
        elif not self._ignored.is_ignored(old) and not self._ignored.is_ignored(new):
            self._add_read(old)
            self.vanished.add(old)
            self.renamed.add(old)
            self._add_write(new, Write(source=old, moved=file_identity(status)))

    def remove_file(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.remove`` event. Paths of rmtree are relative; it has an event of its own."""
        self._seen.clear()
        if event[1:] not in ((), (NO_DIRECTORY,)):
            return
        self._settle_changes()
        resolved = self._observed_path(event[0])
        if resolved is None or (status := link_status(resolved)) is None:
            return
        self.vanished.add(resolved)
        apply = partial(self._remove_file, resolved, is_regular=stat.S_ISREG(status.st_mode))
        self._changes.announce_change(resolved, status, apply)

    def _remove_file(self, resolved: str, *, is_regular: bool) -> None:
        written = self.writes.pop(resolved, None)
        if (written is None or written.append) and is_regular:
            self.deletes[resolved] = None
        elif written is not None and written.moved and written.source:
            self.deletes[written.source] = None

    def remove_tree(self, event: tuple[Any, ...]) -> None:
        """Take a ``shutil.rmtree`` event; the files below have no paths in their own events."""
        self._seen.clear()
        self._settle_changes()
        if event[1:] not in ((), (None,)):
            self._add_unresolved(event[0])
            return
        resolved = self._observed_path(event[0])
        if resolved is None or not os.path.isdir(resolved):
            return
        self.removed_trees.add(resolved)  # it opens the directory to remove its content
        self._add_vanished(f"{resolved}/")
        apply = partial(self._remove_tree, resolved)
        self._changes.announce_change(resolved, link_status(resolved), apply, is_of_tree=True)

    def _remove_tree(self, resolved: str) -> None:
        below = f"{resolved}/"
        for each in [each for each in list(self.writes) if each.startswith(below)]:
            del self.writes[each]
        if resolved in self._created:
            self._created.discard(resolved)
            self._forget_reads(below)
        else:
            self.deletes[resolved] = None

    def _forget_reads(self, below: str) -> None:
        """Forget reads below a directory that the run created: a child wrote its content."""
        for each in [each for each in list(self.reads) if each.startswith(below)]:
            self.reads.pop(each, None)
            self.vanished.discard(each)

    def create_directory(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.mkdir`` event."""
        self._settle_changes()
        if event[2:] not in ((), (NO_DIRECTORY,)):
            return
        resolved = self._observed_path(event[0])
        if resolved and not os.path.lexists(resolved):
            self._created.add(resolved)

    def change_directory(self, event: tuple[Any, ...]) -> None:
        """Take an ``os.chdir`` event: relative paths have another meaning from now on."""
        self._settle_changes()
        self._seen.clear()
