"""The page is small enough to load at once on a slow network."""

from __future__ import annotations

import gzip

import pytest

from lineage.http.web.routes import STATIC

KB = 1024


@pytest.mark.skipif(not (STATIC / "index.html").exists(), reason="The web page is not built.")
@pytest.mark.parametrize(("pattern", "most"), [("*.js", 60 * KB), ("*.css", 8 * KB)])
def test_scripts_and_styles_keep_to_their_size(pattern: str, most: int):
    files = list(STATIC.glob(pattern))

    assert files
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= most
