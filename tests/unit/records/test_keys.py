"""Keys, hashes, sampling and correlation ids: equal in every process, and nested by rate."""

from __future__ import annotations

import subprocess
import sys
import uuid
from datetime import date, datetime
from decimal import Decimal

import numpy
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row

from lineage.errors import UsageError
from lineage.records import correlation_id
from lineage.records.keys import (
    HASHES,
    canonical_key,
    hash_key,
    key_function,
    salt_of_run,
    salted_hash,
    sampling_threshold,
)

RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.dates(),
    st.datetimes(),
    st.decimals(allow_nan=False),
    st.uuids(),
)
keys = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)


def normal(key: object) -> object:
    """Return a value that Python compares as keys are meant to be compared."""
    if isinstance(key, tuple):
        return tuple(normal(each) for each in key)
    if isinstance(key, bool):
        return ("bool", key)
    if isinstance(key, float) and key.is_integer() and abs(key) <= 1 << 53:
        key = int(key)
    if isinstance(key, int):
        return ("int", key)
    return (type(key).__name__, repr(key))


@given(keys, keys)
def test_keys_have_one_form_if_and_only_if_they_are_equal(first: object, second: object) -> None:
    assert (canonical_key(first) == canonical_key(second)) == (normal(first) == normal(second))


@given(keys)
def test_a_hash_has_64_bits_and_depends_on_the_canonical_form_only(key: object) -> None:
    assert 0 <= hash_key(key) < HASHES
    assert 0 <= salted_hash(key, salt_of_run(RUN)) < HASHES


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (5, 5.0),  # pandas turns integers beside nulls into floats
        (5, numpy.int32(5)),
        (5, numpy.float64(5)),
        ("a", numpy.str_("a")),
        (datetime(2026, 1, 2, 3), pandas.Timestamp("2026-01-02 03:00")),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, Row(a=1)),
        ([1, 2], (1, 2)),
        (b"x", bytearray(b"x")),
    ],
)
def test_the_same_key_in_another_library_is_the_same_item(one: object, other: object) -> None:
    assert hash_key(one) == hash_key(other)
    assert correlation_id(RUN, "s", one) == correlation_id(RUN, "s", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, "1"),
        (1, True),
        (None, "null"),
        (None, ""),
        (("ab", "c"), ("a", "bc")),
        ((1, None), (None, 1)),
        (Decimal("1.0"), 1),
        (date(2026, 1, 1), "2026-01-01"),
    ],
)
def test_keys_of_different_types_are_different_items(one: object, other: object) -> None:
    assert correlation_id(RUN, "s", one) != correlation_id(RUN, "s", other)


def test_a_correlation_id_is_a_uuid_of_run_source_and_key() -> None:
    ids = {
        correlation_id(run, source, key)
        for run in (RUN, str(uuid.uuid4()))
        for source in ("orders", "customers")
        for key in (1, 2)
    }
    assert len(ids) == 8
    assert {uuid.UUID(each).version for each in ids} == {5}


def test_ids_and_hashes_are_equal_in_every_process() -> None:
    code = (
        "from lineage.records.keys import *;"
        f"print(correlation_id('{RUN}', 's', ('a', 1, None)), hash_key('a'), hash_key(7))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    here = f"{correlation_id(RUN, 's', ('a', 1, None))} {hash_key('a')} {hash_key(7)}\n"
    assert outputs == {here}


@given(keys, st.floats(0, 1), st.floats(0, 1))
def test_items_at_a_lower_rate_are_a_subset_of_those_at_a_higher(
    key: object, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    if hash_key(key) < sampling_threshold(low):
        assert hash_key(key) < sampling_threshold(high)


@given(keys)
def test_all_are_sampled_at_1_and_none_at_0(key: object) -> None:
    assert hash_key(key) < sampling_threshold(1)
    assert hash_key(key) >= sampling_threshold(0)


@pytest.mark.parametrize(
    "key_at",
    [
        lambda n: n,
        lambda n: -n,
        lambda n: n * 1000,
        lambda n: n + 2**40,
        lambda n: f"order-{n}",
        lambda n: f"{n:010d}",
        lambda n: (n, "x"),
    ],
    ids=["rising", "falling", "strided", "large", "text", "padded", "tuple"],
)
@pytest.mark.parametrize("rate", [0.01, 0.1])
def test_a_rate_samples_about_its_share_of_the_keys(key_at, rate: float) -> None:
    number = 50_000
    sampled = sum(hash_key(key_at(n)) < sampling_threshold(rate) for n in range(number))
    deviation = (number * rate * (1 - rate)) ** 0.5
    assert abs(sampled - number * rate) < 5 * deviation


def test_each_run_has_a_random_sample_of_its_own() -> None:
    threshold = sampling_threshold(0.1)

    def sample(run: str) -> set[int]:
        return {n for n in range(10_000) if salted_hash(n, salt_of_run(run)) < threshold}

    one, other = sample(RUN), sample(str(uuid.uuid4()))
    assert one == sample(RUN)
    assert len(one & other) < 250  # 100 are expected by chance


@pytest.mark.parametrize("rate", [-0.1, 1.01, float("nan")])
def test_a_rate_outside_of_0_and_1_is_rejected(rate: float) -> None:
    with pytest.raises(UsageError, match="is not between 0 and 1"):
        sampling_threshold(rate)


@pytest.mark.parametrize(
    ("key", "row", "value"),
    [
        ("id", {"id": 7, "x": 1}, 7),
        (["a", "b"], {"a": 1, "b": 2}, (1, 2)),
        (0, (7, 8), 7),
        (lambda row: row["id"] % 2, {"id": 7}, 1),
        (None, {"id": 7}, {"id": 7}),
    ],
)
def test_a_key_is_a_column_several_of_them_an_index_or_a_function(key, row, value) -> None:
    assert key_function(key)(row) == value


@pytest.mark.parametrize("key", [1.5, [], [None], True])
def test_other_keys_are_rejected(key) -> None:
    with pytest.raises(UsageError, match="is not a valid key"):
        key_function(key)


def test_a_value_without_a_canonical_form_is_no_key() -> None:
    with pytest.raises(TypeError, match="type object has no canonical form"):
        hash_key(object())
