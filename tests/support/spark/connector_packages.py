"""The tested connectors from Maven Central, each with the newest Spark it is released for.

Spark downloads them (``spark.jars.packages``). The releases of Spark come from PyPI.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Connector:
    """The coordinates of the packages, and the release of Spark they run on."""

    spark: str
    packages: tuple[str, ...]

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of Spark that load the packages."""
        return {"spark.jars.packages": ",".join(self.packages)}


DELTA = Connector("4.2.1", ("io.delta:delta-spark_4.2_2.13:4.4.0",))
ICEBERG = Connector(
    "4.1.4",
    (
        "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
        "org.xerial:sqlite-jdbc:3.50.3.0",  # a database for Iceberg's JDBC catalog
    ),
)
# The release of Hadoop that Spark has: its file systems of S3 and others depend on it.
HADOOP_AWS = Connector("4.3.0", ("org.apache.hadoop:hadoop-aws:3.5.0",))
# Iceberg by its own file system of S3, and Hadoop's, which reads its files.
ICEBERG_S3 = Connector(
    ICEBERG.spark,
    (
        *ICEBERG.packages,
        "org.apache.iceberg:iceberg-aws-bundle:1.12.0",
        "org.apache.hadoop:hadoop-aws:3.4.2",
    ),
)
# The newest releases whose jars are all on Maven Central.
KAFKA = Connector("4.0.5", ("org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0",))
AVRO = Connector("4.0.5", ("org.apache.spark:spark-avro_2.13:4.0.2",))
# A broker. Spark only downloads it.
KAFKA_SERVER = Connector("4.0.5", ("org.apache.kafka:kafka_2.13:3.9.1",))
