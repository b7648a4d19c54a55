"""``lineage jar``: where the listener's jar is."""

from __future__ import annotations

import click

from lineage.spark import jar as jars


@click.command()
@click.option("--spark", metavar="VERSION", help="Version of Spark, such as 3.5 or 4.1.0.")
@click.option("--scala", metavar="VERSION", help="Version of Scala, where Spark has more than one.")
def jar(spark: str | None, scala: str | None) -> None:
    """Print the path of the listener's jar for the installed Spark, or for another.

    \b
    Example:
      spark-submit --jars $(lineage jar) \\
        --conf spark.extraListeners=io.lineage.spark.LineageListener job.py
    """
    wanted = jars.Spark(spark, scala) if spark else jars.installed()
    click.echo(jars.path(wanted.version, scala or wanted.scala))
