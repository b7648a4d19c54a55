"""Merge the many small files that a stream writes into a lake."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lineage.database.errors import translate_errors
from lineage.database.writer_lock import lock_exclusively
from lineage.errors import LakeError
from lineage.eventlog import archived
from lineage.eventlog.lake_files import flush_file, open_filesystem
from lineage.lake import layout
from lineage.lake.registration import count_events, register_in_place, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

    from lineage.eventlog.lake_files import LakeFile
    from lineage.lake.opening import Lake

# Files of similar size in a month that are merged: an event is written again three times at most.
FILES_TO_MERGE = 100


def merge_small_files(conn: psycopg.Connection[Any], lake: Lake, month: str) -> list[LakeFile]:
    """Merge the files of a month if there are 100 of similar size; return the new files.

    Only registered files whose events are in the graph are merged, and none with half a million
    events or more. The new files are registered in place of the old ones, in one transaction, and
    then the old ones are deleted. A table has the commands of its format for this, so nothing is
    done. Raises LakeError if the new files have other events than the old ones; nothing is changed
    then.
    """
    if lake.table is not None:
        return []
    merged: list[LakeFile] = []
    with archived.lock_files(conn):  # a fold would register the old files before they are deleted
        for files in _group_by_size(_list_projected(conn, lake, month)):
            if len(files) >= FILES_TO_MERGE:
                merged += _merge_files(conn, lake, month, files)
    return merged


def _list_projected(conn: psycopg.Connection[Any], lake: Lake, month: str) -> list[LakeFile]:
    present = set(lake.list_files(month)).difference(archived.unprojected_locations(conn))
    return [file for file in archived.archived_files(conn) if file.location in present]


def _group_by_size(files: Iterable[LakeFile]) -> list[list[LakeFile]]:
    """Group small files by size: up to 99 events, up to 9,999, up to 499,999."""
    groups: dict[int, list[LakeFile]] = defaultdict(list)
    for file in files:
        if 2 * file.events < layout.EVENTS_PER_FILE:
            groups[(len(str(file.events)) + 1) // 2].append(file)
    return list(groups.values())


def _merge_files(
    conn: psycopg.Connection[Any], lake: Lake, month: str, files: Sequence[LakeFile]
) -> list[LakeFile]:
    root = lake.find_location()
    # Readers ignore a name that begins with "_".
    unfinished = f"{root}/_unfinished-{uuid4().hex}"
    spark = lake.spark
    old = [layout.spark_path(file.location) for file in files]
    try:
        events = layout.read_parquet(spark, old)
        tasks = 1 + sum(file.events for file in files) // layout.EVENTS_PER_FILE
        divided = events.repartition(tasks, layout.key_of_run())
        ordered = divided.sortWithinPartitions("event_time", "sha256")
        ordered.write.option("compression", "zstd").parquet(unfinished)
        written = layout.read_parquet(spark, [unfinished])
        counted = count_events(lake, layout.read_locations(written), month)
        if sum_up(counted) != sum_up(files):
            raise LakeError(
                f"The merged files of {month} in {root} have other events than the files had.",
                "Nothing was changed. Run the command again.",
            )
        # If the command is killed between here and the registration, the next fold registers the
        # new files, too. The lake then has these events twice, which does not change the graph.
        new = [_move_file(lake, file, f"{root}/month={month}") for file in counted]
    finally:
        _delete_path(lake, unfinished)
    # A rebuild reads the registered files under this lock.
    with translate_errors(), conn.transaction():
        lock_exclusively(conn)
        register_in_place(conn, files, new)
    for path in old:
        _delete_path(lake, path)
    return new


def _move_file(lake: Lake, file: LakeFile, directory: str) -> LakeFile:
    source, system = layout.open_path(lake.spark, layout.spark_path(file.location))
    target = f"{directory}/{source.getName()}"
    if not system.rename(source, layout.open_path(lake.spark, target)[0]):
        raise LakeError(f"The file {file.location} cannot be moved to {directory}.")
    location = layout.stored_location(target)
    if "://" not in location:
        flush_file(*open_filesystem(location))  # the old files are deleted afterwards
    return replace(file, location=location)


def _delete_path(lake: Lake, path: str) -> None:
    hadoop, system = layout.open_path(lake.spark, path)
    system.delete(hadoop, True)
