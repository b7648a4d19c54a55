"""The observer ``files``: files that Python opens, renames, removes and copies."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from lineage.hub.configuration import hub_spool
from lineage.hub.emitter import get_emitter
from lineage.hub.events import Dataset
from lineage.hub.locations import readable_text
from lineage.hub.output_facets import mode_facets
from lineage.observe.audit import listen_for
from lineage.observe.databases import database_path
from lineage.observe.ignored_paths import IgnoredPaths, loaded_sources, program_path, read_patterns
from lineage.observe.moved_files import MovedFiles
from lineage.observe.path_state import file_identity, file_state, file_status, files_open_to_write

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from lineage.hub.active_run import ActiveRun
    from lineage.hub.run_content import RunContent, Side
    from lineage.observe.run_files import Write

_CHANGE = "lifecycleStateChange"


class FileCollector(MovedFiles):
    """The files of a run, which it adds to the datasets of the run when that ends."""

    def __init__(self, ignored: IgnoredPaths) -> None:
        super().__init__(ignored)
        self._program = program_path()
        self._open: set[tuple[int, int]] = set()  # at the end: their content may be incomplete

    def report_to(self, content: RunContent) -> None:
        """Add the files that are there now.

        A file that was opened to be written and is not there was temporary, or the open failed. A
        file that was opened to be read and is not there counts only if the run removed it.
        """
        self._settle_changes(at_end=True)
        reported = _reported_paths(content.inputs), _reported_paths(content.outputs)
        sources = {self._program, *loaded_sources()}
        reads = [
            path
            for path in self.reads
            if path not in sources
            and not _is_reported(path, reported[0])
            and self._report_read(content, path)
        ]
        self._open = files_open_to_write() if self.writes else set()
        for path, write in self.writes.items():
            if not _is_reported(path, reported[1]):
                self._report_write(content, path, write)
            is_named = _is_reported(path, reported[0]) or readable_text(path) in reported[1]
            if write.source and is_named:
                self.opened.add(write.source)
        # Of a file that was not opened, C, a thread or a child may have read the content.
        for path in reads:
            is_moved = path in self.renamed and path not in self.opened
            receive = content.move_input if is_moved else content.receive_input
            receive(("file", readable_text(path)))
        for path in self.deletes:
            if not os.path.lexists(path) and not _has_parent(path, self.deletes):
                facets = {_CHANGE: {_CHANGE: "DROP"}, "lineage": {"inputs": []}}
                content.add_output(Dataset("file", readable_text(path), facets))
        for directories, add in (
            (self.read_directories, content.add_input),
            (self.written_directories, content.add_output),
        ):
            for path, count in directories.items():
                if os.path.isdir(path):
                    add(Dataset("file", readable_text(path)))
                    content.add_count("truncated", count)
        for path in self.unresolved:
            content.add_item({"kind": "FILE_IO", "unresolved": readable_text(path)})
        content.add_count("failures", self.failures)

    def connect_database(self, event: tuple[Any]) -> None:
        """Take a ``sqlite3.connect`` event: a copy that is a database may get other content."""
        self._settle_changes()
        written = self.writes.get(database_path(event[0]) or "")
        if written is not None:
            written.altered = True

    def _report_read(self, content: RunContent, path: str) -> bool:
        """Add an input, and return whether there was one."""
        status = file_status(path)
        size = None
        if status is None:
            if path not in self.vanished:
                content.add_count("absent", path not in self.removed_trees)
                return False
        elif not stat.S_ISREG(status.st_mode) or not os.access(path, os.R_OK):
            return False
        elif path not in self.writes:
            size = status.st_size
        content.add_input(Dataset("file", readable_text(path)), bytes=size, is_received=False)
        return True

    def _report_write(self, content: RunContent, path: str, write: Write) -> None:
        status = file_status(path)
        if status is None:
            return
        is_open = file_identity(status) in self._open
        if not _was_written(path, status, write, is_open=is_open):
            return
        size = status.st_size if stat.S_ISREG(status.st_mode) and not is_open else None
        dataset = Dataset("file", readable_text(path), _facets_of(content, write, size))
        content.add_output(dataset, bytes=size)
        if write.source and "lineage" not in dataset.facets:
            self.opened.add(write.source)  # it is one of all inputs, which the file has


def _was_written(path: str, status: os.stat_result, write: Write, *, is_open: bool) -> bool:
    if write.moved is not None:
        return write.moved == file_identity(status)
    if not stat.S_ISREG(status.st_mode):
        return False
    if write.before is not None:
        return is_open or write.before != file_state(status)
    return os.access(path, os.W_OK)


def _facets_of(content: RunContent, write: Write, size: int | None) -> dict[str, Any]:
    """Return the kind of the write, and of a copy or a move that it has no other source.

    Of a file whose size has changed since then, something else has written to it.
    """
    facets: dict[str, Any] = mode_facets("append") if write.adds_only else {}
    if not write.append:
        facets[_CHANGE] = {_CHANGE: "OVERWRITE"}
    source = readable_text(write.source) if write.source else None
    if source and write.moved:
        previous = {"namespace": "file", "name": source}
        facets[_CHANGE] = {_CHANGE: "RENAME", "previousIdentifier": previous}
    is_altered = write.altered or (size is not None and write.size not in (None, size))
    if source and not is_altered and ("file", source) in content.inputs:
        only = {"namespace": "file", "name": source, "type": "DATASET"}
        facets["lineage"] = {"inputs": [only]}
    return facets


def _reported_paths(side: Side) -> set[str]:
    return {name for namespace, name in side if namespace == "file"}


def _is_reported(path: str, reported: set[str]) -> bool:
    """Return whether the program itself has named the file or a directory above it."""
    name = readable_text(path)
    return bool(reported) and (name in reported or _has_parent(name, reported))


def _has_parent(path: str, names: Iterable[str]) -> bool:
    while (parent := os.path.dirname(path)) != path:
        if parent in names:
            return True
        path = parent
    return False


def observe_files(run: ActiveRun) -> FileCollector:
    """Return the collector of the files of a run. Patterns of LINEAGE_OBSERVE_IGNORE are read."""
    own = {str(hub_spool()), str(get_emitter().settings.spool), *run.own_directories}
    patterns = read_patterns(os.environ.get("LINEAGE_OBSERVE_IGNORE", ""))
    files = FileCollector(IgnoredPaths(patterns, own))
    handlers = {
        "open": files.open_file,
        "os.chdir": files.change_directory,
        "os.link": files.link_file,
        "os.listdir": files.list_directory,
        "os.mkdir": files.create_directory,
        "os.remove": files.remove_file,
        "os.rename": files.rename_path,
        "os.scandir": files.list_directory,
        "os.truncate": files.truncate_file,
        "shutil.copyfile": files.announce_copy,
        "shutil.rmtree": files.remove_tree,
        "sqlite3.connect": files.connect_database,
    }
    listen_for(run, handlers)
    return files
