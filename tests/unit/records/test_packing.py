"""Packed hops: what is packed is unpacked, in 6 bytes for most."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lineage.records.packing import PackedHop, pack_hops, pack_ids, unpack_hops, unpack_ids

counts = st.none() | st.integers(0, 1 << 60)
hops = st.builds(
    PackedHop,
    st.integers(1, 1 << 20),
    st.integers(0, 127),
    st.integers(0, 3),
    st.booleans(),
    counts,
    counts,
    counts,
)


@given(st.lists(hops))
def test_hops_come_back(every: list[PackedHop]) -> None:
    assert unpack_hops(pack_hops(every)) == every


def test_a_hop_of_a_step_takes_6_bytes() -> None:
    assert pack_hops([PackedHop(1, 1, 2, False, 1, 1, 0)]).hex() == "01013a010100"


@given(st.lists(st.uuids().map(str)))
def test_ids_come_back(ids: list[str]) -> None:
    assert unpack_ids(pack_ids(ids)) == tuple(ids)
