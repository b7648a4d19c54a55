"""Observe the calls of S3 by boto3, by the events of botocore.

A call belongs to the current run. A transfer belongs to that of its caller. In threads without a
run, both belong to the run in which the client was passed.
"""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from lineage.errors import UsageError
from lineage.hub.active_run import claiming_run
from lineage.hub.events import FileIo, FileOperation
from lineage.observe.guard import record_observations
from lineage.observe.s3_transfers import bind_class, bind_client, run_of_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lineage.hub.active_run import ActiveRun

Owner = TypeVar("Owner")

# In the context that the events of a call share.
_PARAMETERS = "lineage_parameters"
_SIZE = "lineage_size"
_MAX_UPLOADS = 1000
# By the id of an upload in parts that is not complete: the source of each part that is a copy.
_PARTS: dict[str, dict[int, str | None]] = {}


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
    find_run = partial(_find_run, claiming_run())

    def add_call(
        http_response: Any, parsed: Any, model: Any, context: Any = None, **_: Any
    ) -> None:
        params = context.get(_PARAMETERS) if isinstance(context, dict) else None
        describe = _OPERATIONS.get(model.name)
        if params and describe is not None and http_response.status_code < 300:
            response = {**parsed, _SIZE: context.get(_SIZE)}
            record_observations(lambda: describe(params, response), find_run)

    events.register("after-call.s3", add_call, unique_id="lineage-observe-call")
    events.register_last(
        "creating-client-class.s3", bind_class, unique_id="lineage-observe-transfers"
    )
    bind_client(client)
    return owner


def _find_run(creator: ActiveRun | None) -> ActiveRun | None:
    """Return the run of a call. ``creator``: the run in which the client was passed."""
    run = run_of_call()
    return creator if run is None else run


def _store_parameters(params: Any, context: Any = None, **_: Any) -> None:
    if isinstance(context, dict) and isinstance(params, dict):
        context[_PARAMETERS] = params
        context[_SIZE] = _size_of(params.get("Body"))


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


def _describe_part(params: Any, parsed: Any) -> Iterator[FileIo]:
    _store_part(params, None)
    yield from ()


def _describe_part_copy(params: Any, parsed: Any) -> Iterator[FileIo]:
    _store_part(params, _source_of(params))
    yield from ()


def _store_part(params: Any, source: str | None) -> None:
    upload = params["UploadId"]
    if upload not in _PARTS and len(_PARTS) >= _MAX_UPLOADS:
        _PARTS.pop(next(iter(_PARTS)), None)
    _PARTS.setdefault(upload, {})[params["PartNumber"]] = source


def _describe_abort(params: Any, parsed: Any) -> Iterator[FileIo]:
    _PARTS.pop(params["UploadId"], None)
    yield from ()


def _describe_delete(params: Any, parsed: Any) -> Iterator[FileIo]:
    yield FileIo(FileOperation.DELETE, source=_url_of(params))


def _describe_deletes(params: Any, parsed: Any) -> Iterator[FileIo]:
    failed = {each.get("Key") for each in parsed.get("Errors", ())}
    for each in params["Delete"]["Objects"]:
        if each["Key"] not in failed:
            yield from _describe_delete({"Bucket": params["Bucket"], "Key": each["Key"]}, parsed)


def _describe_completion(params: Any, parsed: Any) -> Iterator[FileIo]:
    """An object whose parts are all copies has no other sources.

    If it has other parts, its copies are read for the program, because they are a part of what it
    sends.
    """
    target, parts = _url_of(params), _PARTS.pop(params["UploadId"], {})
    numbers = [each["PartNumber"] for each in params["MultipartUpload"]["Parts"]]
    sources = dict.fromkeys(parts.get(each) for each in numbers)
    copies = [each for each in sources if each is not None]
    if not copies or len(copies) < len(sources):
        for source in copies:
            yield FileIo(FileOperation.READ, source=source)
        yield FileIo(FileOperation.WRITE, target=target)
    else:
        for place, source in enumerate(copies):
            yield FileIo(FileOperation.COPY, source, target, append=place > 0)


_OPERATIONS: dict[str, Callable[[Any, Any], Iterator[FileIo]]] = {
    "AbortMultipartUpload": _describe_abort,
    "CompleteMultipartUpload": _describe_completion,
    "CopyObject": _describe_copy,
    "DeleteObject": _describe_delete,
    "DeleteObjects": _describe_deletes,
    "GetObject": _describe_read,
    "PutObject": _describe_write,
    "SelectObjectContent": _describe_read,
    "UploadPart": _describe_part,
    "UploadPartCopy": _describe_part_copy,
}
