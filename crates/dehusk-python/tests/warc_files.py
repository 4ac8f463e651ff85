"""WARC files for tests, of the pages of examples/sites."""

from __future__ import annotations

import gzip
import uuid
from pathlib import Path

SITES = Path(__file__).resolve().parents[3] / "examples" / "sites"


def site_pages() -> list[tuple[str, bytes]]:
    """The address and the bytes of each page, in order of the addresses."""
    paths = sorted(SITES.glob("*.example/**/*.html"))
    return [(f"https://{path.relative_to(SITES).as_posix()}", path.read_bytes()) for path in paths]


def warc_record(url: str, page: bytes, content_type: str = "text/html") -> bytes:
    """A response as it is in a WARC file."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: " + content_type.encode() + b"\r\n\r\n" + page
    head = [
        "WARC/1.0",
        "WARC-Type: response",
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>",
        "WARC-Date: 2026-11-01T12:00:00Z",
        f"WARC-Target-URI: {url}",
        "WARC-Identified-Payload-Type: text/html",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(http)}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + http + b"\r\n\r\n"


def write_warcs(folder: Path, pages: list[tuple[str, bytes]], files: int) -> list[Path]:
    """Deals the pages out to so many files, so that each has pages of every site."""
    folder.mkdir()
    paths = [folder / f"{number:03}.warc.gz" for number in range(files)]
    for number, path in enumerate(paths):
        records = [gzip.compress(warc_record(url, page), mtime=0) for url, page in pages[number::files]]
        path.write_bytes(b"".join(records))
    return paths
