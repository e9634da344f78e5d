"""One machine, all its cores, without containers: some replicas of the app, and nginx over them.

``make serve REPLICAS=4``. A replica that ends is started again. SIGHUP replaces them one after the
other: a new one is started beside the old, which ends once learners come to the new one. SIGTERM
and Ctrl-C end all of it, and so does the end of this process by other means. nginx is the one of
the system, its configuration that of compose.yaml.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from deploy.replica import BASE, HERE, Replica, free_ports, is_taken

RELOAD = 1.0
"""Seconds in which nginx takes up another configuration."""
SOON = 5.0
"""Seconds after its start in which nginx ends where it cannot serve at all; later it was ended."""


def cores() -> int:
    """How many cores all replicas may use: a batch system or a container may have lent us few."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def filled_in(template: str, values: dict[str, str]) -> str:
    """The template with its ``${NAME}`` filled in, as nginx's image does it: known names only."""
    return re.sub(r"\$\{([A-Z]+)\}", lambda found: values.get(found[1], found[0]), template)


def site(listen: str, ports: list[int], base: str, cache: Path) -> str:
    """nginx's configuration of the site, for replicas on these ports of this machine."""
    # None is ever left out: one that is away refuses at once, and the next one is asked.
    servers = "\n    ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in ports)
    values = {
        "LISTEN": listen,
        "SERVERS": servers,
        "SPREAD": "consistent",
        "BASE": f"/{base.strip('/')}".rstrip("/"),
        "RESOLVER": "",
        "CACHE": str(cache),
    }
    return filled_in((HERE / "site.conf.template").read_text("utf-8"), values)


class Site:
    """All replicas and nginx.

    Args:
        replicas: how many.
        listen: where learners come in.
        first_port: the replicas take the next free ones from here on, one port each.
        base: the path that the app lies under.
        folder: for nginx's files.
    """

    def __init__(
        self, replicas: int, listen: str, first_port: int, base: str, folder: Path
    ) -> None:
        environment = {**os.environ}
        share = max(1, cores() // replicas)
        environment.setdefault("GRADIENT_TRICKS_CORES", str(share))
        self._first_port, self._environment = first_port, environment
        ports = free_ports(first_port, replicas)
        self.replicas = [Replica(port, base.strip("/"), environment) for port in ports]
        self._coming: Replica | None = None  # one that is to take another one's place
        self._listen, self._base, self._folder = listen, base, folder
        folder.chmod(0o711)  # nginx's workers are another user, and look for their cache
        (folder / "conf.d").mkdir()
        (folder / "nginx.conf").write_bytes((HERE / "nginx.conf").read_bytes())
        self._configure()
        self._nginx: subprocess.Popen[bytes] | None = None
        self._nginx_begun = 0.0
        self._its_end: subprocess.Popen[bytes] | None = None
        self.ending = threading.Event()
        self._rolling = threading.Lock()
        self._changing = threading.Lock()  # which replicas there are

    def _configure(self) -> None:
        """Write nginx's configuration for the replicas of now."""
        ports = [replica.port for replica in self.replicas]
        text = site(self._listen, ports, self._base, self._folder / "cache")
        (self._folder / "conf.d" / "site.conf").write_text(text, "utf-8")

    def check(self) -> None:
        """Whether nginx is there, takes the configuration, and finds its port free.

        Raises:
            SystemExit: not; says what to do.
        """
        if nginx() is None:
            raise SystemExit(
                "nginx is not installed here. On Debian and Ubuntu: apt-get install nginx-light; "
                "on macOS: brew install nginx. Without it, `make run` serves one process."
            )
        tried = subprocess.run([*self._command(), "-t"], capture_output=True, text=True)
        if tried.returncode:
            raise SystemExit(f"nginx refuses its configuration:\n{tried.stderr}")
        host, _, port = self._listen.rpartition(":")
        if port.isdigit() and is_taken(host.strip("[]*") or "0.0.0.0", int(port)):
            raise SystemExit(
                f"{self._listen} is taken: another program listens there, perhaps an earlier "
                "`make serve`. End that one, or choose another port: make serve PORT=8502"
            )

    def start(self) -> None:
        """Start all replicas, and nginx as soon as one is ready; back when all are."""
        for replica in self.replicas:
            replica.start()
        self.replicas[0].wait(self.ending)
        if self.ending.is_set():
            return
        self._start_nginx()
        for replica in self.replicas[1:]:
            replica.wait(self.ending)

    def _start_nginx(self) -> None:
        self._nginx = subprocess.Popen(self._command("daemon off;"), start_new_session=True)
        self._nginx_begun = time.monotonic()
        # It does not notice by itself that we are gone; this does, as its input ends then.
        ends_it = ["sh", "-c", 'read _; kill "$1"', "sh", str(self._nginx.pid)]
        self._its_end = subprocess.Popen(ends_it, stdin=subprocess.PIPE, start_new_session=True)

    def _end_nginx(self) -> None:
        if self._its_end:
            self._its_end.kill()
            self._its_end.communicate()
        if self._nginx:
            self._nginx.terminate()
            self._nginx.wait()
            with suppress(ProcessLookupError):  # workers of one that was killed
                os.killpg(self._nginx.pid, signal.SIGKILL)

    def live(self) -> None:
        """Start again what ends by itself, until told to end.

        Raises:
            RuntimeError: nginx ended as soon as it was started.
        """
        while not self.ending.wait(0.3):
            if self._nginx and self._nginx.poll() is not None:
                if time.monotonic() - self._nginx_begun < SOON:
                    raise RuntimeError("nginx ended; its last words stand above")
                print("nginx ended: started again", flush=True)
                self._end_nginx()
                self._start_nginx()
            with self._changing:
                for replica in self.replicas:
                    if not replica.runs:
                        print(f"replica on port {replica.port} ended: started again", flush=True)
                        replica.end()
                        replica.start()

    def roll(self) -> None:
        """Replace one replica after the other; in a thread of its own.

        The new one has a port of its own, so its learners find one that is ready.
        """
        with self._rolling:
            for number, old in enumerate(self.replicas):
                if self.ending.is_set():  # what is started now nobody would end
                    return
                new = self._coming = self._another()
                new.start()
                try:
                    new.wait(self.ending)
                except RuntimeError as error:
                    new.end()
                    print(f"{error}: the old ones go on", flush=True)
                    return
                if self.ending.is_set():
                    return
                with self._changing:
                    self.replicas[number], self._coming = new, None
                self._configure()
                if self._nginx:
                    self._nginx.send_signal(signal.SIGHUP)
                self.ending.wait(RELOAD)
                old.end()
                print(f"replica on port {old.port} replaced by {new.port}", flush=True)
            print("all replicas restarted", flush=True)

    def _another(self) -> Replica:
        """One on a port that is free now, and of none of ours that may be about to take it."""
        ours = {replica.port for replica in self.replicas}
        free = free_ports(self._first_port, len(ours) + 1)
        port = next(port for port in free if port not in ours)
        return Replica(port, self._base.strip("/"), self._environment)

    def end(self) -> None:
        """End all replicas at once, then nginx."""
        self.ending.set()
        all_ = [*self.replicas, *([self._coming] if self._coming else [])]
        ending = [threading.Thread(target=replica.end) for replica in all_]
        for thread in ending:
            thread.start()
        for thread in ending:
            thread.join()
        self._end_nginx()

    def _command(self, more: str = "") -> list[str]:
        """nginx on this configuration; its pid goes where that lies, so sites do not meet."""
        where = ["-p", str(self._folder), "-c", str(self._folder / "nginx.conf")]
        return [str(nginx()), *where, "-g", f"pid nginx.pid; {more}"]


def nginx() -> str | None:
    """Where nginx lies; Debian has it where only root looks."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def asked(words: list[str] | None = None) -> argparse.Namespace:
    """What the command line asks for, or these words; says what is wrong with it, and ends."""
    parser = argparse.ArgumentParser(description="Serve the app on all cores of this machine.")
    parser.add_argument("--replicas", type=int, default=max(2, cores() // 2))
    parser.add_argument("--listen", default="127.0.0.1:8501", help="address:port of the site")
    parser.add_argument(
        "--first-port", type=int, default=8600, help="the replicas take the next free ones"
    )
    parser.add_argument(
        "--base",
        default=os.environ.get(BASE, ""),
        help=f"the path that the app lies under ({BASE})",
    )
    found = parser.parse_args(words)
    if not 1 <= found.replicas <= 64:
        parser.error(f"--replicas is 1 to 64, not {found.replicas}")
    if not re.fullmatch(r"(\[[\da-fA-F:.]+\]|[\w.-]+|\*):\d{1,5}", found.listen, re.ASCII):
        parser.error(
            "--listen is an address and a port such as 127.0.0.1:8501, an address of IPv6 in "
            f"brackets as in [::]:8501, not {found.listen!r}"
        )
    if not re.fullmatch(r"[\w./-]*", found.base):
        parser.error(f"--base, or {BASE}, is a path such as gradients, not {found.base!r}")
    return found


def place() -> tempfile.TemporaryDirectory[str]:
    """A folder for nginx's files.

    Raises:
        SystemExit: none can be made; says what to do.
    """
    try:
        return tempfile.TemporaryDirectory(prefix="gradient-tricks-")
    except OSError as error:
        raise SystemExit(
            f"nginx needs a folder for its files, and none can be made: {error}. "
            "Name one where you may write: TMPDIR=/path make serve"
        ) from None


def main() -> None:
    """Serve until told to end."""
    wanted = asked()
    with place() as folder:
        site = Site(wanted.replicas, wanted.listen, wanted.first_port, wanted.base, Path(folder))
        site.check()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: site.ending.set())
        signal.signal(
            signal.SIGHUP, lambda *_: threading.Thread(target=site.roll, daemon=True).start()
        )
        try:
            site.start()
            path = f"/{wanted.base.strip('/')}".rstrip("/")
            print(
                f"{wanted.replicas} replicas behind http://{wanted.listen}{path}/, "
                f"process {os.getpid()}: kill -HUP replaces them in turn, kill ends all",
                flush=True,
            )
            site.live()
        except RuntimeError as error:
            raise SystemExit(f"{error}.") from None
        finally:
            site.end()


if __name__ == "__main__":
    main()
