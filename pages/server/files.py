"""The files that browsers fetch, by address: Streamlit's own, and those that modules add.

Each name says what is in the file, so a new version never mixes with an old one; browsers ask again
only for the page. Requests look names up and never make a path. A file is compressed when it is
first asked for, and kept in memory; Streamlit itself sends its scripts at three times the size.
"""

import asyncio
import gzip
import hashlib
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from streamlit.file_util import get_static_dir

# Bytes that are sent at a time, so a slow reader holds one piece and not a copy of the file.
PIECE = 1 << 16
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}

KEEP = "public, max-age=31536000, immutable"


class File:
    """Something to serve, read and compressed when it is first asked for."""

    def __init__(self, read: Callable[[], bytes], media_type: str, caching: str = KEEP) -> None:
        self._read, self._type, self._caching = read, media_type, caching
        self._contents: dict[bool, bytes] = {}  # plain, and packed
        self._lock = threading.Lock()

    def content(self, packed: bool) -> bytes:
        """Return the bytes, compressed or not, which all answers share."""
        with self._lock:
            if packed not in self._contents:
                content = self._read()
                self._contents[packed] = gzip.compress(content, mtime=0) if packed else content
            return self._contents[packed]

    async def answer(self, asked: Headers) -> Response:
        """Answer GET; of the answer to HEAD, uvicorn leaves out the content."""
        packed = "gzip" in asked.get("accept-encoding", "").lower()
        content = await asyncio.to_thread(self.content, packed)
        headers = {"Content-Type": self._type, "Cache-Control": self._caching}
        headers |= {"Content-Length": str(len(content)), "Vary": "Accept-Encoding"}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        return StreamingResponse(_pieces(content), headers=headers)


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), PIECE):
        yield content[start : start + PIECE]
        await asyncio.sleep(0)  # the system may take megabytes before anybody reads


STATIC = Path(get_static_dir()) / "static"
served = {
    f"static/{path.relative_to(STATIC).as_posix()}": File(path.read_bytes, TYPES[path.suffix])
    for path in STATIC.rglob("*")
    if path.suffix in TYPES
}
"""By address, relative to the site's."""


def add(name: str, content: bytes) -> str:
    """Serve this content, with its hash in its name; return its address, relative to a page's."""
    path = Path(name)
    digest = hashlib.blake2b(content, digest_size=8).hexdigest()
    address = f"files/{path.stem}-{digest}{path.suffix}"
    served.setdefault(address, File(lambda: content, TYPES[path.suffix]))
    return address


def add_page(page: str, addresses: Iterable[str]) -> None:
    """Answer with this HTML at the root and at these addresses, relative to it."""
    file = File(page.encode, TYPES[".html"], "no-cache")
    served.update(dict.fromkeys(["", *addresses], file))
