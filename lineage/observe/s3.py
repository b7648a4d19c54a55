"""Observe the calls of S3 by boto3, by the events of botocore."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from lineage.errors import UsageError
from lineage.hub.events import FileIo, FileOperation
from lineage.observe.guard import record_observations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Owner = TypeVar("Owner")

# In the context that the events of a call share.
_PARAMETERS = "lineage_parameters"
_SIZE = "lineage_size"


def boto3(owner: Owner) -> Owner:
    """Record the calls of S3 by ``owner`` in the current run, and return it.

    ``owner``: a ``boto3.Session`` for all clients that it creates from now on, a client, or a
    resource. A second call for the same object does nothing. Raises UsageError for any other
    object.
    """
    client = getattr(getattr(owner, "meta", None), "client", owner)
    events = getattr(getattr(client, "meta", client), "events", None)
    if events is None or not hasattr(events, "register"):
        raise UsageError(
            f"A {type(owner).__module__}.{type(owner).__qualname__} cannot be observed.",
            "Pass a boto3.Session, or a client or resource of S3.",
        )
    events.register(
        "before-parameter-build.s3", _store_parameters, unique_id="lineage-observe-parameters"
    )
    events.register("after-call.s3", _add_call, unique_id="lineage-observe-call")
    return owner


def _store_parameters(params: Any, context: Any = None, **_: Any) -> None:
    if isinstance(context, dict) and isinstance(params, dict):
        context[_PARAMETERS] = params
        context[_SIZE] = _size_of(params.get("Body"))


def _add_call(http_response: Any, parsed: Any, model: Any, context: Any = None, **_: Any) -> None:
    params = context.get(_PARAMETERS) if isinstance(context, dict) else None
    describe = _OPERATIONS.get(model.name)
    if params and describe is not None and http_response.status_code < 300:
        answer = {**parsed, _SIZE: context.get(_SIZE)}
        record_observations(lambda: describe(params, answer))


def _size_of(body: Any) -> int | None:
    """Return the bytes of a body, if they are known without reading it."""
    if isinstance(body, bytes | bytearray):
        return len(body)
    if isinstance(body, io.BytesIO):
        return body.getbuffer().nbytes - body.tell()
    return None


def _url_of(params: Mapping[str, Any]) -> str:
    return f"s3://{_bucket_of(params['Bucket'])}/{params['Key']}"


def _bucket_of(name: str) -> str:
    """Return the bucket of a name; an access point is named by its ARN."""
    return name.rpartition("/")[2] if name.startswith("arn:") else name


def _source_of(params: Mapping[str, Any]) -> str:
    source = params["CopySource"]
    if isinstance(source, str):
        bucket, _, key = unquote(source.partition("?")[0]).lstrip("/").partition("/")
        return f"s3://{bucket}/{key}"
    return _url_of(source)


def _describe_read(params: Any, parsed: Any) -> Iterator[FileIo]:
    yield FileIo(FileOperation.READ, source=_url_of(params), bytes=parsed.get("ContentLength"))


def _describe_write(params: Any, parsed: Any) -> Iterator[FileIo]:
    size = params.get("ContentLength", parsed[_SIZE])
    yield FileIo(FileOperation.WRITE, target=_url_of(params), bytes=size)


def _describe_copy(params: Any, parsed: Any) -> Iterator[FileIo]:
    yield FileIo(FileOperation.COPY, _source_of(params), _url_of(params))


def _describe_part_copy(params: Any, parsed: Any) -> Iterator[FileIo]:
    yield FileIo(FileOperation.READ, source=_source_of(params))


def _describe_delete(params: Any, parsed: Any) -> Iterator[FileIo]:
    yield FileIo(FileOperation.DELETE, source=_url_of(params))


def _describe_deletes(params: Any, parsed: Any) -> Iterator[FileIo]:
    failed = {each.get("Key") for each in parsed.get("Errors", ())}
    for each in params["Delete"]["Objects"]:
        if each["Key"] not in failed:
            yield from _describe_delete({"Bucket": params["Bucket"], "Key": each["Key"]}, parsed)


def _describe_completion(params: Any, parsed: Any) -> Iterator[FileIo]:
    yield FileIo(FileOperation.WRITE, target=_url_of(params))


_OPERATIONS: dict[str, Callable[[Any, Any], Iterator[FileIo]]] = {
    "CompleteMultipartUpload": _describe_completion,
    "CopyObject": _describe_copy,
    "DeleteObject": _describe_delete,
    "DeleteObjects": _describe_deletes,
    "GetObject": _describe_read,
    "PutObject": _describe_write,
    "SelectObjectContent": _describe_read,
    "UploadPartCopy": _describe_part_copy,
}
