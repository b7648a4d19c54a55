"""The accesses of a file system of fsspec, which it adds to the run that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.hub.active_run import claiming_run
from lineage.hub.events import FileIo, FileOperation
from lineage.observe.guard import guard_program

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.hub.active_run import ActiveRun
    from lineage.hub.events import Dataset


class FileAccesses:
    """Adds accesses of the file system ``fs`` to the current run, else to its creator."""

    fs: Any
    _creator: ActiveRun | None

    def _dataset_at(self, path: str, run: ActiveRun) -> Dataset | None:
        raise NotImplementedError

    def _file_at(self, path: str) -> Dataset:
        raise NotImplementedError

    def _strip_protocols(self, path: Any) -> Any:
        raise NotImplementedError

    def _url_of(self, path: str) -> str:
        raise NotImplementedError

    def _run_of_access(self) -> ActiveRun | None:
        run = claiming_run()
        if run is None and self._creator is not None and not self._creator.has_ended:
            return self._creator
        return run

    def _add_read(self, path: str, size: int | None = None, run: ActiveRun | None = None) -> None:
        run = run or self._run_of_access()
        if run is not None:
            with guard_program():
                is_own = run.content.own_files.has_replaced(self._file_at(path))
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

    def _own_directories(self, paths: Any) -> set[str]:
        """Return the directories of ``paths`` that have files of the run and no others."""
        own: set[str] = set()
        run = self._run_of_access()
        if run is not None:
            with guard_program():
                files = run.content.own_files
                for path in each_of(paths):
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


def each_of(paths: Any) -> Iterable[str]:
    """Return the paths of an argument that is a path or a list of them."""
    return paths if isinstance(paths, list | tuple) else [paths]
