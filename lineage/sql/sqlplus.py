"""Commands of SQL*Plus in scripts of Oracle: lines of the client, which the server does not see."""

from __future__ import annotations

import re

# Each command in its shortest form, and the rest of its name.
_NAMES = (
    "ACC[EPT] BRE[AK] BTI[TLE] CL[EAR] COL[UMN] COMP[UTE] CONN[ECT] DEF[INE] DESC[RIBE]"
    " DISC[ONNECT] ED[IT] EXIT GET HO[ST] PASSW[ORD] PAU[SE] PRI[NT] PRO[MPT] QUIT REM[ARK]"
    " REPF[OOTER] REPH[EADER] SAV[E] SHO[W] SPO[OL] STA[RT] STORE TIMI[NG] TTI[TLE] UNDEF[INE]"
    " VAR[IABLE] WHENEVER"
)


def _pattern_of_name(name: str) -> str:
    """Return the pattern of a name of which letters may be left out at the end."""
    shortest, _, rest = name.rstrip("]").partition("[")
    pattern = ""
    for letter in reversed(rest):
        pattern = f"(?:{letter}{pattern})?"
    return shortest + pattern


_COMMAND = re.compile(
    rf"(?i)(?:@|!|(?:{'|'.join(map(_pattern_of_name, _NAMES.split()))})(?![\w$#.])"
    r"|SET\s+(?!(?:TRANSACTION|ROLE|CONSTRAINTS?)\b))"
)
_CALL = re.compile(r"(?i)EXEC(?:U(?:TE?)?)?[ \t]+(?!IMMEDIATE\b)")
_RUN = re.compile(r"(?i)@|STA(?:RT?)?\b")
_CONTINUED = re.compile(r"-[ \t]*\r?\n")


def end_of_command(text: str, place: int) -> int | None:
    """Return the end of the command that begins at a place; None if none begins there."""
    if not _COMMAND.match(text, place) and not _CALL.match(text, place):
        return None
    end = text.find("\n", place)
    while end >= 0 and text[place:end].rstrip().endswith("-"):
        place, end = end + 1, text.find("\n", end + 1)
    return len(text) if end < 0 else end


def text_of_call(command: str) -> str:
    """Return the statement that EXECUTE passes to the server; "" for another command."""
    match = _CALL.match(command)
    return _CONTINUED.sub(" ", command[match.end() :]) if match else ""


def runs_file(command: str) -> bool:
    """Return whether a command executes the statements of a file."""
    return _RUN.match(command) is not None
