"""Parameters of requests, declared once for validation and for the OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.http.errors import ApiError
from lineage.query.time_arguments import parse_time
from lineage.suggestions import suggest_name

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Text:
    """A text parameter."""

    name: str
    description: str
    default: str | None = None
    required: bool = False

    def read_from(self, texts: list[str]) -> Any:
        """Return the value of the parameter. Raises ApiError if it has several values."""
        if len(texts) > 1:
            raise ApiError(400, f"{self.name} has {len(texts)} values, and takes one.")
        return _read_value(self, texts[-1] if texts else None)

    def parse_value(self, text: str) -> Any:
        """Return the value of a text. Raises ApiError."""
        return text

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class Texts(Text):
    """A repeatable text parameter; its value is a tuple, empty if the parameter is absent."""

    default: Any = ()

    def read_from(self, texts: list[str]) -> Any:
        """Return all values of the parameter."""
        return tuple(_read_value(self, each) for each in texts if each)

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "array", "items": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class Integer(Text):
    """An integer from ``minimum`` to ``maximum``."""

    default: Any = None
    minimum: int = 1
    maximum: int = 1000

    def parse_value(self, text: str) -> int:
        """Return the number."""
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else -1
        if not self.minimum <= number <= self.maximum:
            raise ApiError(
                400, f"{self.name} is not an integer from {self.minimum} to {self.maximum}."
            )
        return number

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True, slots=True)
class Share(Text):
    """A number from 0 to 1."""

    default: Any = 0

    def parse_value(self, text: str) -> float:
        """Return the number."""
        try:
            number = float(text)
        except ValueError:
            number = -1
        if not 0 <= number <= 1:
            raise ApiError(400, f"{self.name} is not a number from 0 to 1.")
        return number

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "number", "minimum": 0, "maximum": 1}


@dataclass(frozen=True, slots=True)
class Choice(Text):
    """One of ``words``, in any case."""

    words: tuple[str, ...] = ()

    def parse_value(self, text: str) -> str:
        """Return the word."""
        for word in self.words:
            if word.lower() == text.lower():
                return word
        raise ApiError(400, f"{self.name} is not one of {', '.join(self.words)}.")

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "string", "enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Choices(Choice):
    """Several of ``words``; the parameter may be repeated."""

    def read_from(self, texts: list[str]) -> Any:
        """Return all words; a value may have several, separated by commas."""
        return _read_value(self, ",".join(texts) if texts else None)

    def parse_value(self, text: str) -> Any:
        """Return the words."""
        return [super(Choices, self).parse_value(word) for word in text.split(",")]

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "array", "items": {"enum": list(self.words)}}


@dataclass(frozen=True, slots=True)
class Flag(Text):
    """A boolean parameter."""

    default: Any = False

    def parse_value(self, text: str) -> bool:
        """Return the boolean value."""
        if (flag := _FLAGS.get(text.lower())) is None:
            raise ApiError(400, f"{self.name} is neither true nor false.")
        return flag

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Time(Text):
    """A time in ISO 8601; a date is its beginning. The default zone is that of the server."""

    def parse_value(self, text: str) -> str:
        """Return the time in the format of events."""
        # a plus sign that was not percent-encoded arrives as a space
        text = text.replace(" ", "+") if "T" in text else text
        try:
            return parse_time(text)
        except ValueError as reason:
            raise ApiError(
                400, f"{self.name} {reason}.", "Write it as 2026-01-31T18:00:00Z."
            ) from None

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter."""
        return {"type": "string", "format": "date-time"}


def read_parameters(
    declared: tuple[Text, ...], query_params: QueryParams, *, ignore_unknown: bool = False
) -> dict[str, Any]:
    """Return the value of each parameter. Raises ApiError with the name of an invalid one."""
    names = [each.name for each in declared]
    unknown = [name for name in query_params if name not in names]
    if unknown and not ignore_unknown:
        message = f"The parameter {unknown[0][:100]!r} is unknown."
        raise ApiError(400, message, suggest_name(unknown[0][:100], names))
    if not ignore_unknown:
        _refuse_empty(declared, query_params)
    return {each.name: each.read_from(query_params.getlist(each.name)) for each in declared}


def _refuse_empty(declared: tuple[Text, ...], query_params: QueryParams) -> None:
    """Raise ApiError for parameters without a value, which would otherwise be ignored."""
    for each in declared:
        if "" in query_params.getlist(each.name) and not each.required and each.default != "":
            raise ApiError(400, f"{each.name} has no value.", "Give a value, or omit it.")


def _read_value(declared: Text, text: str | None) -> Any:
    if text is None or (text == "" and not declared.required):
        if declared.required:
            raise ApiError(400, f"The parameter {declared.name} is missing.")
        return declared.default
    if "\x00" in text:
        raise ApiError(400, f"{declared.name} contains a NUL character, which is not allowed.")
    return declared.parse_value(text)


LIMIT = Integer("limit", "Maximum number of entries.", 100)
OFFSET = Integer("offset", "Number of entries to skip.", 0, minimum=0, maximum=1 << 31)
