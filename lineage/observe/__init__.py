"""Observe reads and writes of Python programs: files, HTTP, S3, file systems of fsspec.

The observers of LINEAGE_OBSERVE (``lineage.observe.files``, ``requests``, ``databases``) need no
change of the program. The functions here are called with the client to observe.
"""

from __future__ import annotations

from lineage.lazy_exports import export_lazily

_MODULES = {
    "ObservedFileSystem": "observed_filesystem",
    "asgi": "middleware",
    "boto3": "s3",
    "filesystem": "observed_filesystem",
    "http": "clients",
    "wsgi": "middleware",
}

__getattr__, __dir__ = export_lazily("lineage.observe", _MODULES)
