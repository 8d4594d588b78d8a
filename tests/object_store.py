"""A local S3 server for tests of remote files, which needs moto and s3fs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class ObjectStore:
    """A bucket of a local S3 server.

    Args:
        client: The client of boto3.
        endpoint: The URL of the server.
    """

    bucket = "tests"
    url = "s3://tests"

    def __init__(self, client: Any, endpoint: str) -> None:
        self.client = client
        self.endpoint = endpoint
        self.environment = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "no_proxy": "127.0.0.1",
        }

    def put(self, key: str, content: bytes) -> str:
        self.client.put_object(Bucket=self.bucket, Key=key, Body=content)
        return f"{self.url}/{key}"

    def get(self, key: str) -> bytes:
        content: bytes = self.client.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return content

    def keys(self) -> list[str]:
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=self.bucket).get("Contents", [])]

    def uploads(self) -> list[str]:
        """Returns the names of objects of which parts were sent, but which are not complete."""
        return [entry["Key"] for entry in self.client.list_multipart_uploads(Bucket=self.bucket).get("Uploads", [])]

    def parts(self, key: str) -> int:
        """Returns the number of parts that were sent of an object that is not complete."""
        uploads = self.client.list_multipart_uploads(Bucket=self.bucket).get("Uploads", [])
        ids = [entry["UploadId"] for entry in uploads if entry["Key"] == key]
        listed = [self.client.list_parts(Bucket=self.bucket, Key=key, UploadId=name) for name in ids]
        return sum(len(answer.get("Parts", [])) for answer in listed)

    def clear(self) -> None:
        for key in self.keys():
            self.client.delete_object(Bucket=self.bucket, Key=key)


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Runs a server with an empty bucket; skips the test without its packages."""
    for package in ("fsspec", "s3fs", "moto.server", "boto3"):
        pytest.importorskip(package, reason=f"remote files are tested with {package.partition('.')[0]}")
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        keys = {"aws_access_key_id": "tests", "aws_secret_access_key": "tests", "region_name": "us-east-1"}
        client = boto3.client("s3", endpoint_url=endpoint, **keys)
        client.create_bucket(Bucket=ObjectStore.bucket)
        yield ObjectStore(client, endpoint)
    finally:
        server.stop()
