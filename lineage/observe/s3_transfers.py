"""The run that a transfer of boto3 works for: that of the caller of ``upload_file`` and its like.

boto3 transfers files in threads of its own, which have no current run.
"""

from __future__ import annotations

import functools
from contextvars import ContextVar
from types import MethodType
from typing import TYPE_CHECKING, Any

from lineage.hub.active_run import claiming_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.hub.active_run import ActiveRun

_METHODS = ("copy", "download_file", "download_fileobj", "upload_file", "upload_fileobj")
_METHODS_MODULE = "boto3.s3.inject"  # other libraries have methods of the same names

# During a call of S3 for a transfer, in the thread that makes it.
_TRANSFER: ContextVar[_ClientOfRun | None] = ContextVar("lineage_transfer", default=None)


def run_of_call() -> ActiveRun | None:
    """Return the run that a call of S3 by this thread works for."""
    transfer = _TRANSFER.get()
    return claiming_run() if transfer is None else transfer.run


def bind_client(client: Any) -> None:
    """Let the transfers of a client of S3 work for the run of their caller."""
    for name in _METHODS:
        if _is_transfer(method := getattr(type(client), name, None)):
            setattr(client, name, MethodType(_bind_method(method), client))


def bind_class(class_attributes: dict[str, Any], **_: Any) -> None:
    """Take a ``creating-client-class`` event, and bind the transfers of the clients of S3."""
    for name in _METHODS:
        if _is_transfer(method := class_attributes.get(name)):
            class_attributes[name] = _bind_method(method)


def _is_transfer(method: Any) -> bool:
    return getattr(method, "__module__", None) == _METHODS_MODULE


def _bind_method(method: Any) -> Callable[..., Any]:
    @functools.wraps(method)
    def transfer_files(self: Any, *args: Any, **named: Any) -> Any:
        return method(_ClientOfRun(self, claiming_run()), *args, **named)

    return transfer_files


class _ClientOfRun:
    """A client of S3 whose calls work for a run, in whatever thread they are made."""

    def __init__(self, client: Any, run: ActiveRun | None) -> None:
        self._client = client
        self.run = run

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._client, name)
        is_call = name in self._client.meta.method_to_api_mapping
        return functools.partial(self._call_service, attribute) if is_call else attribute

    def _call_service(self, call: Callable[..., Any], **parameters: Any) -> Any:
        token = _TRANSFER.set(self)
        try:
            return call(**parameters)
        finally:
            _TRANSFER.reset(token)
