"""Sessions for many small jobs, whose main cost is the start of the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.spark import java

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "1",
    **java.WITHOUT_CODE_GENERATION,
    "spark.driver.extraJavaOptions": java.options(),
}


def session(builder: Any, directory: str, settings: Mapping[str, str] | None = None) -> Any:
    """Return the session of ``builder`` with these settings, its warehouse in ``DIRECTORY/wh``."""
    given = {**SETTINGS, "spark.sql.warehouse.dir": f"{directory}/wh", **(settings or {})}
    for key, value in given.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
