"""The listener in a Spark session that a notebook or a script builds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lineage.settings import expand_home
from lineage.spark.launcher import driver_exit, jar
from lineage.spark.launcher.submit import LISTENER, join_names

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any, Protocol

    class Builder(Protocol):
        """The methods used of ``pyspark.sql.SparkSession.Builder``."""

        def config(self, key: str, value: str, /) -> Any: ...


B = TypeVar("B", bound="Builder")


def configure(
    builder: B,
    *,
    spool: str | os.PathLike[str] | None = None,
    namespace: str | None = None,
    spark: str | None = None,
    **settings: str,
) -> B:
    """Add the listener's jar, the listener and its settings to the builder, and return it.

    Jars and listeners in the builder are preserved. ``spool`` is the directory for plan documents,
    and ``namespace`` the namespace of the jobs. ``spark`` is the version of Spark, if it is not the
    installed one. ``settings`` are other settings ``spark.lineage.*``, such as ``url="https://…"``.
    Call it before ``getOrCreate()``. An uncaught exception of this process is reported to the
    listener. Raises ``JarError`` if no jar supports the version of Spark.
    """
    options: Mapping[str, str] = getattr(builder, "_options", {})
    path = jar.jar_path(spark) if spark else jar.jar_path(*jar.installed_spark())
    ours = {
        "spark.jars": join_names(options.get("spark.jars"), str(path)),
        "spark.extraListeners": join_names(options.get("spark.extraListeners"), LISTENER),
        **{f"spark.lineage.{name}": value for name, value in settings.items()},
    }
    if spool is not None:
        ours["spark.lineage.spool"] = str(expand_home(spool))
    if namespace is not None:
        ours["spark.lineage.namespace"] = namespace
    driver_exit.watch_exceptions()
    for key, value in ours.items():
        builder.config(key, value)
    return builder
