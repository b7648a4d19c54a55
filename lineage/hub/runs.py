"""Record runs: ``lineage.run``, ``@lineage.job`` and ``lineage.fetch``."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, TypeVar, overload

from lineage.hub.active_run import ActiveRun, Fetch
from lineage.hub.configuration import default_namespace
from lineage.hub.events import Job
from lineage.hub.generators import record_async_generator, run_generator
from lineage.hub.program_names import module_name

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def _build_job(name: str, namespace: str | None, kind: str) -> Job:
    facet = {"processingType": "BATCH", "integration": "PYTHON", "jobType": kind}
    return Job(namespace or default_namespace(), name, {"jobType": facet})


def run(name: str, *, namespace: str | None = None, process: bool = False) -> ActiveRun:
    """Return a run of the job ``name``, which a ``with`` or ``async with`` block starts and ends.

    The default of ``namespace`` is LINEAGE_NAMESPACE. An exception of the block ends the run as
    FAIL; KeyboardInterrupt, a cancelled task and SystemExit other than 0 end it as ABORT, as do
    ``Abort`` and ``Exit`` of click and typer.
    ``process``: whether observations in threads that have no current run belong to it.
    """
    return ActiveRun(_build_job(name, namespace, "SCRIPT"), process=process)


def fetch(source: str, *, namespace: str | None = None) -> Fetch:
    """Return a run of the job ``fetch.{source}``, whose input is ``source``.

    The namespace of the input is that of the job with ``.source`` appended.
    """
    job = _build_job(f"fetch.{source}", namespace, "FETCH")
    fetched = Fetch(job)
    fetched.reads(source, namespace=f"{job.namespace}.source")
    return fetched


@overload
def job(function: F) -> F: ...
@overload
def job(*, name: str | None = None, namespace: str | None = None) -> Callable[[F], F]: ...
def job(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    namespace: str | None = None,
) -> Any:
    """Record each call of a function, coroutine function or generator function as a run.

    The default of ``name`` is ``module.function``; the module of a script or notebook is the name
    of its file.
    The run of a generator ends when it is exhausted or closed. ``lineage.current_run()`` is the run
    inside the function.
    """
    if function is None:
        return functools.partial(job, name=name, namespace=namespace)
    start = functools.partial(
        run, name or f"{module_name(function)}.{function.__qualname__}", namespace=namespace
    )
    return functools.wraps(function)(_choose_wrapper(function, start))


def _choose_wrapper(
    function: Callable[..., Any], start: Callable[[], ActiveRun]
) -> Callable[..., Any]:
    async def call_coroutine(*args: Any, **named: Any) -> Any:
        with start():
            return await function(*args, **named)

    # A generator function itself, because fixtures of pytest and others decide by that.
    def call_generator(*args: Any, **named: Any) -> Any:
        return (yield from run_generator(start(), function(*args, **named)))

    def call_function(*args: Any, **named: Any) -> Any:
        with start():
            return function(*args, **named)

    if inspect.iscoroutinefunction(function):
        return call_coroutine
    if inspect.isgeneratorfunction(function):
        return call_generator
    if inspect.isasyncgenfunction(function):
        return record_async_generator(function, start)
    return call_function
