"""The files that a run has written itself: later reads, moves and removals of them."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.hub.change_lock import lock_content
from lineage.hub.events import Dataset, FileOperation
from lineage.hub.output_facets import LIFECYCLE, WRITE_MODE, removal_facets
from lineage.naming import partitioned_root

if TYPE_CHECKING:
    from lineage.hub.events import FileIo
    from lineage.hub.observations import Observation
    from lineage.hub.run_content import RunContent

_MAX_FILES = 50_000  # of others it is not known that the run wrote them
_Name = tuple[str, str]


class OwnFiles:
    """The files whose content a run has replaced. They are treated as by the observer ``files``.

    Such a file is no input of the run. If it is moved, it has the sources of its content; if it is
    removed, it was temporary.
    """

    def __init__(self, content: RunContent) -> None:
        self._content = content
        self._datasets: dict[_Name, _Name] = {}  # by file, which may be a part of a dataset
        self._parts: Counter[_Name] = Counter()  # files of a dataset
        self._directories: set[_Name] = set()

    @lock_content
    def add_operation(self, payload: FileIo, described: Observation) -> bool:
        """Take an operation. Return whether it adds nothing else to the run."""
        operation = payload.operation
        if not payload.success:
            return False
        if operation is FileOperation.READ:
            return self.add_read(described.inputs[0])
        [target] = described.outputs
        if operation is FileOperation.DELETE:
            is_own = self.has_replaced(target)
            self.remove_files(target)
            return is_own
        if any(self._is_own(source, target) for source in described.inputs):
            self.add_transfer(payload, described.inputs[0], target)
            return True
        if not payload.append:
            self.add_replaced(target, target)
        for directory in described.inputs:  # of others, perhaps with own files
            self.add_transfer(payload, directory, target)
        return False

    def _is_own(self, source: Dataset, target: Dataset) -> bool:
        """Return whether a transfer has own content only, or changes the metadata of an object."""
        return self.has_replaced(source) or _name_of(source) == _name_of(target)

    def has_replaced(self, file: Dataset) -> bool:
        """Return whether the content of ``file`` is that of the run."""
        return _name_of(file) in self._datasets

    @lock_content
    def add_read(self, file: Dataset) -> bool:
        """Take a read. Return whether it is of content of the run, which is no input."""
        whole = self._datasets.get(_name_of(file))
        if whole is not None:
            self._content.receive_sources(whole)
        return whole is not None

    def is_directory(self, file: Dataset) -> bool:
        """Return whether ``file`` is a directory that has own files."""
        return not self.has_replaced(file) and bool(self._files_at(file))

    @lock_content
    def add_replaced(self, file: Dataset, dataset: Dataset) -> None:
        """Record that the run now replaces ``file``, which is or is a part of ``dataset``."""
        name, whole = _name_of(file), _name_of(dataset)
        if name == whole:
            self._content.forget_sources(name)
        if name not in self._datasets and len(self._datasets) < _MAX_FILES:
            self._datasets[name] = whole
            self._parts[whole] += 1
            directory = os.path.dirname(file.name)
            while (file.namespace, directory) not in self._directories:
                self._directories.add((file.namespace, directory))
                directory = os.path.dirname(directory)

    @lock_content
    def add_transfer(self, payload: FileIo, source: Dataset, target: Dataset) -> None:
        """Add the outputs of a copy or a move of own files at or below ``source``."""
        if _name_of(source) == _name_of(target):
            return
        own = self._files_at(source)
        measured: set[_Name] = set()
        for file in own:
            whole = self._datasets[file]
            known = self._content.outputs.get(whole, Dataset(*whole))
            copy = Dataset(target.namespace, target.name + file[1][len(source.name) :])
            dataset = copy if file == whole else replace(copy, name=partitioned_root(copy.name))
            facets = dict(known.facets)
            if payload.operation is FileOperation.COPY:
                facets[LIFECYCLE] = {LIFECYCLE: "OVERWRITE"}
                facets.pop(WRITE_MODE, None)
            if not payload.append:
                self.add_replaced(copy, dataset)
            size = None if whole in measured else known.bytes
            self._content.add_output(replace(dataset, facets=facets), bytes=size)
            measured.add(whole)
        if payload.operation is FileOperation.MOVE:
            self._forget_files(own)

    @lock_content
    def remove_files(self, file: Dataset) -> None:
        """Remove own files at or below ``file`` from the outputs."""
        for dataset in self._forget_files(self._files_at(file)):
            previous = dataset.facets.get(LIFECYCLE, {}).get("previousIdentifier")
            if previous:  # the file was moved, and then removed
                removed = Dataset(previous["namespace"], previous["name"], removal_facets())
                self._content.add_output(removed)

    def _files_at(self, file: Dataset) -> list[_Name]:
        name = _name_of(file)
        if name not in self._directories:
            return [name] if name in self._datasets else []
        below = f"{file.name}/"
        return [
            each
            for each in list(self._datasets)
            if each == name or (each[0] == file.namespace and each[1].startswith(below))
        ]

    def _forget_files(self, files: list[_Name]) -> list[Dataset]:
        """Forget files. Return the datasets without others, which are no outputs any more."""
        datasets = [self._datasets.pop(file) for file in files]
        self._parts.subtract(datasets)
        gone = [each for each in dict.fromkeys(datasets) if self._parts[each] <= 0]
        return [each for name in gone if (each := self._content.remove_output(name)) is not None]


def _name_of(dataset: Dataset) -> _Name:
    return dataset.namespace, dataset.name
