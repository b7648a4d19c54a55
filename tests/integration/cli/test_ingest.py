"""``lineage ingest``: accepted input, reports, and no lost events."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pyarrow
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event

import lineage
from lineage.ingest.files import take_batch
from lineage.ingest.workers import Done, Item, Workers
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint

GOOD = [
    run_event("r1", "START", 0, reads=("a",), writes=("b",)),
    run_event("r1", "COMPLETE", 1),
    run_event("r2", "COMPLETE", 2, "next", reads=("b",), writes=("c",)),
]


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


def ingest(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["ingest", *map(str, arguments)], input=stdin)


def upstream(name: str) -> set[str]:
    with lineage.connect() as graph:
        return {dataset.name for dataset in graph.upstream(name).datasets}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.jsonl", "\n".join(GOOD) + "\n"),
        ("no-end-of-line.ndjson", "\n\n".join(GOOD)),
        ("array.json", json.dumps([json.loads(event) for event in GOOD], indent=2)),
    ],
)
def test_takes_json_lines_and_json(tmp_path: Path, name: str, text: str):
    (tmp_path / name).write_text(text)
    result = ingest(tmp_path / name)
    assert (result.exit_code, result.stderr) == (0, "3 events.\n")
    assert upstream("c") == {"a", "b"}


def test_takes_one_object_over_many_lines(tmp_path: Path):
    file = tmp_path / "event.json"
    file.write_text(json.dumps(json.loads(GOOD[2]), indent=2))
    assert ingest(file).stderr == "1 event.\n"
    assert upstream("c") == {"b"}


def zstandard(content: bytes) -> bytes:
    """Compress by Zstandard, as one frame."""
    packed = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return bytes(packed.getvalue())


PRETTY = "\n".join(json.dumps(json.loads(event), indent=2) for event in GOOD) + "\n"
LINES = "\n".join(GOOD) + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("several.json", PRETTY.encode()),
        ("without-indent.json", PRETTY.replace("\n ", "\n").encode()),
        ("lines-and-pretty.json", (GOOD[0] + "\n" + PRETTY).encode()),
        ("mark.jsonl", b"\xef\xbb\xbf" + LINES.encode()),
        ("little.jsonl", LINES.encode("utf-16")),
        ("big.jsonl", b"\xfe\xff" + LINES.encode("utf-16-be")),
        ("no-mark.jsonl", LINES.encode("utf-16-le")),
        ("windows.json", PRETTY.replace("\n", "\r\n").encode("utf-16")),
        ("packed.jsonl.gz", gzip.compress(LINES.encode())),
        ("members.jsonl.gz", b"".join(gzip.compress(event.encode() + b"\n") for event in GOOD)),
        ("packed-under-a-plain-name.jsonl", gzip.compress(PRETTY.encode())),
        ("packed.json.bz2", bz2.compress(PRETTY.encode())),
        ("packed.ndjson.zst", zstandard(LINES.encode())),
        ("frames.jsonl.zstd", b"".join(zstandard(event.encode() + b"\n") for event in GOOD)),
        ("CAPITALS.JSONL", LINES.encode()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_takes_files_however_they_were_written(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    result = ingest(tmp_path)
    assert result.exit_code == 0, result.stderr
    assert upstream("c") == {"a", "b"}


@pytest.mark.parametrize(
    "bad",
    [
        b"[" * 990,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a": ' * 100_000 + b"1" + b"}" * 100_000,
        json.dumps(json.loads(GOOD[1]), indent=2).encode()[:-20],
        b'{"eventTime": "2026',
        b"]",
    ],
    ids=["open", "deep-array", "deep-object", "pretty-and-cut", "cut", "close"],
)
@pytest.mark.parametrize("place", ["first", "later"])
def test_a_value_that_does_not_end_is_reported_with_its_line_and_the_rest_goes_in(
    tmp_path: Path, bad: bytes, place: str
):
    before = [] if place == "first" else [GOOD[0].encode()]
    file = tmp_path / "1.jsonl"
    file.write_bytes(b"\n".join([*before, bad, GOOD[0].encode(), GOOD[1].encode()]))
    (tmp_path / "2.jsonl").write_text(GOOD[2])
    result = ingest(tmp_path)
    assert result.exit_code == 1
    assert f"{file}:{len(before) + 1}: " in result.stderr
    assert "1 line could not be read." in result.stderr
    assert "Traceback" not in result.output
    assert upstream("c") == {"a", "b"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (gzip.compress(LINES.encode())[:-8], "4: The compressed data are damaged"),
        (gzip.compress(LINES.encode()) + b"junk", "4: The compressed data are damaged"),
        (bz2.compress(LINES.encode())[:-8], "4: The compressed data are damaged"),
        (zstandard(LINES.encode())[:-8], "1: The compressed data are damaged"),
        (gzip.compress(zstandard(LINES.encode())), "1: The file holds Zstandard data"),
        (LINES.encode("utf-16") + b"x", "4: The text is not UTF-16"),
        (b"\xfd7zXZ\x00" + bytes(200), "1: The file holds xz data"),
        (b"PAR1" + bytes(200), "1: The file holds Parquet data"),
    ],
    ids=[
        "cut-gzip",
        "gzip-and-junk",
        "cut-bzip2",
        "cut-zstandard",
        "zstandard-in-gzip",
        "half-a-character",
        "xz",
        "parquet",
    ],
)
def test_a_file_of_another_kind_is_named_with_the_line_and_the_next_goes_in(
    tmp_path: Path, content: bytes, problem: str
):
    (tmp_path / "1.jsonl").write_bytes(content)
    (tmp_path / "2.jsonl").write_text(LINES)
    result = ingest(tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path / '1.jsonl'}:{problem}" in result.stderr
    assert upstream("c") == {"a", "b"}


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_link_to_a_device_is_rejected_by_name_and_the_rest_goes_in(
    tmp_path: Path, is_alone: bool
):
    (tmp_path / "1.jsonl").symlink_to("/dev/zero")
    (tmp_path / "2.jsonl").write_text(LINES)
    result = ingest(tmp_path / "1.jsonl") if is_alone else ingest(tmp_path)
    assert result.exit_code == (2 if is_alone else 1)
    assert f"{tmp_path / '1.jsonl'} is a device, not a file." in result.stderr
    if not is_alone:
        assert upstream("c") == {"a", "b"}


def test_a_line_without_end_is_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lineage.text_files.MAX_LINE_BYTES", 10_000)
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join([GOOD[0], " " * 50_000 + "x", GOOD[2]]))
    result = ingest(file)
    assert f"{file}:2: The line is longer than 10,000 bytes." in result.stderr
    assert upstream("c") == {"a", "b"}


def test_a_pipe_is_read_as_a_file(tmp_path: Path):
    pipe = tmp_path / "events.jsonl"
    os.mkfifo(pipe)
    content = gzip.compress(LINES.encode())
    writer = threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True)
    writer.start()
    assert ingest(pipe).stderr == "3 events.\n"
    writer.join(10)


def test_a_pipe_without_a_writer_is_reported_and_can_be_left(tmp_path: Path):
    pipe = tmp_path / "events.jsonl"
    os.mkfifo(pipe)
    program = str(Path(sys.executable).parent / "lineage")
    # A shell lets background processes and their children ignore SIGINT.
    command = ["env", "--default-signal=INT", program, "ingest", str(pipe)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert process.stderr.readline() == f"Waiting for a writer on {pipe} …\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().strip() == "Aborted!"
    assert process.returncode == 1


def test_a_pipe_that_gets_a_writer_late_is_read(tmp_path: Path):
    pipe = tmp_path / "events.jsonl"
    os.mkfifo(pipe)
    command = [str(Path(sys.executable).parent / "lineage"), "ingest", str(pipe)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert process.stderr.readline() == f"Waiting for a writer on {pipe} …\n"
        pipe.write_text(LINES)
        assert process.stderr.read() == "3 events.\n"
    assert process.returncode == 0


def test_a_pipe_of_plan_documents_says_how_to_read_it(tmp_path: Path):
    """Plan documents are read twice, to find their applications; a pipe can be read only once."""
    [recorded, *_] = sorted((Path(__file__).parents[2] / "golden/spools").rglob("*.jsonl"))
    pipe = tmp_path / "events.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(recorded.read_bytes(),), daemon=True)
    writer.start()
    result = ingest(pipe)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"lineage ingest - < {pipe}" in result.stderr
    writer.join(10)


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \n\t\n"], ids=["LF", "CRLF", "spaces"])
@pytest.mark.parametrize("is_packed", [True, False], ids=["packed", "plain"])
def test_blank_lines_keep_the_numbers_of_others(tmp_path: Path, blank: bytes, is_packed: bool):
    """Blank lines are skipped by buffers: a loop over 134 million of them took minutes."""
    many = (4 << 20) // len(blank)
    content = b"\n".join([GOOD[0].encode(), blank * many + b"  x", GOOD[2].encode()])
    file = tmp_path / "events.jsonl"
    file.write_bytes(gzip.compress(content, 1) if is_packed else content)
    result = ingest(file, "--workers", 1)
    assert f"{file}:{2 + many * blank.count(10)}: " in result.stderr
    assert upstream("c") == {"a", "b"}


def test_a_packed_spool_is_read(tmp_path: Path):
    [recorded, *_] = sorted((Path(__file__).parents[2] / "golden/spools").rglob("*.jsonl"))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / recorded.name).write_bytes(recorded.read_bytes())
    (tmp_path / "packed").mkdir()
    packed = tmp_path / "packed" / f"{recorded.name}.gz"
    packed.write_bytes(gzip.compress(recorded.read_bytes()))
    assert ingest(tmp_path / "packed").exit_code == 0
    assert "already stored" in ingest(tmp_path / "plain").stderr


def test_takes_a_directory_whole(tmp_path: Path):
    (tmp_path / "deeper").mkdir()
    (tmp_path / "one.jsonl").write_text(GOOD[0])
    (tmp_path / "deeper" / "two.json").write_text(GOOD[2])
    (tmp_path / "notes.txt").write_text("not ours")
    assert ingest(tmp_path).stderr == "2 events.\n"


def test_files_of_a_directory_with_another_ending_are_named(tmp_path: Path):
    """They are likely to have events, but a copy may have wrong ones."""
    (tmp_path / "deeper").mkdir()
    (tmp_path / "one.jsonl").write_text(GOOD[0])
    for name in ("events.jsonl.xz", "deeper/a.json.bak", "notes.txt", ".one.jsonl.crc"):
        (tmp_path / name).write_text(GOOD[2])
    result = ingest(tmp_path)
    assert result.stderr == f"{tmp_path}: left out: deeper/a.json.bak; events.jsonl.xz\n1 event.\n"
    assert result.exit_code == 0
    assert ingest(tmp_path / "deeper/a.json.bak").stderr == "1 event.\n"


def test_all_files_of_a_directory_without_events_are_named(tmp_path: Path):
    for name in ("events.txt", "app.lock", ".hidden"):
        (tmp_path / name).write_text(GOOD[0])
    result = ingest(tmp_path)
    assert result.stderr == f"{tmp_path}: left out: events.txt\n0 events.\n"


def test_rotated_files_of_a_directory_are_read(tmp_path: Path):
    """As logrotate names them, with numbers or with dates."""
    (tmp_path / "events.jsonl").write_text(GOOD[0])
    (tmp_path / "events.jsonl.1").write_text(GOOD[1])
    (tmp_path / "events.jsonl-20260131.gz").write_bytes(gzip.compress(GOOD[2].encode()))
    assert ingest(tmp_path).stderr == "3 events.\n"


def test_zstandard_without_pyarrow_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    file = tmp_path / "events.jsonl.zst"
    file.write_bytes(zstandard(LINES.encode()))
    result = ingest(file)
    assert result.exit_code == 1
    assert f"{file}:1: The file holds Zstandard data, not JSON." in result.stderr
    assert "pip install 'pyarrow" in result.stderr


def test_an_exit_code_is_of_one_source_alone(tmp_path: Path):
    (tmp_path / "one.jsonl").write_text(GOOD[0])
    result = ingest("--exit-code", 3, tmp_path / "one.jsonl", tmp_path)
    assert result.exit_code == 2
    assert "--exit-code applies to one application. Give a single source." in result.stderr


def test_the_same_again_changes_nothing(tmp_path: Path, dsn: str):
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(GOOD))
    ingest(file)
    with psycopg.connect(dsn) as conn:
        before = graph_fingerprint(conn)
    assert ingest(file).stderr == "3 events, 3 of them already stored.\n"
    with psycopg.connect(dsn) as conn:
        assert graph_fingerprint(conn) == before


@pytest.mark.parametrize(
    "bad", [GOOD[1][:-20], "[1]", '{"eventTime": "yesterday"}', '{"run": 1}', "\x00", "no json"]
)
def test_a_bad_line_is_reported_with_its_place_and_the_rest_goes_in(tmp_path: Path, bad: str):
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join([GOOD[0], bad, GOOD[2]]))
    result = ingest(file)
    assert result.exit_code == 1
    assert f"{file}:2: " in result.stderr
    assert "2 events; 1 line could not be read." in result.stderr
    assert "Traceback" not in result.stderr
    assert upstream("c") == {"a", "b"}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_line_that_is_not_utf_8_is_rejected_and_not_changed(
    tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lineage.ingest.files.BATCH_SIZE", 1)
    file = tmp_path / "events.jsonl"
    latin_1 = run_event("r1", "COMPLETE", 1, reads=("cafe",)).encode().replace(b"cafe", b"caf\xe9")
    file.write_bytes(b"\n".join([GOOD[0].encode(), latin_1, GOOD[2].encode()]))
    result = ingest("--workers", workers, file)
    assert f"{file}:2: The event is not UTF-8: " in result.stderr
    assert "2 events; 1 line could not be read." in result.stderr
    assert upstream("c") == {"a", "b"}


def test_a_file_with_the_line_ends_of_windows_is_the_same_events(tmp_path: Path):
    (tmp_path / "unix.jsonl").write_text("\n".join(GOOD))
    (tmp_path / "windows.jsonl").write_text("\r\n".join(GOOD), newline="")
    assert ingest(tmp_path).stderr == "6 events, 3 of them already stored.\n"


def test_half_a_character_in_an_array_is_reported(tmp_path: Path):
    file = tmp_path / "events.json"
    half = {**json.loads(GOOD[1]), "producer": "\ud800"}
    file.write_text(json.dumps([json.loads(GOOD[0]), half, json.loads(GOOD[2])]))
    result = ingest(file)
    assert "The event is not UTF-8" in result.stderr
    assert "2 events; 1 line could not be read." in result.stderr


def test_a_bad_first_line_does_not_stop_the_others(tmp_path: Path):
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(["{", *GOOD]))
    result = ingest(file)
    assert f"{file}:1: " in result.stderr
    assert upstream("c") == {"a", "b"}


def test_reads_standard_input():
    script = [str(Path(sys.executable).parent / "lineage"), "ingest", "-"]
    done = subprocess.run(script, input="\n".join(GOOD), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "3 events.\n")
    assert upstream("c") == {"a", "b"}


def test_what_is_more_than_a_batch_goes_to_processes(
    tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lineage.ingest.files.BATCH_SIZE", 2)
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join([*GOOD, "no json", GOOD[0]]))
    result = ingest("--workers", 2, file)
    assert result.exit_code == 1
    assert f"{file}:4: " in result.stderr
    assert "4 events, 1 of them already stored; 1 line could not be read." in result.stderr
    assert upstream("c") == {"a", "b"}


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path):
    result = ingest(tmp_path / "missing")
    assert result.exit_code == 2
    assert f"There is no file or directory {tmp_path / 'missing'}." in result.stderr


def test_a_database_without_migrations_is_reported_with_the_next_step(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LINEAGE_DSN", empty_dsn)
    result = ingest("-", stdin="\n".join(GOOD))
    assert result.exit_code == 2
    assert "lineage migrate" in result.stderr


def test_killed_in_the_middle_and_started_again_gives_the_same_graph(tmp_path: Path, dsn: str):
    events = [
        run_event(
            f"run-{n}",
            "COMPLETE",
            n,
            f"job-{n % 7}",
            reads=(f"d{n % 50}",),
            writes=(f"d{n % 51 + 1}",),
        )
        for n in range(3000)
    ]
    with psycopg.connect(dsn, autocommit=True) as conn:
        command = [str(Path(sys.executable).parent / "lineage"), "ingest", "-"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        assert process.stdin
        # A batch has 500 events: the process is killed while it reads and writes the rest.
        process.stdin.write("\n".join(events[:1700]) + "\n")
        process.stdin.flush()
        while conn.execute("SELECT count(*) FROM lineage.event").fetchone() == (0,):
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.stdin.close()
        assert process.wait() == -signal.SIGKILL
        kept = conn.execute("SELECT count(*) FROM lineage.event").fetchone()
        assert kept is not None
        assert 0 < kept[0] < len(events)
        result = ingest("-", stdin="\n".join(events))
        assert result.exit_code == 0, result.stderr
        after = graph_fingerprint(conn)
    assert after == _fingerprint_of(events, dsn)


@pytest.mark.parametrize("count", [3, 10_003])
def test_what_a_silent_pipe_has_sent_is_in_the_graph(dsn: str, count: int):
    """Also beyond the first batch, which other processes write."""
    command = [str(Path(sys.executable).parent / "lineage"), "ingest", "-", "--workers", "2"]
    pairs = "SELECT count(*), sum(runs) FROM lineage.feeds"
    with (
        psycopg.connect(dsn, autocommit=True) as conn,
        subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdin
        for n in range(count):
            event = run_event(f"run-{n}", "COMPLETE", n, reads=("a",), writes=("b",))
            process.stdin.write(event + "\n")
        process.stdin.flush()
        while conn.execute(pairs).fetchone() != (1, count):
            assert process.poll() is None
        process.stdin.close()
        assert process.wait() == 0


def test_a_file_as_standard_input_gives_the_graph_of_its_events(tmp_path: Path, dsn: str):
    events = [
        run_event(f"run-{n}", "COMPLETE", n, f"job-{n % 3}", reads=("a",), writes=(f"d{n % 5}",))
        for n in range(1200)
    ]
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(events))
    command = [str(Path(sys.executable).parent / "lineage"), "ingest", "-"]
    with file.open() as standard_input:
        subprocess.run(command, stdin=standard_input, check=True)
    with psycopg.connect(dsn, autocommit=True) as conn:
        after = graph_fingerprint(conn)
    assert after == _fingerprint_of(events, dsn)


def _fingerprint_of(events: list[str], dsn: str) -> str:
    """Return the fingerprint of the graph of these events, written to an empty database."""
    from lineage.projection.rebuild import CLEAR

    with psycopg.connect(dsn, autocommit=True) as conn:
        CLEAR.execute(conn)
        conn.execute("TRUNCATE lineage.event")
        write_events(conn, events)
        return graph_fingerprint(conn)


def test_the_first_batch_ends_by_its_bytes(monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    """Workers write what follows it; a batch of wide events must not keep them waiting."""
    monkeypatch.setattr("lineage.ingest.files.BATCH_BYTES", 100)
    items = iter([Item(f"file:{line}", b"x" * 40) for line in range(5)])
    told: list[Done] = []
    with Workers(dsn, 1, told.append) as workers:
        assert [item.place for item in take_batch(items, workers)] == ["file:0", "file:1", "file:2"]
        assert [item.place for item in items] == ["file:4"]
    [error] = [error for done in told for error in done.bad]
    assert error.message.startswith("file:3: ")
