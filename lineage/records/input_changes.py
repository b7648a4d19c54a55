"""Differences between the inputs of a run and those of its query now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineage.errors import StaleInputs
from lineage.openlineage.timestamps import of_milliseconds
from lineage.records.fidelity import Fidelity, Label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.records.manifests import FileSet, InputManifest, RunInputs

NO_MANIFEST = "no manifest of the inputs is stored"


@dataclass(frozen=True)
class InputComparison:
    """The inputs of a query compared with those of a run.

    ``run_id``: the run, None if there is none to compare with. ``changes``: the inputs that differ,
    and in what. ``unknown``: the inputs of which it is not known whether they differ. ``left_out``:
    number of files that the query leaves out, because they were added after the run.
    ``earlier_versions``: versions of tables that it reads, because the run did. ``run_count``: how
    many runs were compared, of which this one differs least. ``is_last``: whether none is newer.
    """

    run_id: str | None
    changes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    left_out: int = 0
    earlier_versions: tuple[str, ...] = ()
    run_count: int = 1
    is_last: bool = True

    @property
    def fidelity_labels(self) -> list[Label]:
        """The labels of an answer from these inputs."""
        if self.run_id is None:
            return [Label(Fidelity.EXACT, NO_MANIFEST)]
        labels = [Label(Fidelity.STALE, f"changed:{change}") for change in self.changes]
        labels += [Label(Fidelity.EXACT, f"no manifest:{dataset}") for dataset in self.unknown]
        if not self.is_last:
            which = f"{self.run_id}, not the last of {self.run_count} runs"
            labels.append(Label(Fidelity.EXACT, f"as of the run:{which}"))
        if self.left_out:
            labels.append(Label(Fidelity.EXACT, as_of_run(self.left_out)))
        labels += [Label(Fidelity.EXACT, f"as of the run:{each}") for each in self.earlier_versions]
        return labels


def as_of_run(left_out: int) -> str:
    """Return the reason of an answer without so many files."""
    return f"as of the run:without {left_out} newer {'file' if left_out == 1 else 'files'}"


def compare_inputs(
    runs: Sequence[RunInputs],
    current: Sequence[InputManifest],
    left_out: int = 0,
    earlier_versions: Sequence[str] = (),
) -> InputComparison:
    """Compare the inputs of a query with those of the runs that wrote its rows.

    Of several runs, the one from whose inputs they differ least is the one compared with, and the
    newest of equal ones. Runs none of whose inputs has a manifest or a version, as those of other
    producers, are not.
    """
    described = [
        run
        for run in runs
        if any(each.version or each.scans or each.omitted for each in run.inputs)
    ]
    compared = [_compare_with(run, current, left_out) for run in described]
    if not compared:
        return InputComparison(None, left_out=left_out, earlier_versions=tuple(earlier_versions))
    best = min(compared, key=lambda each: len(each.changes) + len(each.unknown))
    return replace(
        best,
        earlier_versions=tuple(earlier_versions),
        run_count=len(compared),
        is_last=best is compared[0],
    )


def _compare_with(
    run: RunInputs, current: Sequence[InputManifest], left_out: int
) -> InputComparison:
    before = {each.dataset: each for each in run.inputs if not each.is_view}
    now = {each.dataset: each for each in current if not each.is_view}
    changes, unknown = [], []
    for dataset in sorted(before.keys() | now.keys()):
        if not (_is_known(before.get(dataset)) and _is_known(now.get(dataset))):
            unknown.append(dataset)
        elif dataset not in now:
            changes.append(f"{dataset} was read by the run, and is not read now")
        elif dataset not in before:
            changes.append(f"{dataset} was not read by the run")
        elif difference := "; ".join(_describe_changes(before[dataset], now[dataset])):
            changes.append(f"{dataset} has {difference}")
    return InputComparison(run.run_id, tuple(changes), tuple(unknown), left_out)


def _is_known(state: InputManifest | None) -> bool:
    """Return whether a state that exists is known.

    Inputs of an earlier execution, such as that of a checkpoint, are without manifests in the run,
    and no inputs of the query now.
    """
    return state is None or state.is_known


def _describe_changes(before: InputManifest, now: InputManifest) -> Iterator[str]:
    if before.version != now.version:
        yield f"version {now.version or 'none'} instead of {before.version or 'none'}"
    if before.scans != now.scans:
        gone, new = before.scans - now.scans, now.scans - before.scans
        if len(gone) == len(new) == 1:
            yield describe_difference(*gone, *new)
        else:
            yield f"other files in {max(len(gone), len(new))} of its scans"


def describe_difference(before: FileSet, now: FileSet) -> str:
    """Return the differences between two sets of files: their number, size or last change."""
    parts = []
    if before.files != now.files:
        parts.append(f"{now.files:,} instead of {before.files:,} files")
    if before.bytes != now.bytes:
        parts.append(f"{now.bytes:,} instead of {before.bytes:,} bytes")
    if before.newest != now.newest and before.newest is not None and now.newest is not None:
        parts.append(f"last changed at {of_milliseconds(now.newest)}")
    return ", ".join(parts) or "other files of the same number and size"


def refuse_changes(table: str, comparisons: Sequence[InputComparison]) -> None:
    """Raise StaleInputs if inputs of a table, or of a table behind it, have changed."""
    changed = [each for each in comparisons if each.changes]
    if changed:
        changes = dict.fromkeys(change for each in changed for change in each.changes)
        first = changed[0]
        raise StaleInputs(table, first.run_id or "", list(changes), first.run_count)
