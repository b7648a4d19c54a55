"""``lineage jar``: the path of the listener's jar."""

from __future__ import annotations

import click

from lineage.spark.launcher import jar as jars

from .output import render, terminal


@click.command()
@click.option(
    "--spark",
    metavar="VERSION",
    help="Version of Spark, such as 3.5 or 4.1.0.  [default: the installed]",
)
@click.option("--scala", metavar="VERSION", help="Version of Scala of this Spark, such as 2.13.")
@click.option("--list", "listed", is_flag=True, help="List the supported versions.")
def jar(spark: str | None, scala: str | None, listed: bool) -> None:
    """Print the path of the listener's jar for the installed Spark or another version.

    \b
    Example:
      spark-submit --jars $(lineage jar) \\
        --conf spark.extraListeners=io.lineage.spark.LineageListener job.py
    """
    if listed:
        packaged = jars.packaged_jar()
        rows = [
            {"Spark": line.version, "Scala": line.scala, "jar": packaged.name}
            for line in jars.supported_lines(packaged)
        ]
        terminal.write_lines(render.table_lines(rows, ["Spark", "Scala", "jar"]))
    else:
        requested = jars.Spark(spark, scala) if spark else jars.installed_spark()
        terminal.write_line(str(jars.jar_path(requested.version, scala or requested.scala)))
