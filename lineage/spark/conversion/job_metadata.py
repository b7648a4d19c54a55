"""Tags, owners and nominal time of a job, from its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openlineage.client.facet_v2 import nominal_time_run, ownership_job, tags_job, tags_run

from lineage.openlineage import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from openlineage.client import facet_v2

TAGS = "spark.lineage.tags"
NOMINAL_TIME = "spark.lineage.nominalTime"
JOB_TAGS = "spark.openlineage.job.tags"
RUN_TAGS = "spark.openlineage.run.tags"
OWNERS = "spark.openlineage.job.owners."

# Default source of a tag if the setting has none; OpenLineage's clients use the same value.
SOURCE = "CONFIG"


def run_labels(settings: Mapping[str, str]) -> dict[str, facet_v2.RunFacet]:
    """Build the facets of a run: its tags and its nominal time."""
    facets: dict[str, facet_v2.RunFacet] = {}
    if tags := _read_tags(settings, RUN_TAGS):
        fields = [tags_run.TagsRunFacetFields(**tag) for tag in tags]
        facets["tags"] = tags_run.TagsRunFacet(tags=fields)
    if times := _nominal_time(settings):
        start, *end = times
        facets["nominalTime"] = nominal_time_run.NominalTimeRunFacet(start, end[0] if end else None)
    return facets


def job_labels(settings: Mapping[str, str]) -> dict[str, facet_v2.JobFacet]:
    """Build the facets of a job: its tags and its owners."""
    facets: dict[str, facet_v2.JobFacet] = {}
    if tags := _read_tags(settings, JOB_TAGS):
        fields = [tags_job.TagsJobFacetFields(**tag) for tag in tags]
        facets["tags"] = tags_job.TagsJobFacet(tags=fields)
    owners = [
        ownership_job.Owner(name=owner, type=name.removeprefix(OWNERS))
        for name, owner in settings.items()
        if name.startswith(OWNERS) and owner
    ]
    if owners:
        facets["ownership"] = ownership_job.OwnershipJobFacet(owners=owners)
    return facets


def unreadable_settings(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of settings whose value cannot be parsed."""
    is_wrong = settings.get(NOMINAL_TIME) and not _nominal_time(settings)
    return (NOMINAL_TIME,) if is_wrong else ()


def _read_tags(settings: Mapping[str, str], openlineage: str) -> list[dict[str, Any]]:
    """Read the tags of ``spark.lineage.tags``, for job and run, and of openlineage-spark's setting.

    If both define a key, ``spark.lineage.tags`` takes precedence.
    """
    theirs = (_openlineage_tag(text) for text in _split_list(settings.get(openlineage, ""), ";"))
    ours = (_parse_tag(text) for text in _split_list(settings.get(TAGS, ""), ","))
    tags = {tag["key"]: tag for tag in (*theirs, *ours)}
    return [tag for key, tag in tags.items() if key]


def _split_list(text: str, separator: str) -> Iterator[str]:
    parts = text.strip().removeprefix("[").removesuffix("]").split(separator)
    return (part.strip() for part in parts if part.strip())


def _parse_tag(text: str) -> dict[str, str]:
    """Parse ``key:value``; the value may contain colons, and a key alone is true."""
    key, _, value = text.partition(":")
    return {"key": key.strip(), "value": value.strip() or "true", "source": SOURCE}


def _openlineage_tag(text: str) -> dict[str, str]:
    """Parse ``key``, ``key:value`` or ``key:value:source``; ignore the rest."""
    key, value, source = ([part.strip() for part in text.split(":")] + ["", ""])[:3]
    return {"key": key, "value": value or "true", "source": source or SOURCE}


def _nominal_time(settings: Mapping[str, str]) -> list[str]:
    """Parse ``start`` or ``start/end`` in ISO 8601; return an empty list if that fails."""
    parts = [part.strip() for part in settings.get(NOMINAL_TIME, "").split("/")]
    try:
        return [timestamps.normalize_time(part) for part in parts] if len(parts) <= 2 else []
    except ValueError:
        return []
