"""Names of datasets from paths and URLs, as programs write them."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from lineage import naming
from lineage.hub.events import Dataset

# Names of files may have a colon. URLs of file systems may have one slash, and those of JDBC none.
_URL = re.compile(
    r"(?i)[a-z][a-z0-9+.:-]+://|jdbc:"
    r"|(?:abfss?|adl|dbfs|file|gs|hdfs|maprfs|oss|s3[an]?|viewfs|wasbs?|webhdfs):/"
)


def dataset_at(
    location: str | bytes | os.PathLike[str] | Dataset, namespace: str | None = None
) -> Dataset:
    """Return the dataset at ``location``: a URL, or a path from the working directory.

    With ``namespace``, ``location`` is the name of the dataset as it is. User, password and the
    query of a URL are no part of a name. ``~`` is the home directory, as for pandas and fsspec.
    """
    if isinstance(location, Dataset):
        return location
    text = readable_text(os.fsdecode(location))
    if namespace is not None:
        return Dataset(namespace, text)
    if _URL.match(text):
        is_http = text.lower().startswith(("http:", "https:"))
        return Dataset(*naming.of_path(text.partition("#")[0] if is_http else text))
    return Dataset("file", absolute_path(os.path.expanduser(text)))


def readable_text(text: str) -> str:
    """Replace bytes of a file name that are not UTF-8, which JSON cannot represent."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def absolute_path(path: str) -> str:
    """Return the absolute path; ``path`` itself if the working directory was deleted."""
    try:
        return os.path.abspath(path)
    except OSError:
        return path


def portable_key(path: str | os.PathLike[str]) -> str | None:
    """Return ``${PROJECT_HOME}/…`` for a file in the project, and None for any other.

    The project is LINEAGE_PROJECT_HOME, else the git work tree of the working directory.
    """
    home = os.environ.get("LINEAGE_PROJECT_HOME") or _work_tree(absolute_path("."))
    if not home:
        return None
    home, file = absolute_path(home).rstrip("/"), absolute_path(os.fspath(path))
    return f"${{PROJECT_HOME}}{file[len(home) :]}" if file.startswith(f"{home}/") else None


@lru_cache(maxsize=64)
def _work_tree(directory: str) -> str | None:
    path = Path(directory)
    trees = (each for each in (path, *path.parents) if (each / ".git").exists())
    return next(map(str, trees), None)
