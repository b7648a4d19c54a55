"""An object store that answers as S3 does, on a free port."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
from moto.server import ThreadedMotoServer

if TYPE_CHECKING:
    from collections.abc import Iterator


def variables_of(options: dict[str, str]) -> dict[str, str]:
    """Return the environment variables from which the AWS SDKs read the same options."""
    return {
        "AWS_ENDPOINT_URL": options["endpoint_url"],
        "AWS_DEFAULT_REGION": options["region_name"],
        "AWS_ACCESS_KEY_ID": options["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": options["aws_secret_access_key"],
        "AWS_EC2_METADATA_DISABLED": "true",
    }


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
