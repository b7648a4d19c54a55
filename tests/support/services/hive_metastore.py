"""A Hive metastore as a separate service for several applications, run from Spark's jars."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from support.services.jvm import free_ports, java, server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

JARS = Path(pyspark.__file__).parent / "jars"


@contextmanager
def metastore(directory: Path) -> Iterator[str]:
    """Run a metastore whose database is below ``directory``. Yield its ``host:port``."""
    (port,) = free_ports(1)
    database = f"jdbc:derby:;databaseName={directory}/db;create=true"
    site(
        directory,
        {
            "javax.jdo.option.ConnectionURL": database,
            "datanucleus.schema.autoCreateAll": "true",
            "hive.metastore.schema.verification": "false",
            "hive.metastore.warehouse.dir": f"{directory}/wh",
            "hive.async.log.enabled": "false",  # requires a package that Spark does not contain
        },
    )
    classes = f"{directory}:{JARS}/*"
    main = "org.apache.hadoop.hive.metastore.HiveMetaStore"
    command = [java(), "-Xmx512m", "-XX:+UseSerialGC", "-cp", classes, main, "-p", str(port)]
    with server(command, port, directory):
        yield f"127.0.0.1:{port}"


def site(directory: Path, settings: Mapping[str, str]) -> None:
    """Write ``hive-site.xml``, the file of a cluster's Hive settings."""
    properties = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in settings.items()
    )
    text = f"<configuration>{properties}</configuration>"
    (directory / "hive-site.xml").write_text(text)
