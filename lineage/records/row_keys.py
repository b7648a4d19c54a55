"""Keyed hashes, which a saved trace has instead of the values of its condition and its rows.

The key is a file of the user. Without it, no hash of a condition or a row can be compared with
guesses.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.records.keys import canonical_key
from lineage.settings import home_directory

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

KEY_FILE = "record-key"
HASH_BYTES = 16
# Columns that a trace adds to the rows of a source: where a row stands. Others are its values.
_POSITION = ("_file", "_row_index")
# Those of a source that itself has one of the first names.
_OTHER_POSITION = ("_lineage_file", "_lineage_row_index")


def read_user_key() -> bytes:
    """Return the key of the user, which is made when it is first read.

    Raises UsageError if it cannot be made, or if other users may read it.
    """
    path = home_directory() / KEY_FILE
    try:
        if not path.exists():
            _make_key(path)
        key = path.read_bytes()
        is_private = path.stat().st_mode & 0o077 == 0
    except OSError as error:
        raise UsageError(
            f"The key of saved traces cannot be read: {error}.",
            "Set LINEAGE_HOME to a directory of yours.",
        ) from None
    if not is_private:
        raise UsageError(
            f"Other users may read {path}, the key of saved traces.",
            f"Use chmod 600 {path}, or delete it to get another key.",
        )
    return key


def _make_key(path: Path) -> None:
    """Make the key, unless another process does so at the same time."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{KEY_FILE}-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def hash_condition(condition: str, key: bytes) -> bytes:
    """Return the hash of a condition on rows."""
    return _keyed_hash(canonical_key(("condition", condition)), key)


def hash_row(dataset: str, row: Mapping[str, Any], key: bytes) -> bytes:
    """Return the key of a row of a dataset.

    A row with a position has a hash of it, which does not depend on the user: the same row has the
    same key in all traces. Another row has a keyed hash of its values.
    """
    if position := position_of(row):
        text = canonical_key(("position", dataset, *position))
        return sha256(text.encode("utf-8", "surrogatepass")).digest()[:HASH_BYTES]
    text = json.dumps(values_of(row), sort_keys=True, ensure_ascii=True)
    return _keyed_hash(canonical_key(("row", dataset, text)), key)


def hash_traced_rows(dataset: str, condition: bytes) -> bytes:
    """Return the key of the rows of a dataset that meet a condition, by the hash of that."""
    text = canonical_key(("traced", dataset, condition))
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:HASH_BYTES]


def position_columns(columns: Collection[str]) -> tuple[str, str]:
    """Return the names of the columns that a trace has added for the position of a row."""
    return _OTHER_POSITION if _OTHER_POSITION[0] in columns else _POSITION


def position_of(row: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return the file of a row and its position there, None if they are not known."""
    file, row_index = map(row.get, position_columns(row.keys()))
    return None if file is None or row_index is None else (file, row_index)


def values_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row, without its position."""
    position = position_columns(row.keys())
    return {name: value for name, value in row.items() if name not in position}


def _keyed_hash(text: str, key: bytes) -> bytes:
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256")[:HASH_BYTES]
