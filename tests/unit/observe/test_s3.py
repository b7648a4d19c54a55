"""Calls of S3 by boto3, to a server that answers as S3 does."""

from __future__ import annotations

import inspect
import io
import threading
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


def upload_in_threads(s3: Any) -> None:
    small = TransferConfig(multipart_threshold=1, multipart_chunksize=5 * 2**20)
    s3.upload_fileobj(io.BytesIO(b"x" * (6 * 2**20)), "lake", "parts", Config=small)


def download_in_threads(s3: Any) -> None:
    s3.download_fileobj("lake", "raw/in", io.BytesIO())


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
    "upload_fileobj": (
        lambda s3: s3.upload_fileobj(io.BytesIO(b"1"), "lake", "out"), [], ["s3://lake|out"]),
    "upload_fileobj in parts": (upload_in_threads, [], ["s3://lake|parts"]),
    "download_fileobj": (download_in_threads, [IN], []),
    "copy": (
        lambda s3: s3.copy({"Bucket": "lake", "Key": "raw/in"}, "lake", "copy"),
        [IN], ["s3://lake|copy"]),
    "CopyObject of an object to itself": (
        lambda s3: s3.copy_object(
            Bucket="lake", Key="raw/in", CopySource="lake/raw/in", MetadataDirective="REPLACE"),
        [], []),
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


def copy_object(s3: Any, source: str, target: str) -> None:
    s3.copy_object(Bucket="lake", Key=target, CopySource={"Bucket": "lake", "Key": source})


def copy_in_parts(s3: Any, source: str, target: str) -> None:
    small = TransferConfig(multipart_threshold=1, multipart_chunksize=5 * 2**20)
    s3.copy({"Bucket": "lake", "Key": source}, "lake", target, Config=small)


@pytest.mark.parametrize("copy", [copy_object, copy_in_parts])
def test_each_copy_has_its_own_source(
    options: dict[str, str], tmp_path: Path, copy: Callable[[Any, str, str], None]
):
    client = lineage.observe.boto3(boto3.client("s3", **options))
    for name in ("a", "b"):
        client.put_object(Bucket="lake", Key=f"staging/{name}", Body=b"1" * 6 * 2**20)
    with observe_run(tmp_path / "spool") as observed:
        for name in ("a", "b"):
            copy(client, f"staging/{name}", f"gold/{name}")
        copy(client, "gold/a", "again")
    assert observed.inputs == ["s3://lake|staging/a", "s3://lake|staging/b"]
    assert observed.outputs == ["s3://lake|again", "s3://lake|gold/a", "s3://lake|gold/b"]
    assert observed.sources("s3://lake|gold/a") == ["s3://lake|staging/a"]
    assert observed.sources("s3://lake|gold/b") == ["s3://lake|staging/b"]
    assert observed.sources("s3://lake|again") == ["s3://lake|staging/a"]


def test_an_object_of_copied_parts_and_others_comes_from_all_inputs(
    options: dict[str, str], tmp_path: Path
):
    client = lineage.observe.boto3(boto3.client("s3", **options))
    part = b"1" * 5 * 2**20
    for name in ("x", "y"):
        client.put_object(Bucket="lake", Key=name, Body=part)

    def join_parts(key: str, *sources: str) -> None:
        upload = {
            "Bucket": "lake",
            "Key": key,
            "UploadId": client.create_multipart_upload(Bucket="lake", Key=key)["UploadId"],
        }
        tags = [
            client.upload_part_copy(**upload, PartNumber=number, CopySource=source)[
                "CopyPartResult"
            ]["ETag"]
            if source
            else client.upload_part(**upload, PartNumber=number, Body=part)["ETag"]
            for number, source in enumerate(sources, 1)
        ]
        parts = [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]
        client.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})

    with observe_run(tmp_path / "spool") as observed:
        get(client)
        join_parts("both", "lake/x", "lake/y")
        join_parts("mixed", "lake/x", "")
    assert observed.sources("s3://lake|both") == ["s3://lake|x", "s3://lake|y"]
    assert observed.sources("s3://lake|mixed") is None


def test_own_objects_are_no_inputs_and_removed_ones_no_outputs(
    options: dict[str, str], tmp_path: Path
):
    client = lineage.observe.boto3(boto3.client("s3", **options))
    with observe_run(tmp_path / "spool") as observed:
        get(client)
        client.put_object(Bucket="lake", Key="tmp", Body=b"1")
        client.get_object(Bucket="lake", Key="tmp")["Body"].read()
        copy_object(client, "tmp", "out")
        client.delete_object(Bucket="lake", Key="tmp")
    assert observed.inputs == [IN]
    assert observed.outputs == ["s3://lake|out"]
    assert observed.sources("s3://lake|out") is None


def run_in_thread(function: Callable[..., object], *args: object) -> None:
    thread = threading.Thread(target=function, args=args)
    thread.start()
    thread.join()


def test_threads_belong_to_the_run_in_which_the_client_was_passed(
    options: dict[str, str], tmp_path: Path
):
    earlier = lineage.observe.boto3(boto3.client("s3", **options))
    with observe_run(tmp_path / "spool") as observed:
        run_in_thread(get, earlier)
        assert observed.run.content.inputs == {}, "a thread of the program without a run"
        client = lineage.observe.boto3(boto3.client("s3", **options))
        run_in_thread(get, client)
    assert observed.inputs == [IN]
    get(client)  # without a run


@pytest.mark.parametrize("process", [False, True])
def test_a_transfer_belongs_to_the_innermost_run_of_its_caller(
    options: dict[str, str], tmp_path: Path, *, process: bool
):
    client = lineage.observe.boto3(boto3.client("s3", **options))
    with observe_run(tmp_path / "spool", process=process) as observed:
        with lineage.run("inner") as inner:
            download_in_threads(client)
        assert [name for _, name in inner.content.inputs] == ["raw/in"]
        assert observed.run.content.inputs == {}
        others: list[Any] = []
        run_in_thread(lambda: others.append(lineage.run("beside").__enter__()))
        download_in_threads(client)
        others[0].end_run()
        assert others[0].content.inputs == {}
    assert observed.inputs == [IN]


TRANSFERS: dict[str, Callable[[Any, str], object]] = {
    "upload_file": lambda s3, path: s3.upload_file(path, "lake", "log"),
    "upload_fileobj": lambda s3, path: s3.upload_fileobj(io.BytesIO(b"1"), "lake", "log"),
    "upload_fileobj in parts": lambda s3, path: upload_in_threads(s3),
    "download_file": lambda s3, path: s3.download_file("lake", "raw/in", path),
    "download_fileobj": lambda s3, path: download_in_threads(s3),
    "copy": lambda s3, path: copy_in_parts(s3, "raw/in", "copy"),
}


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("owner", ["client", "session", "resource"])
def test_a_transfer_of_a_thread_without_a_run_belongs_to_no_run(
    options: dict[str, str], tmp_path: Path, owner: str, transfer: str
):
    if owner == "client":
        client = lineage.observe.boto3(boto3.client("s3", **options))
    elif owner == "session":
        client = lineage.observe.boto3(boto3.Session()).client("s3", **options)
    else:
        client = lineage.observe.boto3(boto3.resource("s3", **options)).meta.client
    path = tmp_path / "file"
    path.write_bytes(b"1")
    with observe_run(tmp_path / "spool") as observed:
        get(client)
        run_in_thread(TRANSFERS[transfer], client, str(path))
        assert observed.run.content.outputs == {}
        download_in_threads(client)
    assert (observed.inputs, observed.outputs) == ([IN], [])
    assert observed.size(IN) == 10, "read by the run itself, and downloaded by it"


def test_a_transfer_belongs_to_its_caller_and_not_to_the_run_that_passed_the_client(
    options: dict[str, str], tmp_path: Path
):
    def upload_in_own_run(s3: Any) -> None:
        with lineage.run("other") as other:
            s3.upload_fileobj(io.BytesIO(b"1"), "lake", "of-other")
        others.append(other)

    others: list[Any] = []
    with observe_run(tmp_path / "spool") as observed:
        client = lineage.observe.boto3(boto3.client("s3", **options))
        run_in_thread(upload_in_own_run, client)
        run_in_thread(download_in_threads, client)
    assert [name for _, name in others[0].content.outputs] == ["of-other"]
    assert (observed.inputs, observed.outputs) == ([IN], [])


def test_a_transfer_keeps_the_signature_and_the_errors_of_boto3(
    options: dict[str, str], tmp_path: Path
):
    plain = boto3.client("s3", **options)
    client = lineage.observe.boto3(lineage.observe.boto3(boto3.client("s3", **options)))
    assert inspect.signature(client.upload_file) == inspect.signature(plain.upload_file)
    with observe_run(tmp_path / "spool") as observed:
        for each in (plain, client):
            with pytest.raises(ClientError, match="404"):
                each.download_fileobj("lake", "none", io.BytesIO())
    assert observed.inputs == []


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
