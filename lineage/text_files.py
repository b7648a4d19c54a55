"""Read lines of text files, plain or compressed, in any Unicode encoding; and YAML files."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import stat
import zlib
from typing import TYPE_CHECKING, Any, cast

from lineage.errors import InvalidEvent, UsageError
from lineage.extras import install_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

# Limit above any event or plan document; a line is read into memory as a whole.
MAX_LINE_BYTES = 64 << 20
_CHUNK = 1 << 20
_BUFFER = 1 << 18  # larger than most events; a line over several buffers is copied in parts
# After this number of blank lines, further ones are read by buffers, which is faster.
_BLANK_IN_A_ROW = 20
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
# The beginnings of a frame, and of a skippable one, which pzstd writes first (RFC 8878, 3.1).
_ZSTANDARD = (b"\x28\xb5\x2f\xfd", *(bytes([n]) + b"\x2a\x4d\x18" for n in range(0x50, 0x60)))
# An OSError with a number is an error of the system.
DAMAGED = (EOFError, OSError, zlib.error)
# First bytes of other formats that files with names of JSON may have.
_OTHERS = {
    b"\x1f\x8b\x08": "gzip",  # gzip within gzip: only the outer one is unpacked
    b"\xfd7zXZ\x00": "xz",
    _BZIP2: "bzip2",
    **dict.fromkeys(_ZSTANDARD, "Zstandard"),
    b"PK\x03\x04": "zip",
    b"PAR1": "Parquet",
    b"Obj\x01": "Avro",
}


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading bytes; raise UsageError for a device or an unreadable file."""
    try:
        if stat.S_ISCHR(path.stat().st_mode):
            raise UsageError(f"{path} is a device, not a file.", "Give a file, or - for stdin.")
        return path.open("rb", _BUFFER)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def read_yaml(path: Path, subject: str) -> Any:
    """Return the value of a YAML file in UTF-8. ``subject`` names the file in a UsageError."""
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{subject} cannot be read: {error}.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise UsageError(f"{subject}{line} is not valid YAML.") from None


def open_unpacked(stream: BinaryIO) -> BinaryIO:
    """Return the decompressed stream if ``stream`` is gzip, bzip2 or Zstandard, else ``stream``.

    Zstandard needs pyarrow. Without it ``stream`` is returned, which ``numbered_lines`` reports.
    """
    if not isinstance(stream, io.BufferedReader):
        return stream
    begin = stream.peek(4)
    if begin.startswith(_GZIP):
        # unbuffered: a buffer would lose the lines before damaged data
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    if begin.startswith(_BZIP2):
        return cast("BinaryIO", bz2.BZ2File(stream))
    return _open_zstandard(stream) if begin.startswith(_ZSTANDARD) else stream


def _open_zstandard(stream: BinaryIO) -> BinaryIO:
    try:
        import pyarrow
    except ImportError:
        return stream
    return io.BufferedReader(pyarrow.CompressedInputStream(stream, "zstd"))


def _make_peekable(stream: Any) -> Any:
    """Return a stream that can be peeked into."""
    return stream if hasattr(stream, "peek") else io.BufferedReader(stream)


def numbered_lines(
    name: str, stream: BinaryIO, bad: Callable[[InvalidEvent], None]
) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of each line, in UTF-8 and with its line end; blank lines too.

    Long series of blank lines may be yielded as one text with the number of the first.

    A line that is too long is reported to ``bad`` and skipped. Damaged compressed data, and text
    that is not in the encoding of the beginning of the file, are reported to ``bad`` and end the
    reading.
    """
    number = 0
    try:
        buffered = _make_peekable(stream)
        if kind := next(
            (k for start, k in _OTHERS.items() if buffered.peek(6).startswith(start)), None
        ):
            hint = install_hint("arrow") if kind == "Zstandard" else "Unpack it first."
            bad(InvalidEvent(f"{name}:1: The file holds {kind} data, not JSON.", hint))
            return
        lines = _recode_to_utf_8(buffered)
        blank_in_a_row = 0
        while line := lines.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) <= MAX_LINE_BYTES:
                yield number, line
                blank_in_a_row = blank_in_a_row + 1 if line.isspace() else 0
                if blank_in_a_row >= _BLANK_IN_A_ROW and (blank := _read_blank(lines)):
                    yield number + 1, blank
                    number += blank.count(b"\n")
                continue
            bad(InvalidEvent(f"{name}:{number}: The line is longer than {MAX_LINE_BYTES:,} bytes."))
            while line and not line.endswith(b"\n"):
                line = lines.readline(_CHUNK)
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno:
            raise
        bad(InvalidEvent(f"{name}:{number + 1}: The compressed data are damaged: {error}."))
    except UnicodeDecodeError as error:
        encoding = error.encoding.upper()
        bad(InvalidEvent(f"{name}:{number + 1}: The text is not {encoding}: {error.reason}."))


def _read_blank(stream: Any) -> bytes:
    """Read the blank lines at the beginning of a buffer; reading them one by one takes minutes."""
    ahead = stream.peek(1) if hasattr(stream, "peek") else b""
    end = ahead.rfind(b"\n", 0, len(ahead) - len(ahead.lstrip())) + 1
    blank: bytes = stream.read(end) if end else b""
    return blank


def _recode_to_utf_8(stream: Any) -> Any:
    """Return a stream of the same text in UTF-8, without a byte order mark."""
    begin = stream.peek(4)[:4]
    if begin.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
        return stream
    if begin in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):  # and nothing after it
        stream.read(len(begin))
        return stream
    encoding = json.detect_encoding(begin) if len(begin) == 4 else "utf-8"
    # two NUL characters are not text in any encoding
    if encoding == "utf-8" or not any(begin):
        return stream
    return _Recoded(stream, encoding)


class _Recoded:
    """Stream that converts lines of another encoding to UTF-8."""

    def __init__(self, stream: Any, encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding=encoding, newline="\n")

    def readline(self, size: int, /) -> bytes:
        return self._text.readline(size).encode(errors="surrogatepass")

    def __del__(self) -> None:
        # the caller closes the stream that it opened
        self._text.detach()
