"""The comparison of the inputs of a run with those of its query now."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.errors import StaleInputs
from lineage.records.fidelity import Fidelity, Label, labels_after_check, worst_of
from lineage.records.input_changes import NO_MANIFEST, compare_inputs, refuse_changes
from lineage.records.manifests import FileSet, InputManifest, RunInputs

if TYPE_CHECKING:
    from collections.abc import Iterable

A, B = "file:/lake/a", "file:/lake/b"
File = tuple[str, int, int]


def file_set(*files: File) -> FileSet:
    """Describe files, given as path, size and time."""
    digest = hashlib.sha256(repr(sorted(files)).encode()).hexdigest()[:16]
    newest = max((time for _, _, time in files), default=None)
    return FileSet(len(files), sum(size for _, size, _ in files), newest, digest)


def read(dataset: str, *scans: Iterable[File], version: str | None = None) -> InputManifest:
    return InputManifest(dataset, version, frozenset(file_set(*scan) for scan in scans))


def run_of(*inputs: InputManifest, run: str = "r1") -> RunInputs:
    return RunInputs(run, None, inputs)


ONE, TWO, THREE = ("p1", 10, 1000), ("p2", 20, 2000), ("p3", 30, 3000)
DELTA = read(A, version="4")


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        (read(A, [ONE, TWO]), read(A, [TWO, ONE]), None),
        (read(A, [ONE], [TWO]), read(A, [TWO], [ONE], [ONE]), None),
        (DELTA, read(A, version="4"), None),
        (
            read(A, [ONE]), read(A, [ONE, TWO]),
            "has 2 instead of 1 files, 30 instead of 10 bytes, last changed at 1970-01-01T00:00:02",
        ),
        (read(A, [ONE, TWO]), read(A, [TWO]), "has 1 instead of 2 files, 20 instead of 30 bytes"),
        (read(A, [ONE]), read(A, [("p1", 11, 1000)]), "has 11 instead of 10 bytes"),
        (read(A, [ONE]), read(A, [("p9", 10, 1000)]), "has other files of the same number and"),
        (read(A, [ONE], [TWO]), read(A, [ONE, TWO], [THREE]), "has other files in 2 of its scans"),
        (read(A, [ONE]), read(A, []), "has 0 instead of 1 files, 0 instead of 10 bytes"),
        (DELTA, read(A, version="5"), "has version 5 instead of 4"),
        (read(A, [ONE]), DELTA, "has version 4 instead of none; other files in 1 of its scans"),
    ],
)  # fmt: skip
def test_a_difference_is_described(
    before: InputManifest, now: InputManifest, change: str | None
) -> None:
    compared = compare_inputs([run_of(before)], [now])
    assert (compared.run_id, compared.unknown) == ("r1", ())
    if change is None:
        assert (compared.changes, compared.fidelity_labels) == ((), [])
    else:
        [described] = compared.changes
        assert described.startswith(f"{A} {change}")
        [label] = compared.fidelity_labels
        assert (label.fidelity, label.reason) == (Fidelity.STALE, f"changed:{described}")


def test_a_dataset_that_was_not_read_is_a_change() -> None:
    compared = compare_inputs([run_of(read(A, [ONE]))], [read(B, [ONE])])
    assert compared.changes == (
        f"{A} was read by the run, and is not read now",
        f"{B} was not read by the run",
    )


def test_views_have_no_rows_of_their_own() -> None:
    view = InputManifest("hive://h/db.v", is_view=True)
    compared = compare_inputs([run_of(read(A, [ONE]), view)], [read(A, [ONE])])
    assert (compared.changes, compared.unknown) == ((), ())


@pytest.mark.parametrize(
    "unknown", [InputManifest(B), InputManifest(B, omitted=("more than 100000 files",))]
)
def test_an_input_without_a_manifest_is_not_compared(unknown: InputManifest) -> None:
    compared = compare_inputs([run_of(read(A, [ONE]), unknown)], [read(A, [ONE]), read(B, [ONE])])
    assert (compared.changes, compared.unknown) == ((), (B,))
    [label] = compared.fidelity_labels
    assert (label.fidelity, label.reason) == (Fidelity.EXACT, f"no manifest:{B}")
    for before, now in (([unknown], []), ([], [unknown])):
        compared = compare_inputs([run_of(read(A, [ONE]), *before)], [read(A, [ONE]), *now])
        assert (compared.changes, compared.unknown) == ((), (B,)), "its rows may come otherwise"


@pytest.mark.parametrize("runs", [[], [run_of(InputManifest(A))]])
def test_a_run_without_manifests_is_reported(runs: list[RunInputs]) -> None:
    compared = compare_inputs(runs, [read(A, [ONE])])
    assert (compared.run_id, compared.changes) == (None, ())
    assert [label.reason for label in compared.fidelity_labels] == [NO_MANIFEST]


def test_of_several_writes_the_most_similar_one_is_compared() -> None:
    runs = [run_of(read(B, [TWO]), run="r2"), run_of(read(A, [ONE]), run="r1")]
    assert compare_inputs(runs, [read(A, [ONE])]).run_id == "r1"
    assert compare_inputs(runs, [read(B, [TWO])]).run_id == "r2"


def test_an_earlier_run_whose_inputs_are_unchanged_is_named() -> None:
    runs = [run_of(read(A, [TWO]), run="r2"), run_of(read(A, [ONE]), run="r1")]
    [label] = compare_inputs(runs, [read(A, [ONE])]).fidelity_labels
    reason = "as of the run:r1, not the last of 2 runs"
    assert (label.fidelity, label.reason) == (Fidelity.EXACT, reason)
    assert compare_inputs(runs, [read(A, [TWO])]).fidelity_labels == []


def test_an_unknown_input_is_not_less_than_a_changed_one() -> None:
    runs = [run_of(read(A, [TWO]), run="r2"), run_of(InputManifest(A, omitted=("x",)), run="r1")]
    compared = compare_inputs(runs, [read(A, [ONE])])
    assert (compared.run_id, len(compared.changes)) == ("r2", 1)


def test_the_message_has_the_number_of_compared_runs() -> None:
    runs = [run_of(read(A, [TWO]), run="r2"), run_of(read(A, [ONE]), run="r1")]
    with pytest.raises(StaleInputs) as caught:
        refuse_changes("gold", [compare_inputs(runs, [read(A, [THREE])])])
    first, *_ = caught.value.lines
    assert first.startswith(
        "The inputs of gold are not those of any of the 2 runs that wrote it, least unlike run r2."
    )
    assert "The command may need other arguments." in first


def test_files_that_are_left_out_are_counted() -> None:
    [label] = compare_inputs([run_of(read(A, [ONE]))], [read(A, [ONE])], 2).fidelity_labels
    assert (label.fidelity, label.reason) == (
        Fidelity.EXACT,
        "as of the run:without 2 newer files",
    )


def test_changed_inputs_are_rejected() -> None:
    changed = compare_inputs([run_of(read(A, [ONE]))], [read(A, [TWO])])
    with pytest.raises(StaleInputs) as caught:
        refuse_changes("gold/spent", [changed, changed])
    assert caught.value.exit_code == 3
    first, *rest = caught.value.lines
    assert first.startswith("The inputs of gold/spent have changed since run r1 wrote it. Restore")
    assert "--force" in first
    assert rest == list(changed.changes)
    refuse_changes("gold/spent", [compare_inputs([run_of(read(A, [ONE]))], [read(A, [ONE])])])


FILES = st.lists(
    st.tuples(st.sampled_from(["p1", "p2"]), st.integers(0, 1), st.integers(1, 2)),
    max_size=3, unique=True,
).map(frozenset)  # fmt: skip
SCANS = st.lists(FILES, min_size=1, max_size=2).map(frozenset)
NAMES = st.sampled_from([A, B])


@given(st.dictionaries(NAMES, SCANS, min_size=1), st.dictionaries(NAMES, SCANS))
def test_inputs_have_changed_if_and_only_if_their_files_have(
    before: dict[str, frozenset[frozenset[File]]], now: dict[str, frozenset[frozenset[File]]]
) -> None:
    run = run_of(*(read(name, *scans) for name, scans in before.items()))
    compared = compare_inputs([run], [read(name, *scans) for name, scans in now.items()])
    different = {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
    assert {change.split()[0] for change in compared.changes} == different
    assert compared.unknown == ()


def test_a_table_in_the_version_of_the_run_is_unchanged() -> None:
    compared = compare_inputs([run_of(DELTA)], [DELTA], 0, ["version 4 of /lake/a"])
    [label] = compared.fidelity_labels
    assert compared.changes == ()
    assert (label.fidelity, label.reason) == (
        Fidelity.EXACT,
        "as of the run:version 4 of /lake/a",
    )


def test_rows_that_did_not_come_again_are_unknown_whatever_the_labels_say() -> None:
    order = Label(Fidelity.EXACT, "order-dependent:collect_list")
    random = Label(Fidelity.UNKNOWN, "nondeterministic:rand")
    opaque = Label(Fidelity.UNKNOWN, "opaque:MapInPandas")
    cases = [
        ([order], 1, True, "exact", ["reproduced", order.reason]),
        ([random], 1, True, "exact", ["reproduced", random.reason]),
        ([opaque], 1, True, "unknown", ["reproduced", opaque.reason]),
        ([order], 1, False, "unknown", [order.reason, "not reproduced:on the named rows"]),
        ([order], 9, None, "unverified", [order.reason, "not checked:too many rows"]),
        ([opaque], 1, None, "unknown", [opaque.reason]),
        ([order], 0, None, "exact", [order.reason]),
    ]
    for labels, rows, reproduced, fidelity, reasons in cases:
        after = labels_after_check(labels, rows, reproduced=reproduced)
        assert (worst_of(after), [each.reason for each in after]) == (fidelity, reasons)
