"""Mutations of valid events, the same for the same seed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from support.events.builders import dataset, dataset_event, derived, job_event, run_event, schema

if TYPE_CHECKING:
    from random import Random

GOOD = [
    run_event(
        "2e789d10-1fe0-4153-a1b4-0d46e1caa959", "START", 1, "load",
        ("a", dataset("b", also=("b2",), version={"datasetVersion": "7"})), parent=("p", "dag"),
    ),
    run_event(
        "2e789d10-1fe0-4153-a1b4-0d46e1caa959", "COMPLETE", 2, "load", ("a",),
        (dataset("c", schema=schema(x="int", y={"z": "text"}), columnLineage=derived(
            ("x", "a", "x"), ("y", "b", "y", {"type": "DIRECT", "subtype": "AGGREGATION"}),
            whole=(("a", "z", "FILTER"),)),
            outputFacets={"outputStatistics": {"rowCount": 3, "size": 99}},
            lifecycleStateChange={"lifecycleStateChange": "OVERWRITE",
                                  "previousIdentifier": {"namespace": "s3://lake", "name": "c0"}},
            tags={"tags": [{"key": "pii", "value": "true"}]}),),
    ),
    run_event("r", "FAIL", 3, errorMessage={"message": "no", "programmingLanguage": "python"}),
    dataset_event(4, dataset("a", ownership={"owners": [{"name": "team"}]})),
    job_event(5, "nightly", ("a",), ("c",), tags={"tags": [{"key": "gold", "value": "1"}]}),
]  # fmt: skip

# Values of each kind that may break a parser.
ODD: list[Any] = [
    None, True, False, 0, -1, 1 << 31, 1 << 63, 1 << 200, 0.1, -1e308, "", " ", "null", "x" * 3000,
    "\x00", "\u2028", "\ud800", "é" * 2000, "../..", "'; DROP TABLE lineage.event; --", "$$", "%s",
    "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999+14:00", "0001-01-01T00:00:00-14:00",
    "2026-02-30T00:00:00Z", "2026-01-01", "COMPLETE", "complete", [], [None], [[]], {}, {"": ""},
    {"namespace": "n", "name": "m"}, {"runId": "r"}, {"fields": None}, {"_deleted": True},
]  # fmt: skip
ODD_KEYS = [
    "", "run", "job", "dataset", "inputs", "outputs", "facets", "runId", "parent", "root", "fields",
    "symlinks", "columnLineage", "schema", "version", "name", "namespace", "eventType", "_deleted",
    "\x00", "x" * 3000, "é", "a.b", "identifiers", "lifecycleStateChange", "transformations",
]  # fmt: skip
ODD_BYTES = [
    b"", b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"{", b"]", b",", b'"', b"\\u0000",
    b"1e999999", b"-", b"NaN", b"Infinity", b"9" * 5000, b"[" * 3000, b"/*", b"\n\n",
]  # fmt: skip


def mutated(random: Random) -> bytes:
    """Return a valid event with some values changed, or another text."""
    event = json.loads(random.choice(GOOD))
    event["eventTime"] = f"2026-01-01T{random.randrange(24):02}:00:{random.randrange(60):02}Z"
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 8))):
        event = _changed(random, event)
    text = json.dumps(event, ensure_ascii=random.random() < 0.9)
    body = text.encode(errors="surrogatepass")
    for _ in range(random.choice((0, 0, 0, 0, 0, 0, 0, 1, 2))):
        body = _cut(random, body)
    return body


def _changed(random: Random, value: Any) -> Any:
    """Change one value at any depth."""
    inner = isinstance(value, dict | list) and len(value) > 0
    if inner and random.random() < 0.85:
        key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value[key] = _changed(random, value[key])
        return value
    if isinstance(value, dict) and random.random() < 0.6:
        return _other_keys(random, value)
    if isinstance(value, list) and random.random() < 0.6:
        return _other_items(random, value)
    return _odd(random)


def _odd(random: Random) -> Any:
    if random.random() < 0.02:  # up to and beyond the depth that PostgreSQL accepts
        deep: Any = {}
        for _ in range(random.choice((10, 100, 800))):
            deep = {"a": deep} if random.random() < 0.5 else [deep]
        return deep
    return json.loads(json.dumps(random.choice(ODD)))


def _other_keys(random: Random, value: dict[str, Any]) -> dict[str, Any]:
    if value and random.random() < 0.4:
        del value[random.choice(list(value))]
    else:
        value[random.choice(ODD_KEYS)] = _odd(random)
    return value


def _other_items(random: Random, value: list[Any]) -> list[Any]:
    if value and random.random() < 0.5:
        value.append(json.loads(json.dumps(random.choice(value))))
    else:
        value.insert(random.randrange(len(value) + 1), _odd(random))
    return value


def _cut(random: Random, body: bytes) -> bytes:
    """Replace a few bytes."""
    at = random.randrange(len(body) + 1)
    end = at + random.choice((0, 0, 1, 1, 2, 9, len(body)))
    return body[:at] + random.choice(ODD_BYTES) + body[end:]
