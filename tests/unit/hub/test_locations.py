"""What a location is: the URL of a dataset, or a path as ``open()`` takes it."""

from __future__ import annotations

import os

import pytest

from lineage.hub.events import Dataset
from lineage.hub.locations import dataset_at


@pytest.mark.parametrize(
    "path",
    ["backup-2024-01-01T10:00:00.csv", "orders:v2.parquet", "data:2024/x.csv", "file:x", "C:/x"],
)
def test_a_path_may_have_a_colon(path: str) -> None:
    assert dataset_at(path) == Dataset("file", os.path.abspath(path))


def test_a_path_may_begin_with_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert dataset_at("~/x.csv") == Dataset("file", "/home/ann/x.csv")
    assert dataset_at("x~/y.csv") == Dataset("file", os.path.abspath("x~/y.csv"))
    assert dataset_at("~/x.csv", "shop") == Dataset("shop", "~/x.csv"), "a name is as it is"


@pytest.mark.parametrize(
    ("url", "dataset"),
    [
        ("s3a://lake/raw/orders", Dataset("s3://lake", "raw/orders")),
        ("kafka+ssl://broker:9092/orders", Dataset("kafka+ssl://broker:9092", "/orders")),
        ("file:/data/x.csv", Dataset("file", "/data/x.csv")),
        ("FILE:/data/x.csv", Dataset("file", "/data/x.csv")),
        ("dbfs:/mnt/x", Dataset("dbfs", "/mnt/x")),
        ("hdfs:/user/x", Dataset("hdfs", "/user/x")),
        ("wasb:/x", Dataset("wasbs://", "x")),
        ("s3a:/b/k?secret=1", Dataset("s3://", "b/k?secret=***")),
        ("jdbc:sqlite:/tmp/x.db", Dataset("jdbc", "sqlite:/tmp/x.db")),
    ],
)
def test_a_url_has_an_authority_or_the_scheme_of_a_file_system(url: str, dataset: Dataset) -> None:
    assert dataset_at(url) == dataset
