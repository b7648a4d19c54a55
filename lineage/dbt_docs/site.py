"""Write a copy of dbt's documentation site with the files of the graph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lineage.dbt_docs.injection import Injected, inject_datasets
from lineage.dbt_docs.surroundings import read_surroundings
from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lineage.query.session import Session
    from lineage.readers.dbt.nodes import Project

# Placeholders in dbt's page, which dbt replaces by the files for a static page.
_PLACES = {"manifest": '"MANIFEST.JSON INLINE DATA"', "catalog": '"CATALOG.JSON INLINE DATA"'}
# Files of a target directory of dbt that are not part of its documentation.
_OF_A_TARGET = ("run_results.json", "partial_parse.msgpack", "graph.gpickle")
_NO_CATALOG = {
    "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json"},
    "nodes": {},
    "sources": {},
    "errors": None,
}


def write_site(
    session: Session,
    project: Project,
    target: Path,
    output: Path,
    names: Sequence[str] = (),
    *,
    static: bool = False,
) -> Injected:
    """Write the site into the directory ``output`` and return the additions.

    ``target`` has the files of dbt, which remain as they are. ``names``: datasets whose lineage is
    added, by default all of the project. ``static``: whether to write ``static_index.html``, which
    contains both files. Raises UsageError if ``output`` is a target directory of dbt, or if
    ``target`` has no page.
    """
    _check_output(target, output)
    page = _read_page(target, static=static)
    manifest = _read_json(target / "manifest.json")
    path = target / "catalog.json"
    catalog = _read_json(path) if path.exists() else json.loads(json.dumps(_NO_CATALOG))
    added = inject_datasets(manifest, catalog, project, read_surroundings(session, project, names))
    output.mkdir(parents=True, exist_ok=True)
    files = {"manifest": json.dumps(manifest), "catalog": json.dumps(catalog)}
    for name, text in files.items():
        (output / f"{name}.json").write_text(text, encoding="utf-8")
    (output / "index.html").write_text(page, encoding="utf-8")
    if static:
        for name, text in files.items():
            # The text is part of a script, which </script> or <!-- would end.
            page = page.replace(_PLACES[name], text.replace("<", "\\u003c"))
        (output / "static_index.html").write_text(page, encoding="utf-8")
    return added


def _check_output(target: Path, output: Path) -> None:
    if output.resolve() == target.resolve():
        raise UsageError(
            f"{output} is the target directory itself.",
            "Specify another directory: dbt and lineage import dbt read the files in this one.",
        )
    for name in _OF_A_TARGET:
        if (output / name).exists():
            raise UsageError(
                f"{output} is a target directory of dbt: it has {name}.",
                "Specify another directory.",
            )


def _read_page(target: Path, *, static: bool) -> str:
    path = target / "index.html"
    try:
        page = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"There is no index.html in {target}.", "Run: dbt docs generate") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    if static and not all(page.count(place) == 1 for place in _PLACES.values()):
        raise UsageError(
            f"{path} is not a page of dbt into which its files can be written.",
            "Leave out --static, and serve the directory: python -m http.server",
        )
    return page


def _read_json(path: Path) -> dict[str, Any]:
    """Return a file that was read before, by its types."""
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content
