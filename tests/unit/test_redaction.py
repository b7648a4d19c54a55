"""Detection of secrets, and texts without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases.secrets import KEPT, NAMES, NAMES_KEPT, TEXTS, planted, secret

from lineage import naming
from lineage.redaction import MARK, is_secret_name, redact_sql, redact_text


@pytest.mark.parametrize("text", planted(TEXTS, 0))
def test_a_secret_is_removed_from_a_text(text: str) -> None:
    clean = redact_text(text)
    assert MARK in clean
    assert not any(secret(number) in clean for number in range(len(TEXTS)))
    assert redact_text(clean) == clean


@pytest.mark.parametrize("text", KEPT)
def test_text_without_secrets_is_unchanged(text: str) -> None:
    assert redact_text(text) == text


def test_secrets_are_recognized_by_name() -> None:
    assert [name for name in NAMES if not is_secret_name(name)] == []
    assert [name for name in NAMES_KEPT if is_secret_name(name)] == []


@pytest.mark.parametrize(
    ("statement", "clean"),
    [
        (
            "SELECT aes_encrypt(v, 'k') FROM t WHERE a = 5.2e-3",
            "SELECT aes_encrypt(v, ?) FROM t WHERE a = ?",
        ),
        ("SELECT a -- don't\nFROM t2 /* x 'y */ LIMIT 10", "SELECT a \nFROM t2  LIMIT ?"),
        ("SELECT /*+ BROADCAST(t) */ a FROM 2024_t", "SELECT /*+ BROADCAST(t) */ a FROM 2024_t"),
        (
            "SELECT `it's`, `a``b` FROM parquet.`/x?sig=1`",
            f"SELECT `it's`, `a``b` FROM parquet.`/x?sig={MARK}",
        ),
        ("SET fs.s3a.secret.key=a 'b", "SET fs.s3a.secret.key=?"),
        (
            "SET VAR x = (SELECT max(a) FROM t WHERE b = 'c')",
            "SET VAR x = (SELECT max(a) FROM t WHERE b = ?)",
        ),
        ("SELECT r'C:\\', 'it''s', \"a\\\"b\" FROM t", "SELECT ?, ?, ? FROM t"),
        ("SELECT DATE '2020-01-01', X'41'", "SELECT DATE ?, ?"),
        ("ON t.token = s.token", "ON t.token = s.token"),
        ("SELECT 'cut off", "SELECT ?"),
    ],
)
def test_literals_and_comments_of_a_statement_are_removed(statement: str, clean: str) -> None:
    assert redact_sql(statement) == clean
    assert redact_sql(clean) == clean


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_string_of_a_statement_is_left(before: str, value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    name = before.replace("`", "``")
    clean = redact_sql(f"SELECT a AS `{name}` FROM t WHERE b = 'Zq7{quoted}Zq7'")
    assert "Zq7" not in clean


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("file:/lake/out?sv=1&sig=abcd", "/lake/out"),
        ("wasbs://c@a.net/out?sig=abcd", "out"),
        ("s3a://b/k?X-Amz-Date=1&X-Amz-Signature=abcd", "k"),
        ("s3a://b/day=?/x", "day=?/x"),
    ],
)
def test_a_signed_path_is_named_without_its_signature(path: str, name: str) -> None:
    assert naming.of_path(path).name == name


def test_the_password_of_an_option_is_in_no_name() -> None:
    options = {"es.nodes": "h", "es.net.http.auth.user": "me", "es.net.http.auth.pass": "abcd"}
    assert naming.of_source("es", "index", options).name == "index?es.nodes=h"
