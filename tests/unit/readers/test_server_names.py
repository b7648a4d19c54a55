"""Names of datasets of a server."""

from __future__ import annotations

import pytest

from lineage.naming import DatasetName
from lineage.readers.server_names import ServerNames

SERVER = "databricks://h"


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("main", "s", "t"), DatasetName(SERVER, "main.s.t")),
        (("delta", "s3://b/x/"), DatasetName("s3://b", "x")),
        (("parquet", "dbfs:/x"), DatasetName("dbfs", "/x")),
        (("parquet", "/x"), DatasetName(SERVER, "parquet./x")),
        (("other", "main", "s", "t"), DatasetName("databricks://other", "main.s.t")),
    ],
)
def test_a_table_by_its_path_is_the_dataset_of_the_path(
    parts: tuple[str, ...], name: DatasetName
) -> None:
    assert ServerNames(SERVER).name_dataset(parts) == name
