"""One machine, all its cores, without containers: some replicas of the app, and nginx over them.

``make serve REPLICAS=4``. A replica that ends is started again. SIGHUP replaces them one after the
other: a new one is started beside the old, which ends once learners come to the new one. SIGTERM
and Ctrl-C end all of it. nginx is the one of the system, its configuration that of compose.yaml.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
START = 120.0
"""Seconds that a replica may take until it is ready; loading torch on a busy machine takes many."""
END = 12.0
"""Seconds that a replica has to end in; it promises ten."""
RELOAD = 1.0
"""Seconds in which nginx takes up another configuration."""


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
        "BASE": f"/{base.strip('/')}".rstrip("/"),
        "RESOLVER": "",
        "CACHE": str(cache),
    }
    return filled_in((HERE / "site.conf.template").read_text("utf-8"), values)


@dataclass
class Replica:
    """One process of the app on a port of its own."""

    port: int
    base: str
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, unless it runs."""
        if not self.runs:
            settings = {
                "STREAMLIT_SERVER_PORT": str(self.port),
                "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
                "STREAMLIT_SERVER_BASE_URL_PATH": self.base,
            }
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pages.server"],
                cwd=HERE.parent,
                env={**self.environment, **settings},
                start_new_session=True,  # a Ctrl-C is for us: we end it in order
            )

    @property
    def is_ready(self) -> bool:
        """Whether it takes learners."""
        path = "/".join(filter(None, (self.base.strip("/"), "readyz")))
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=2) as ready:
                return bool(ready.status == 200)
        except OSError:
            return False

    def wait(self, seconds: float = START) -> None:
        """Until it takes learners.

        Raises:
            RuntimeError: it does not.
        """
        until = time.monotonic() + seconds
        while not self.is_ready:
            if time.monotonic() > until or not self.runs:
                raise RuntimeError(f"the replica on port {self.port} did not become ready")
            time.sleep(0.1)

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def end(self) -> None:
        """Let it finish, and end it; whoever it started ends with it."""
        if self.process is None:
            return
        if self.runs:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(END)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Site:
    """All replicas and nginx.

    Args:
        replicas: how many.
        listen: where learners come in.
        first_port: of the replicas, one port each.
        base: the path that the app lies under.
        folder: for nginx's files.
    """

    def __init__(
        self, replicas: int, listen: str, first_port: int, base: str, folder: Path
    ) -> None:
        environment = {**os.environ}
        share = max(1, (os.cpu_count() or 1) // replicas)
        environment.setdefault("GRADIENT_TRICKS_CORES", str(share))
        ports = [first_port + number for number in range(replicas)]
        self.replicas = [Replica(port, base.strip("/"), environment) for port in ports]
        self._spare = Replica(first_port + replicas, base.strip("/"), environment)
        self._listen, self._base, self._folder = listen, base, folder
        folder.chmod(0o711)  # nginx's workers are another user, and look for their cache
        (folder / "conf.d").mkdir()
        (folder / "nginx.conf").write_bytes((HERE / "nginx.conf").read_bytes())
        self._configure()
        self._nginx: subprocess.Popen[bytes] | None = None
        self.ending = threading.Event()
        self._rolling = threading.Lock()
        self._changing = threading.Lock()  # which replicas there are

    def _configure(self) -> None:
        """Write nginx's configuration for the replicas of now."""
        ports = [replica.port for replica in self.replicas]
        text = site(self._listen, ports, self._base, self._folder / "cache")
        (self._folder / "conf.d" / "site.conf").write_text(text, "utf-8")

    def check(self) -> None:
        """Whether nginx is there and takes the configuration.

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

    def start(self) -> None:
        """Start all replicas, and nginx as soon as one is ready; back when all are."""
        for replica in self.replicas:
            replica.start()
        self.replicas[0].wait()
        self._nginx = subprocess.Popen(
            [*self._command(), "-g", "daemon off;"], start_new_session=True
        )
        for replica in self.replicas[1:]:
            replica.wait()

    def live(self) -> None:
        """Start again what ends by itself, until told to end.

        Raises:
            RuntimeError: nginx ended.
        """
        while not self.ending.wait(0.3):
            if self._nginx and self._nginx.poll() is not None:
                raise RuntimeError("nginx ended; its last words stand above")
            with self._changing:
                for replica in self.replicas:
                    if not replica.runs:
                        print(f"replica on port {replica.port} ended: started again", flush=True)
                        replica.end()
                        replica.start()

    def roll(self) -> None:
        """Replace one replica after the other; in a thread of its own.

        The new one takes the port that the one before has left: all its learners find one that is
        ready.
        """
        with self._rolling:
            for number, old in enumerate(self.replicas):
                if self.ending.is_set():  # what is started now nobody would end
                    return
                new = self._spare
                new.start()
                try:
                    new.wait()
                except RuntimeError as error:
                    new.end()
                    if not self.ending.is_set():
                        print(f"{error}: the old ones go on", flush=True)
                    return
                with self._changing:
                    self.replicas[number], self._spare = new, old
                self._configure()
                if self._nginx:
                    self._nginx.send_signal(signal.SIGHUP)
                self.ending.wait(RELOAD)
                old.end()
                print(f"replica on port {old.port} replaced by {new.port}", flush=True)
            print("all replicas restarted", flush=True)

    def end(self) -> None:
        """End all replicas at once, then nginx."""
        self.ending.set()
        all_ = [*self.replicas, self._spare]
        ending = [threading.Thread(target=replica.end) for replica in all_]
        for thread in ending:
            thread.start()
        for thread in ending:
            thread.join()
        if self._nginx:
            self._nginx.terminate()
            self._nginx.wait()

    def _command(self) -> list[str]:
        return [str(nginx()), "-p", str(self._folder), "-c", str(self._folder / "nginx.conf")]


def nginx() -> str | None:
    """Where nginx lies; Debian has it where only root looks."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def main() -> None:
    """Serve until told to end."""
    parser = argparse.ArgumentParser(description="Serve the app on all cores of this machine.")
    parser.add_argument("--replicas", type=int, default=max(2, (os.cpu_count() or 2) // 2))
    parser.add_argument("--listen", default="127.0.0.1:8501", help="address:port of the site")
    parser.add_argument("--first-port", type=int, default=8600, help="of the replicas")
    parser.add_argument("--base", default="", help="the path that the app lies under")
    asked = parser.parse_args()
    if not 1 <= asked.replicas <= 64:
        parser.error(f"--replicas is 1 to 64, not {asked.replicas}")
    if not re.fullmatch(r"[\w./-]*", asked.base):
        parser.error(f"--base is a path such as gradients, not {asked.base!r}")
    with tempfile.TemporaryDirectory(prefix="gradient-tricks-") as folder:
        site = Site(asked.replicas, asked.listen, asked.first_port, asked.base, Path(folder))
        site.check()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: site.ending.set())
        signal.signal(
            signal.SIGHUP, lambda *_: threading.Thread(target=site.roll, daemon=True).start()
        )
        try:
            site.start()
            path = f"/{asked.base.strip('/')}".rstrip("/")
            print(f"{asked.replicas} replicas behind http://{asked.listen}{path}/", flush=True)
            site.live()
        finally:
            site.end()


if __name__ == "__main__":
    main()
