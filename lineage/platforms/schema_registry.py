"""The REST interface of Confluent's schema registry: the newest schema of each subject."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.errors import ServiceUnavailable

if TYPE_CHECKING:
    from lineage.platforms.rest import RestClient

_CONTEXT = re.compile(r":\.[^:]*:")  # prefixes subjects of other contexts than the default one


class RegisteredSchema(NamedTuple):
    """The newest version of a subject. ``schema_type``: AVRO, JSON or PROTOBUF.

    ``fields``: name, type and description of each column; None if they cannot be read.
    """

    subject: str
    version: int | None
    schema_id: int | None
    schema_type: str
    text: str
    fields: list[dict[str, str]] | None

    def described_topic(self) -> tuple[str, str] | None:
        """Return the topic of the subject, and whether it has its ``key`` or its ``value``.

        None if the subject is not named by a topic (TopicNameStrategy, the default).
        """
        subject = _CONTEXT.sub("", self.subject, count=1)
        topic, dash, role = subject.rpartition("-")
        return (topic, role) if dash and topic and role in ("key", "value") else None


def read_schemas(client: RestClient) -> tuple[list[RegisteredSchema], list[str]]:
    """Read the newest schema of each subject, and a message for each that cannot be read.

    Raises ServiceUnavailable if the subjects cannot be listed.
    """
    schemas, unreadable = [], []
    for subject in sorted(map(str, client.get_json("subjects"))):
        try:
            response = client.get_json("subjects", subject, "versions", "latest", missing=(404,))
        except ServiceUnavailable as error:
            unreadable.append(f"subject {subject}: {error.message}")
            continue
        if isinstance(response, dict):  # 404: deleted since the list was read
            schemas.append(_parse_schema(subject, response))
    return schemas, unreadable


def _parse_schema(subject: str, response: dict[str, Any]) -> RegisteredSchema:
    kind, text = str(response.get("schemaType") or "AVRO"), str(response.get("schema") or "")
    return RegisteredSchema(
        subject, response.get("version"), response.get("id"), kind, text, read_fields(kind, text)
    )


def read_fields(schema_type: str, text: str) -> list[dict[str, str]] | None:
    """Return the columns of an Avro record or of a JSON object; None for any other schema."""
    if schema_type not in ("AVRO", "JSON"):
        return None
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(schema, dict):
        return None
    if schema_type == "AVRO":
        listed = schema.get("fields") if schema.get("type") == "record" else None
        members = [(each.get("name"), each) for each in listed or () if isinstance(each, dict)]
    else:
        properties = schema.get("properties")
        members = list(properties.items()) if isinstance(properties, dict) else []
    fields = [_describe_field(name, member) for name, member in members if name]
    return fields or None


def _describe_field(name: str, member: Any) -> dict[str, str]:
    content = member if isinstance(member, dict) else {}
    kind, text = content.get("type"), content.get("doc") or content.get("description")
    field = {"name": str(name)}
    if kind is not None:
        field["type"] = kind if isinstance(kind, str) else json.dumps(kind)
    return field | ({"description": str(text)} if text else {})
