"""The real nginx with our configuration, in front of stand-ins for the app."""

import socketserver
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.serve import nginx, write_nginx
from tests.support.server import free_port, wait_until_it_listens

SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"


@dataclass(frozen=True)
class Front:
    port: int
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text(errors="replace")


def needs_nginx() -> str:
    """Return where nginx is; skip the test where there is none."""
    try:
        return nginx()
    except SystemExit:
        pytest.skip("nginx is not installed here")


def configured(
    folder: Path,
    pages: list[int],
    labs: list[int] | None = None,
    base: str = "",
    conf: Callable[[str], str] = str,
) -> int:
    """Write nginx's files for processes on these ports, with nginx.conf as ``conf`` changes it.

    Return the port that nginx will listen on.
    """
    needs_nginx()
    for one in (folder, *folder.parents):  # pytest makes some of them for their owner alone
        if not one.stat().st_mode & stat.S_IXOTH:
            one.chmod(0o755)
    port, main = free_port(), folder / "nginx.conf"
    write_nginx(folder, f"127.0.0.1:{port}", base, pages, labs or [9])
    main.write_text(conf(main.read_text("utf-8")), "utf-8")
    return port


@contextmanager
def started(
    folder: Path,
    port: int,
    command: Sequence[str] = (),
    handles: int | None = None,
    user: int | None = None,
) -> Iterator[Front]:
    """Run nginx on these files, or this command; ``handles`` is its soft limit of open files."""
    usual = ["-p", f"{folder}/", "-c", f"{folder}/nginx.conf", "-g", "daemon off; pid nginx.pid;"]
    limited = ["sh", "-c", f'ulimit -Sn {handles}; exec "$@"', "sh"] if handles else []
    log_file = folder / "log"
    with log_file.open("wb") as log:
        run = [*limited, *(command or [nginx(), *usual])]
        process = subprocess.Popen(run, stderr=log, start_new_session=True, user=user)
    try:
        wait_until_it_listens(port, process)
        yield Front(port, log_file)
    finally:
        process.terminate()
        process.wait()


class Holds(socketserver.BaseRequestHandler):
    """Accept a socket and hold it until it is closed, as a labs process does."""

    def handle(self) -> None:
        self.request.recv(65_536)
        self.request.sendall(SWITCHED)
        self.request.recv(1)


@contextmanager
def holds_sockets() -> Iterator[int]:
    """Run a process that holds every socket; yield its port."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Holds, False) as server:
        server.daemon_threads, server.request_queue_size = True, 200
        server.server_bind()
        server.server_activate()
        threading.Thread(target=server.serve_forever, args=[0.1]).start()
        yield server.server_address[1]
        server.shutdown()
