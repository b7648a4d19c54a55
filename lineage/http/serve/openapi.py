"""The OpenAPI document: read operations from their declarations, the others as declared here."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import Response

from lineage.http import sessions
from lineage.http.collector.events import LINES
from lineage.http.serve.operations import OPERATIONS
from lineage.http.serve.session import PATH as SESSION
from lineage.http.serve.session import SessionBody

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.http.operation import Operation

_ERROR = {"$ref": "#/components/responses/Error"}
_ERRORS = dict.fromkeys(("400", "401", "403", "414", "421", "431", "503"), _ERROR)
_TOO_MUCH = dict.fromkeys(("408", "413", "415", "429"), _ERROR)
_OBJECT = {"application/json": {"schema": {"type": "object"}}}
_COUNT = {"type": "integer"}

_COMPONENTS = {
    "securitySchemes": {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": sessions.COOKIE},
    },
    "responses": {
        "Error": {
            "description": "The error, and its remedy",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    },
    "schemas": {
        "Error": {
            "type": "object",
            "required": ["error"],
            "properties": {
                "error": {
                    "type": "object",
                    "required": ["message"],
                    "properties": {"message": {"type": "string"}, "hint": {"type": "string"}},
                }
            },
        },
        "Event": {
            "type": "object",
            "description": "A RunEvent, JobEvent or DatasetEvent of OpenLineage",
            "required": ["eventTime"],
            "properties": {"eventTime": {"type": "string", "format": "date-time"}},
        },
        "Report": {
            "type": "object",
            "required": ["status", "summary", "failed_events"],
            "properties": {
                "status": {"enum": ["success", "partial_success", "failure"]},
                "summary": {"type": "object", "additionalProperties": _COUNT},
                "failed_events": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "index": _COUNT,
                            "reason": {"type": "string"},
                            "retriable": {"type": "boolean"},
                        },
                    },
                },
                "left_out": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"index": _COUNT, "parts": {"type": "array"}},
                    },
                },
            },
        },
        "LeftOut": {
            "type": "object",
            "properties": {"left_out": {"type": "array", "items": {"type": "string"}}},
        },
        "Identity": {
            "type": "object",
            "required": [
                "version",
                "token",
                "session",
                "newest_event",
                "last_event",
                "pending_events",
            ],
            "properties": {
                "version": {"type": "string"},
                "token": {
                    "type": ["object", "null"],
                    "properties": {
                        "name": {"type": "string"},
                        "scope": {"enum": ["read", "write"]},
                    },
                },
                "session": {"type": "boolean"},
                "newest_event": {"type": ["string", "null"], "format": "date-time"},
                "last_event": _COUNT,
                "pending_events": _COUNT,
            },
        },
        "Accepted": {
            "type": "object",
            "required": ["accepted"],
            "properties": {"accepted": _COUNT},
        },
    },
}


def _request_body(media_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {media_type: {"schema": schema}}}


def _body_of_events(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a request that takes JSON, or events one a line."""
    body = _request_body("application/json", schema)
    return {**body, "content": {**body["content"], LINES: {"schema": {"type": "string"}}}}


def _response_object(description: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": description, "content": content}


_WITHOUT_NUL = r"^[^\x00]*$"
_READ_SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"session": []}, {}]
_EVENT = {"$ref": "#/components/schemas/Event"}
_NOTHING = {"204": {"description": "Yes"}}
_UNCHANGED = {"description": "The client has the current result: If-None-Match has its ETag"}

_WRITTEN: dict[str, dict[str, Any]] = {
    "/api/v1/lineage": {
        "summary": "Store one event",
        "requestBody": _body_of_events(_EVENT),
        "responses": {
            "200": _response_object("The results of a batch of lines", "Report"),
            "201": _response_object("The event is on disk, without the listed parts", "LeftOut"),
            **_ERRORS,
            **_TOO_MUCH,
        },
    },
    "/api/v1/lineage/batch": {
        "summary": "Store a batch of events",
        "requestBody": _body_of_events({"type": "array", "items": _EVENT}),
        "responses": {
            "200": _response_object("The results of the batch", "Report"),
            **_ERRORS,
            **_TOO_MUCH,
        },
    },
    "/api/v1/plan-documents": {
        "summary": "Store plan documents of the Spark listener, one a line",
        "requestBody": _request_body(LINES, {"type": "string"}),
        "responses": {
            "200": _response_object("The plan documents are on disk", "Accepted"),
            "422": _ERROR,
            **_ERRORS,
            **_TOO_MUCH,
        },
    },
}
_DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "/health/live": {"summary": "Whether the process runs", "responses": _NOTHING},
    "/health/ready": {
        "summary": "Whether events can be written",
        "responses": {**_NOTHING, "503": _ERROR},
    },
    "/metrics": {
        "summary": "Metrics for Prometheus",
        "responses": {"200": {"description": "Metrics", "content": {"text/plain": {}}}},
    },
    "/openapi.json": {
        "summary": "This document",
        "responses": {"200": {"description": "OpenAPI 3.1", "content": _OBJECT}},
    },
    "/api/v1/whoami": {
        "summary": "The token of the request, the version and the state of the log",
        "security": _READ_SECURITY,
        "responses": {
            "200": _response_object("The identity", "Identity"),
            "304": _UNCHANGED,
            **_ERRORS,
        },
    },
}


def _session_paths() -> dict[str, Any]:
    """Return the operations that open and close the session of a browser."""
    return {
        "post": {
            "summary": "Open a session that reads with the rights of a token",
            "requestBody": _request_body("application/json", _body_schema(SessionBody)),
            "responses": {
                "204": {"description": "The session is open; its cookie is set"},
                **_ERRORS,
                **_TOO_MUCH,
            },
        },
        "delete": {
            "summary": "Close the session of the request",
            "responses": {"204": {"description": "There is no session"}, **_ERRORS},
        },
    }


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for path, operation in _WRITTEN.items():
        paths.setdefault(path, {})["post"] = {"security": [{"token": []}, {}], **operation}
    for path, operation in _DESCRIPTIONS.items():
        paths.setdefault(path, {})["get"] = operation
    paths[SESSION] = _session_paths()
    for read in OPERATIONS:
        paths.setdefault(read.path, {})[read.method.lower()] = _operation_object(read)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Lineage", "version": version("lineage-age")},
        "paths": paths,
        "components": _COMPONENTS,
    }


def _operation_object(operation: Operation) -> dict[str, Any]:
    places = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in operation.path_parameters
    ]
    parameters = [
        {
            "name": each.name,
            "in": "query",
            "description": each.description,
            "required": each.required,
            "schema": each.json_schema()
            | ({} if each.default is None else {"default": each.default}),
        }
        for each in operation.parameters
    ]
    # Some operations of Marquez return an array.
    content: dict[str, Any] = {
        each: {"schema": {"type": "string"}} for each in operation.media_types
    }
    content["application/json"] = {"schema": {"type": ["object", "array"]}}
    responses = {
        "200": {"description": operation.summary, "content": content},
        "304": _UNCHANGED,
    }
    document: dict[str, Any] = {
        "summary": operation.summary,
        "security": _READ_SECURITY,
        "parameters": places + parameters,
        "responses": {**responses, **_ERRORS, "404": _ERROR, "409": _ERROR},
    }
    if operation.body:
        document["requestBody"] = _request_body("application/json", _body_schema(operation.body))
        document["responses"] |= _TOO_MUCH
    return document


def _body_schema(body: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON Schema of a posted object, without references.

    Its texts have the pattern that ``receive_object`` accepts: no NUL characters.
    """
    _, components = msgspec.json.schema_components([body])
    schema: dict[str, Any] = _with_pattern(components[body.__name__])
    return schema


def _with_pattern(schema: Any) -> Any:
    """Return a JSON Schema in which texts do not have NUL characters."""
    if isinstance(schema, list):
        return [_with_pattern(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: _with_pattern(part) for key, part in schema.items()}
    return {**parts, "pattern": _WITHOUT_NUL} if parts.get("type") == "string" else parts


async def get_openapi(request: Request) -> Response:
    """Return the OpenAPI document, without authentication."""
    return Response(msgspec.json.encode(openapi_document()), media_type="application/json")
