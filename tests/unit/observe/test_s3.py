"""Calls of S3 by boto3, to a server that answers as S3 does."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError
from support.services.object_store import object_store
from support.services.observed import observe_run

import lineage
from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def options() -> Iterator[dict[str, str]]:
    """Run a server with the bucket ``lake`` and the object ``in``; return options of clients."""
    with object_store("lake") as chosen:
        boto3.client("s3", **chosen).put_object(Bucket="lake", Key="raw/in", Body=b"12345")
        yield chosen


def get(s3: Any) -> None:
    assert s3.get_object(Bucket="lake", Key="raw/in")["Body"].read() == b"12345"


def get_missing(s3: Any) -> None:
    with pytest.raises(ClientError):
        s3.get_object(Bucket="lake", Key="none")


def upload_in_parts(s3: Any) -> None:
    small = TransferConfig(multipart_threshold=1, multipart_chunksize=5 * 2**20, use_threads=False)
    s3.upload_fileobj(io.BytesIO(b"x" * (6 * 2**20)), "lake", "parts", Config=small)


def download(s3: Any) -> None:
    s3.download_fileobj("lake", "raw/in", io.BytesIO(), Config=TransferConfig(use_threads=False))


def delete_many(s3: Any) -> None:
    s3.delete_objects(Bucket="lake", Delete={"Objects": [{"Key": "x"}, {"Key": "y"}]})


IN = "s3://lake|raw/in"
CASES: dict[str, tuple[Callable[[Any], object], list[str], list[str]]] = {
    "GetObject": (get, [IN], []),
    "GetObject of what is not there": (get_missing, [], []),
    "PutObject": (
        lambda s3: s3.put_object(Bucket="lake", Key="out", Body=b"123"), [], ["s3://lake|out"]),
    "CopyObject": (
        lambda s3: s3.copy_object(Bucket="lake", Key="copy", CopySource="lake/raw/in"),
        [IN], ["s3://lake|copy"]),
    "CopyObject by a dictionary": (
        lambda s3: s3.copy_object(
            Bucket="lake", Key="copy", CopySource={"Bucket": "lake", "Key": "raw/in"}),
        [IN], ["s3://lake|copy"]),
    "DeleteObject": (
        lambda s3: s3.delete_object(Bucket="lake", Key="copy"), [], ["s3://lake|copy"]),
    "DeleteObjects": (delete_many, [], ["s3://lake|x", "s3://lake|y"]),
    "an upload in parts": (upload_in_parts, [], ["s3://lake|parts"]),
    "a download": (download, [IN], []),
    "HeadObject, ListObjectsV2": (
        lambda s3: (s3.head_object(Bucket="lake", Key="raw/in"), s3.list_objects_v2(Bucket="lake")),
        [], []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_seen_of_s3(options: dict[str, str], tmp_path: Path, case: str):
    act, inputs, outputs = CASES[case]
    client = lineage.observe.boto3(lineage.observe.boto3(boto3.client("s3", **options)))
    with observe_run(tmp_path / "spool", "http") as observed:
        act(client)
    assert (observed.inputs, observed.outputs) == (inputs, outputs)


def test_sizes_and_lifecycles(options: dict[str, str], tmp_path: Path):
    client = lineage.observe.boto3(boto3.client("s3", **options))
    with observe_run(tmp_path / "spool") as observed:
        get(client)
        get(client)
        client.put_object(Bucket="lake", Key="out", Body=b"123")
        client.delete_object(Bucket="lake", Key="old")
    assert observed.size(IN) == 10
    assert observed.size("s3://lake|out") == 3
    assert observed.change("s3://lake|out") == "OVERWRITE"
    assert observed.change("s3://lake|old") == "DROP"


def test_a_session_observes_its_later_clients_and_a_resource_its_own(
    options: dict[str, str], tmp_path: Path
):
    session = lineage.observe.boto3(boto3.Session())
    with observe_run(tmp_path / "spool") as observed:
        get(session.client("s3", **options))
    assert observed.inputs == [IN]
    resource = lineage.observe.boto3(boto3.resource("s3", **options))
    with observe_run(tmp_path / "spool") as observed:
        resource.Object("lake", "out").put(Body=b"1")
    assert observed.outputs == ["s3://lake|out"]


def test_a_client_that_is_not_observed_is_not_seen(options: dict[str, str], tmp_path: Path):
    with observe_run(tmp_path / "spool") as observed:
        get(boto3.client("s3", **options))
    assert observed.inputs == []


def test_the_observer_of_http_sees_its_requests_without_a_status(
    options: dict[str, str], tmp_path: Path
):
    with observe_run(tmp_path / "spool", "http") as observed:
        get(boto3.client("s3", **options))
    assert observed.inputs == []
    assert [item["url"] for item in observed.items] == [f"{options['endpoint_url']}/lake/raw/in"]


def test_any_other_object_is_an_error():
    with pytest.raises(UsageError, match=r"A builtins\.dict cannot be observed"):
        lineage.observe.boto3({})
