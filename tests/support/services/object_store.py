"""An object store that answers as S3 does, on a free port."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
from moto.server import ThreadedMotoServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def object_store(bucket: str) -> Iterator[dict[str, str]]:
    """Run the store with an empty bucket; yield the options of boto3's clients."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {
        "endpoint_url": f"http://{host}:{port}",
        "region_name": "us-east-1",
        "aws_access_key_id": "key",
        "aws_secret_access_key": "secret",
    }
    try:
        boto3.client("s3", **options).create_bucket(Bucket=bucket)
        yield options
    finally:
        server.stop()
