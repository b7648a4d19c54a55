"""Short names of jobs for people: ``report_delays → gold/delays_by_airline``."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from lineage.naming import target_label
from lineage.query.records import Column, Dataset, Job

from . import terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# Job names of the converter: {application}.{command}.{target} (lineage.naming.job_name). Names of
# other producers may have three parts too, so only commands of Spark are omitted.
_SPARK_JOB = re.compile(
    r"(?P<application>\w+)\.(?:\w+_command|write_to_stream|insert_into_\w+|append_data"
    r"|overwrite_\w+|(?:create|replace|create_or_replace)_table_as_select|replace_data|write_delta"
    r"|merge_into_\w+|(?:update|delete_from)\w*_table|save_as_\w+)\.(?P<target>[^.]+)"
)

# Attributes of records that are jobs or datasets.
_ENDS = ("job", "dataset", "source", "target", "reader", "writer")


def of_records(records: Iterable[object]) -> Mapping[Job, str]:
    """Return the short names of the jobs in records that are shown together."""
    ends = {getattr(record, name, None) for record in records for name in _ENDS}
    datasets = {end.dataset if isinstance(end, Column) else end for end in ends}
    return short_names(
        (end for end in ends if isinstance(end, Job)),
        (end for end in datasets if isinstance(end, Dataset)),
    )


def short_names(jobs: Iterable[Job], datasets: Iterable[Dataset]) -> Mapping[Job, str]:
    """Return distinct short names of jobs that are shown together with ``datasets``.

    The target in a name is replaced by the dataset with this label, if there is one. Jobs with
    equal short names have longer names. With ``--wide`` no name is shortened.
    """
    targets = _distinct_targets(datasets)
    forms = {job: list(dict.fromkeys(_name_forms(job, targets))) for job in jobs}
    while clashes := _clashing_jobs(forms):
        for job in clashes:
            del forms[job][0]
    return {job: names[0] for job, names in forms.items()}


def beside_target(job: Job, target: Dataset, names: Mapping[Job, str]) -> str:
    """Return the short name of a job beside a dataset that it writes: without the target."""
    application, arrow, _ = names[job].partition(" → ")
    match = _SPARK_JOB.fullmatch(job.name)
    if not arrow or not match or application != match["application"]:
        return names[job]
    is_alone = match["target"] == target_label(target.name) and application not in names.values()
    return application if is_alone else names[job]


def full_names(job: Job, names: Mapping[Job, str]) -> str:
    """Return the short name of a job, or else its name with the namespace."""
    name = names.get(job, job.name)
    return job.full_name if name == job.name else name


def _name_forms(job: Job, targets: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of a job, from the shortest to the full name, which is unique."""
    match = None if terminal.is_wide() else _SPARK_JOB.fullmatch(job.name)
    if match:
        yield f"{match['application']} → {targets.get(match['target'], match['target'])}"
    yield job.name
    yield job.full_name


def _clashing_jobs(forms: Mapping[Job, list[str]]) -> list[Job]:
    """Return the jobs that share their name with another job and have a longer name."""
    by_name: dict[str, list[Job]] = defaultdict(list)
    for job, names in forms.items():
        by_name[names[0]].append(job)
    return [
        job for jobs in by_name.values() if len(jobs) > 1 for job in jobs if len(forms[job]) > 1
    ]


def _distinct_targets(datasets: Iterable[Dataset]) -> dict[str, str]:
    """Return the text of each label that belongs to a single text."""
    texts: dict[str, set[str]] = defaultdict(set)
    for dataset in datasets:
        segments = [segment for segment in dataset.name.split("/") if segment]
        texts[target_label(dataset.name)].add("/".join(segments[-2:]))
    return {label: text for label, (text, *others) in texts.items() if text and not others}
