"""The real nginx with our configuration, in front of stand-ins for the app."""

import socket
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
    pages: Sequence[int],
    labs: Sequence[int] = (9,),
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
    write_nginx(folder, f"127.0.0.1:{port}", base, pages, labs)
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


@contextmanager
def holds_sockets() -> Iterator[int]:
    """Accept and hold every socket, as a labs process does; yield the port."""
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
