"""Parse the jobs and datasets of events; each distinct text is parsed once."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from lineage.errors import InvalidEvent
from lineage.openlineage.events import Dataset, Facets, Job, Name
from lineage.openlineage.interning import InternedParser
from lineage.openlineage.jsonb import has_no_sign
from lineage.openlineage.validation import (
    NULL,
    Named,
    OddNamespace,
    decode_at,
    decode_members,
    report_shortened,
    validate_key,
)

_NOTHING: Facets = {}
# Estimated memory in addition to the text: of a job or dataset, and of each name or facet.
_BYTES, _BYTES_EACH = 450, 200


class _Job(Named):
    facets: dict[str, Raw] | None = None


class _Dataset(_Job, rename="camel"):
    input_facets: dict[str, Raw] | None = None
    output_facets: dict[str, Raw] | None = None


class _Loose(Named, rename="camel"):
    """A job or a dataset whose facets may have the wrong type."""

    facets: Raw = NULL
    input_facets: Raw = NULL
    output_facets: Raw = NULL


class _SymlinksFacet(Struct):
    identifiers: list[Raw] | None = None
    deleted: Any = msgspec.field(default=None, name="_deleted")


_DATASET = msgspec.json.Decoder(_Dataset)
_LOOSE = msgspec.json.Decoder(_Loose)
_SYMLINKS = msgspec.json.Decoder(_SymlinksFacet)
_NAMED = msgspec.json.Decoder(Named)
_LIST = msgspec.json.Decoder(list[Raw])


def read_dataset(text: bytes | Raw, path: str) -> Dataset:
    """Parse a dataset that is described, not read or written."""
    body, omitted = _decode_entity(text, path)
    return _build_dataset(body, None, omitted, path)


def _read_job(text: bytes, path: str) -> Job:
    body, omitted = _decode_entity(text, path)
    name = validate_key(body, path)
    return Job(name, body.facets or _NOTHING, (*report_shortened(body, name), *omitted))


def _read_input(text: bytes, path: str) -> Dataset:
    body, omitted = _decode_entity(text, path)
    return _build_dataset(body, body.input_facets, omitted, path)


def _read_output(text: bytes, path: str) -> Dataset:
    body, omitted = _decode_entity(text, path)
    return _build_dataset(body, body.output_facets, omitted, path)


def _decode_entity(text: bytes | Raw, path: str) -> tuple[_Dataset, list[str]]:
    """Parse a job or a dataset, and collect its parts that cannot be read.

    Raises InvalidEvent if its name cannot be read.
    """
    omitted: list[str] = []
    try:
        return _DATASET.decode(text), omitted
    except (msgspec.MsgspecError, RecursionError):
        loose = decode_at(_LOOSE, text, path)
    facets = (
        decode_members(body, name, omitted)
        for name, body in (
            ("facets", loose.facets),
            ("inputFacets", loose.input_facets),
            ("outputFacets", loose.output_facets),
        )
    )
    return _Dataset(loose.namespace, loose.name, *facets), omitted


def _build_dataset(
    body: _Dataset, own: dict[str, Raw] | None, omitted: list[str], path: str
) -> Dataset:
    name = validate_key(body, path)
    facets = body.facets or _NOTHING
    aliases = _read_aliases(facets["symlinks"], name, omitted, path) if "symlinks" in facets else ()
    return Dataset(
        name, facets, own or _NOTHING, aliases, (*report_shortened(body, name), *omitted)
    )


def _read_aliases(body: Raw, name: Name, omitted: list[str], path: str) -> tuple[Name, ...]:
    """Return the valid names in a symlinks facet; the name of the dataset itself if it is deleted.

    A dataset that is its own alias has no other: see lineage.projection.aliases.
    """
    if body == NULL:
        return ()
    path = f"{path}.facets.symlinks"
    try:
        facet = decode_at(_SYMLINKS, body, path)
    except InvalidEvent as error:
        omitted.append(error.message)
        return ()
    if facet.deleted is True:
        return (name,)
    names = []
    for n, identifier in enumerate(facet.identifiers or ()):
        place = f"{path}.identifiers[{n}]"
        try:
            alias = decode_at(_NAMED, identifier, place)
            names.append(validate_key(alias, place))
            omitted += [f"{place}: {each}" for each in report_shortened(alias, names[-1])]
        except OddNamespace:
            raise
        except InvalidEvent as error:
            omitted.append(error.message)
    return tuple(dict.fromkeys(alias for alias in names if alias != name))


def _size_of_job(text: bytes, job: Job) -> int:
    return len(text) + _BYTES + _BYTES_EACH * len(job.facets)


def _size_of_dataset(text: bytes, dataset: Dataset) -> int:
    each = len(dataset.aliases) + len(dataset.facets) + len(dataset.access_facets)
    return len(text) + _BYTES + _BYTES_EACH * each


def _size_of_datasets(text: bytes, datasets: tuple[Dataset, ...]) -> int:
    return len(text) + sum(_size_of_dataset(b"", each) for each in datasets)


JOBS = InternedParser(_read_job, size_of=_size_of_job)
INPUTS = InternedParser(_read_input, size_of=_size_of_dataset)
OUTPUTS = InternedParser(_read_output, size_of=_size_of_dataset)


def read_datasets(
    of: InternedParser[bytes, Dataset], texts: list[Raw], path: str
) -> tuple[Dataset, ...]:
    """Parse the inputs or outputs in the list at ``path``."""
    return tuple([of.parse_at(bytes(text), f"{path}[{n}]") for n, text in enumerate(texts)])


def read_readable_datasets(
    of: InternedParser[bytes, Dataset], texts: list[Raw], path: str, omitted: list[str]
) -> tuple[Dataset, ...]:
    """Parse the readable ones; add the errors of the others to ``omitted``."""
    readable = []
    for n, text in enumerate(texts):
        try:
            readable.append(of.parse_at(bytes(text), f"{path}[{n}]"))
        except OddNamespace:
            raise
        except InvalidEvent as error:
            omitted.append(error.message)
    return tuple(readable)


def _fragment_of(text: bytes) -> bytes:
    if not has_no_sign(text):
        raise InvalidEvent("The fragment may contain values that PostgreSQL cannot store.")
    return text


def _piece_of_jobs(text: bytes, path: str) -> Job:
    return JOBS.parse_at(_fragment_of(text), path)


def _piece_of_inputs(text: bytes, path: str) -> tuple[Dataset, ...]:
    return read_datasets(INPUTS, decode_at(_LIST, _fragment_of(text), path), path)


def _piece_of_outputs(text: bytes, path: str) -> tuple[Dataset, ...]:
    return read_datasets(OUTPUTS, decode_at(_LIST, _fragment_of(text), path), path)


# By the text of fragments, which are checked for values that PostgreSQL cannot store.
PIECES_OF_JOBS = InternedParser(_piece_of_jobs, size_of=_size_of_job)
PIECES_OF_INPUTS = InternedParser(_piece_of_inputs, size_of=_size_of_datasets)
PIECES_OF_OUTPUTS = InternedParser(_piece_of_outputs, size_of=_size_of_datasets)
