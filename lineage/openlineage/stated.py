"""Jobs and datasets as events state them. What many events say in the same words is read once."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from lineage.errors import InvalidEvent
from lineage.openlineage.checked import Named, decoded, key
from lineage.openlineage.events import Dataset, Facets, Job, Name
from lineage.openlineage.repeated import Repeated
from lineage.openlineage.storable import has_no_sign

_NOTHING: Facets = {}
_NULL = Raw(b"null")


class _Job(Named):
    facets: dict[str, Raw] | None = None


class _Dataset(_Job, rename="camel"):
    input_facets: dict[str, Raw] | None = None
    output_facets: dict[str, Raw] | None = None


class _SymlinksFacet(Struct):
    identifiers: list[Named] | None = None


_JOB = msgspec.json.Decoder(_Job)
_DATASET = msgspec.json.Decoder(_Dataset)
_SYMLINKS = msgspec.json.Decoder(_SymlinksFacet)
_LIST = msgspec.json.Decoder(list[Raw])


def dataset(text: bytes | Raw, path: str) -> Dataset:
    """Return a dataset that is described, and neither read nor written."""
    return _dataset(decoded(_DATASET, text, path), None, path)


def _job(text: bytes, path: str) -> Job:
    given = decoded(_JOB, text, path)
    return Job(key(given, path), given.facets or _NOTHING)


def _input(text: bytes, path: str) -> Dataset:
    given = decoded(_DATASET, text, path)
    return _dataset(given, given.input_facets, path)


def _output(text: bytes, path: str) -> Dataset:
    given = decoded(_DATASET, text, path)
    return _dataset(given, given.output_facets, path)


def _dataset(given: _Dataset, own: dict[str, Raw] | None, path: str) -> Dataset:
    name = key(given, path)
    facets = given.facets or _NOTHING
    aliases = _aliases(facets["symlinks"], name, path) if "symlinks" in facets else ()
    return Dataset(name, facets, own or _NOTHING, aliases)


def _aliases(body: Raw, name: Name, path: str) -> tuple[Name, ...]:
    if body == _NULL:
        return ()
    path = f"{path}.facets.symlinks"
    stated = decoded(_SYMLINKS, body, path).identifiers or ()
    names = [key(given, f"{path}.identifiers[{n}]") for n, given in enumerate(stated)]
    return tuple(dict.fromkeys(alias for alias in names if alias != name))


JOBS = Repeated(_job)
INPUTS = Repeated(_input)
OUTPUTS = Repeated(_output)


def datasets(of: Repeated[Dataset], texts: list[Raw], path: str) -> tuple[Dataset, ...]:
    """Return the inputs or outputs that stand in a list at ``path``."""
    return tuple([of.at(bytes(text), f"{path}[{n}]") for n, text in enumerate(texts)])


def _piece(text: bytes) -> bytes:
    if not has_no_sign(text):
        raise InvalidEvent("What PostgreSQL may be unable to store is looked for in whole events.")
    return text


def _piece_of_jobs(text: bytes, path: str) -> Job:
    return JOBS.at(_piece(text), path)


def _piece_of_inputs(text: bytes, path: str) -> tuple[Dataset, ...]:
    return datasets(INPUTS, decoded(_LIST, _piece(text), path), path)


def _piece_of_outputs(text: bytes, path: str) -> tuple[Dataset, ...]:
    return datasets(OUTPUTS, decoded(_LIST, _piece(text), path), path)


# By the text of pieces, of which nobody has seen yet whether PostgreSQL can store them.
PIECES_OF_JOBS = Repeated(_piece_of_jobs)
PIECES_OF_INPUTS = Repeated(_piece_of_inputs)
PIECES_OF_OUTPUTS = Repeated(_piece_of_outputs)
