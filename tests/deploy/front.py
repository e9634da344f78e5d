"""The real nginx with our configuration, in front of no app: what it does by itself is seen."""

import socket
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.serve import HERE, nginx, site
from tests.support.server import free_port, wait_until_it_listens

STAND_IN = """
server {{
    listen 127.0.0.1:{port};
    location / {{ return 200 "a page"; }}
    location ~ /(files|static)/ {{ add_header Cache-Control max-age=9; return 200 "a file"; }}
}}
"""
"""A replica that costs nothing: nginx itself."""
SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"


@dataclass(frozen=True)
class Front:
    port: int
    process: subprocess.Popen[bytes]
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text(errors="replace")


def configured(
    folder: Path, *replicas: int, base: str = "", conf: Callable[[str], str] = str
) -> int:
    """Write nginx's files as `make serve` does for replicas at these ports, nginx.conf as ``conf``
    makes it; back comes the port that it will listen at.
    """
    if nginx() is None:
        pytest.skip("nginx is not installed here")
    for one in (folder, *folder.parents):  # pytest makes some of them for their owner alone
        if not one.stat().st_mode & stat.S_IXOTH:
            one.chmod(0o755)
    port = free_port()
    (folder / "conf.d").mkdir()
    (folder / "nginx.conf").write_text(conf((HERE / "nginx.conf").read_text("utf-8")), "utf-8")
    text = site(f"127.0.0.1:{port}", [*replicas], base, folder / "cache")
    (folder / "conf.d" / "site.conf").write_text(text, "utf-8")
    return port


@contextmanager
def started(
    folder: Path,
    port: int,
    command: Sequence[str] = (),
    handles: int | None = None,
    user: int | None = None,
) -> Iterator[Front]:
    """nginx on these files, by this command or as `make serve` starts it; ``handles`` is the soft
    limit of what it may have open, ``user`` another one than ours.
    """
    usual = ["-p", f"{folder}/", "-c", f"{folder}/nginx.conf", "-g", "daemon off; pid nginx.pid;"]
    limited = ["sh", "-c", f'ulimit -Sn {handles}; exec "$@"', "sh"] if handles else []
    log_file = folder / "log"
    with log_file.open("wb") as log:
        run = [*limited, *(command or [str(nginx()), *usual])]
        process = subprocess.Popen(run, stderr=log, start_new_session=True, user=user)
    try:
        wait_until_it_listens(port, process)
        yield Front(port, process, log_file)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def holds_sockets() -> Iterator[int]:
    """A replica that takes any socket and holds it to the end; its port."""
    port, over = free_port(), threading.Event()
    lines: list[socket.socket] = []

    def hold(listening: socket.socket) -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                line, _ = listening.accept()
                lines.append(line)
                line.recv(65_536)
                line.sendall(SWITCHED)

    with socket.create_server(("127.0.0.1", port), backlog=4096) as listening:
        listening.settimeout(0.1)
        thread = threading.Thread(target=hold, args=[listening])
        thread.start()
        try:
            yield port
        finally:
            over.set()
            thread.join()
            for line in lines:
                line.close()
