"""Files that are compressed once and kept in memory, and Streamlit's own among them.

Streamlit sends its scripts and styles as they are, because its middleware would compress them
anew for every request. Compressed they are a third. Its index.html is left to it: everywhere but
at the root it is compressed already, and there it is 8 kB.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from pages.server.address import path_of, root

LEVEL = 9
"""Best, as it is done once: 0.2 s for the 4.8 MB of Plotly's script, 0.03 s more than level 6."""

MOST = 24 * 2**20
"""Bytes, before compression, of the files of Streamlit that are compressed: what is kept is less.

All that 1.67 brings are 22 MiB and come to 7 compressed, so today none is left out. Should a later
one bring more, the largest go out as they are; those are chart libraries that no page here loads.
"""

PIECE = 1 << 16
"""Bytes of a file that are handed over at a time: for one who reads slowly, or not at all, so much
waits here, and not a copy of the whole."""

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}

SOON = {"BidiComponent", "purify", "recordbatch", "serialization"}
"""How the names begin of those larger scripts that index.html does not name and any page loads."""

LATER = SOON | {"Radio", "StreamlitSyntaxHighlighter", "rehype-katex", "rehype-raw"}
"""The same with those that a lesson loads."""

# One thread, so that the other cores stay with who is learning.
_worker = ThreadPoolExecutor(1, "compression")


class File:
    """Something to serve, read and compressed when it is first asked for."""

    def __init__(self, read: Callable[[], bytes], media_type: str) -> None:
        self.media_type = media_type
        self._read = read
        self._lock = threading.Lock()
        self._compressed: Future[bytes] | None = None

    def compressed(self) -> Future[bytes]:
        """The gzip bytes; the same however many ask, from whatever thread."""
        with self._lock:
            if self._compressed is None:
                self._compressed = _worker.submit(self._compress)
            return self._compressed

    async def answer(self, method: str, headers: Headers, caching: str) -> Response:
        """The answer to GET or HEAD. Raises OSError where the file cannot be read."""
        about = {
            "Content-Type": self.media_type,
            "Cache-Control": caching,
            "Vary": "Accept-Encoding",
        }
        # Shielded: who goes away before it is done must not take it from those who wait too.
        content = await asyncio.shield(asyncio.wrap_future(self.compressed()))
        packed = accepts_gzip(headers)
        if packed:
            about["Content-Encoding"] = "gzip"
        about["Content-Length"] = str(len(content) if packed else _size(content))
        return _InPieces(b"" if method == "HEAD" else content, about, packed)

    def _compress(self) -> bytes:
        return gzip.compress(self._read(), LEVEL, mtime=0)


def _size(compressed: bytes) -> int:
    """Of what was compressed: gzip ends with it."""
    return int.from_bytes(compressed[-4:], "little")


class _InPieces(Response):
    """Gzip bytes, or what was compressed in them, for who takes no gzip; all share the bytes."""

    def __init__(self, content: bytes, headers: Mapping[str, str], packed: bool) -> None:
        super().__init__(content, headers=headers)
        self._packed = packed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        whole = io.BytesIO(self.body)
        with whole if self._packed else gzip.GzipFile(fileobj=whole) as pieces:
            while piece := pieces.read(PIECE):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                await asyncio.sleep(0)  # the system may take megabytes before anybody reads
        await send({"type": "http.response.body", "body": b""})


def accepts_gzip(headers: Headers) -> bool:
    """Whether gzip is named, and not as what is refused (``gzip;q=0``)."""
    for offer in ",".join(headers.getlist("accept-encoding")).lower().split(","):
        name, _, weight = offer.partition(";")
        if name.strip() == "gzip":
            return re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight) is None
    return False


class StaticCompression:
    """Middleware that answers for Streamlit's scripts and styles, and passes on all the rest."""

    def __init__(
        self, app: ASGIApp, *, base: str = "", files: Mapping[str, File] | None = None
    ) -> None:
        """``base`` is Streamlit's server.baseUrlPath; ``files`` are Streamlit's where not given."""
        self._app = app
        self._files = _streamlits() if files is None else files
        self._prefix = f"{root(base)}static/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = self._asked(scope)
        if file is not None:
            try:
                # As Streamlit says it of these files: their names carry their content's hash.
                answer = await file.answer(
                    scope["method"], Headers(scope=scope), "public, immutable, max-age=31536000"
                )
            except OSError:
                pass  # gone since the start: Streamlit answers as it answers
            else:
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _asked(self, scope: Scope) -> File | None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            return None
        path = path_of(scope)
        if not path.startswith(self._prefix):
            return None
        headers = Headers(scope=scope)
        if "range" in headers or not accepts_gzip(headers):
            return None
        return self._files.get(path.removeprefix(self._prefix))


def warm(names: Iterable[str] | None = None) -> None:
    """Compress ahead: ``names``, or what a first visit asks for. For a thread; returns when done.

    One after the other, so that whoever comes meanwhile waits for one file and not for all.
    """
    files = _streamlits()
    for name in first_visit() if names is None else names:
        files[name].compressed().result()


def first_visit() -> list[str]:
    """Names of the files that a first visit asks for."""
    index = (Path(get_static_dir()) / "index.html").read_text("utf-8")
    asked = dict.fromkeys(re.findall(r'"\./static/([^"]+)"', index))
    return [name for name in dict.fromkeys([*asked, *named(LATER)]) if name in _streamlits()]


def named(beginnings: Collection[str]) -> list[str]:
    """Names of Streamlit's files that begin so."""
    return [name for name in _streamlits() if Path(name).name.partition(".")[0] in beginnings]


def compressible(folder: Path, most: int) -> dict[str, File]:
    """The files of ``folder`` worth compressing, the smallest first, ``most`` bytes in all.

    Known by name from here on: no request ever makes a path.
    """
    resolved = folder.resolve()
    found = (
        path
        for path in folder.rglob("*")
        if path.suffix in TYPES and path.is_file() and path.resolve().is_relative_to(resolved)
    )
    files = {}
    for size, path in sorted((path.stat().st_size, path) for path in found):
        most -= size
        if most < 0:
            break
        name = path.relative_to(folder).as_posix()
        files[name] = File(path.read_bytes, TYPES[path.suffix])
    return files


@cache
def _streamlits() -> dict[str, File]:
    return compressible(Path(get_static_dir()) / "static", MOST)
