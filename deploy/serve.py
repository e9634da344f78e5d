"""Serve the app on all cores of this machine, without containers: ``make serve REPLICAS=4``.

Writes the configurations of nginx and supervisord into a temporary folder, then becomes
supervisord, which keeps nginx and the app's processes running; ``--restart`` restarts these.
"""

import argparse
import errno
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from deploy.listener import wait
from pages.server.limits import CORES, cores

HERE = Path(__file__).resolve().parent
BASE = "STREAMLIT_SERVER_BASE_URL_PATH"
METRICS = ',GRADIENT_TRICKS_METRICS_PORT="1%(process_num)d"'  # 18600 for the process on 8600


def nginx() -> str:
    """Find nginx, or exit; Debian installs it where only root's PATH looks."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    if found := shutil.which("nginx", path=path):
        return found
    raise SystemExit(
        "nginx is not installed here. On Debian and Ubuntu: apt-get install nginx-light; "
        "on macOS: brew install nginx. Without it, `make run` serves one process."
    )


def asked(words: list[str] | None = None) -> argparse.Namespace:
    """Read the command line, or these words; exit with one line if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m deploy.serve", description=__doc__)
    add = parser.add_argument
    add("--replicas", type=int, default=min(64, max(2, cores() // 2)), help="pages processes")
    add("--labs", type=int, default=min(64, max(2, cores() // 4)), help="labs processes")
    add("--listen", default="127.0.0.1:8501", help="address:port of the site")
    add("--restart", action="store_true", help="restart the processes of the site that runs there")
    add("--first-port", type=int, default=8600, help="the processes take free ports from here on")
    add("--base", default=os.environ.get(BASE, ""), help=f"path of the site, else {BASE}")
    found = parser.parse_args(words)
    for name, count in (("replicas", found.replicas), ("labs", found.labs)):
        if not 1 <= count <= 64:
            parser.error(f"--{name} is 1 to 64, not {count}")
    if not re.fullmatch(r"(\[[\da-fA-F:.]+\]|[\w.-]+|\*):\d{1,5}", found.listen, re.ASCII):
        parser.error(f"--listen is as in 127.0.0.1:8501 or [::]:8501, not {found.listen!r}")
    if not re.fullmatch(r"[\w./-]*", found.base):
        parser.error(f"--base, or {BASE}, is a path such as gradients, not {found.base!r}")
    found.base = f"/{found.base.strip('/')}".rstrip("/")
    return found


def is_taken(host: str, port: int) -> bool:
    """Say whether another program listens there already; nginx reports any other trouble."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False


def free_ports(first: int, count: int) -> list[int]:
    """Return the next free ports of this machine that follow each other."""
    for start in range(first, 65537 - count):
        ports = list(range(start, start + count))
        if not any(is_taken("127.0.0.1", port) for port in ports):
            return ports
    raise SystemExit(f"No {count} ports in a row are free from {first} on: lower --first-port.")


def write(name: str, file: Path, values: dict[str, str]) -> None:
    """Fill in the known ``${NAME}`` of a template, as nginx's image does."""
    template = (HERE / f"{name}.template").read_text("utf-8")
    text = re.sub(r"\$\{([A-Z]+)\}", lambda found: values.get(found[1], found[0]), template)
    file.write_text(text, "utf-8")


def quoted(command: list[str]) -> str:
    """Write a command as supervisord reads it; where Linux can, it ends when supervisord does."""
    prefix = ["setpriv", "--pdeathsig", "TERM", "--"] if shutil.which("setpriv") else []
    return shlex.join([*prefix, *command]).replace("%", "%%")


def write_nginx(folder: Path, listen: str, base: str, pages: list[int], labs: list[int]) -> str:
    """Write nginx's configuration for processes on these ports; return the command to run it."""

    def servers(ports: list[int]) -> str:
        # Never left out: a process that is away refuses at once, and nginx asks the next one.
        return "\n    ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in ports)

    values = {"LISTEN": listen, "BASE": base, "PAGES": servers(pages), "LABS": servers(labs)}
    values |= {"RESOLVER": "", "CACHE": f"{folder}/cache"}
    (folder / "conf.d").mkdir()
    shutil.copy(HERE / "nginx.conf", folder)
    write("site.conf", folder / "conf.d" / "site.conf", values)
    files = ["-p", f"{folder}/", "-c", f"{folder}/nginx.conf"]
    return quoted([nginx(), *files, "-g", "daemon off; pid nginx.pid;"])


def place(port: str) -> Path:
    """Make the folder for the files of nginx and supervisord; remove it when this process ends."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"gradient-tricks-{port}-"))
    except OSError as error:
        raise SystemExit(
            f"nginx needs a folder for its files, and none can be made: {error}. "
            "Name one where you may write: TMPDIR=/path make serve"
        ) from None
    folder.chmod(0o711)  # nginx's workers run as another user and have their cache here
    # supervisord reopens our output: a socket (systemd) refuses that, and a file is overwritten.
    # So it gets a pipe, which ends with it.
    script = 'trap "" HUP INT TERM; cat; sleep 1; rm -rf "$1"'
    its_input, our_output = os.pipe()
    subprocess.Popen(["sh", "-c", script, "sh", folder], stdin=its_input, start_new_session=True)
    os.dup2(our_output, 1)
    return folder


def restart(port: str) -> None:
    """Restart the processes of the site on this port, one after the other."""
    places = Path(tempfile.gettempdir()).glob(f"gradient-tricks-{port}-*/control")
    # supervisorctl runs code that a configuration names, so another user's is left alone.
    own = next((one.parent for one in places if one.stat().st_uid == os.getuid()), None)
    if own is None:
        raise SystemExit(f"You have no `make serve` on port {port}: make serve-restart PORT=8502")
    control = [sys.executable, "-m", "supervisor.supervisorctl", "-c", f"{own}/supervisord.conf"]
    status = subprocess.run([*control, "status"], capture_output=True, text=True).stdout
    for name in [line.split()[0] for line in status.splitlines() if line.startswith("app:")]:
        subprocess.run([*control, "restart", name], check=True)
        wait(f"http://127.0.0.1:{name.rpartition('-')[2]}/readyz")


def main() -> None:
    """Write the configurations and become supervisord, or restart what runs."""
    wanted = asked()
    host, _, port = wanted.listen.rpartition(":")
    if wanted.restart:
        restart(port)
        return
    if is_taken(host.strip("[]*"), int(port)):
        raise SystemExit(
            f"{wanted.listen} is taken: another program listens there, perhaps an earlier "
            "`make serve`. Stop that one, or choose another port: make serve PORT=8502"
        )
    ports = free_ports(wanted.first_port, wanted.replicas + wanted.labs)
    pages, labs = ports[: wanted.replicas], ports[wanted.replicas :]
    folder = place(port)
    site = f"http://{wanted.listen}{wanted.base}/"
    line = f"{len(pages)} pages and {len(labs)} labs processes behind {site}, process {os.getpid()}"
    ready = [f"http://127.0.0.1:{port}/readyz" for port in ports]
    ready.append(f"{site.replace('*', '127.0.0.1')}readyz")
    values = {
        "USER": "" if os.getuid() else "user=root",  # or supervisord warns of it
        "LISTENER": quoted([sys.executable, str(HERE / "listener.py"), str(folder), line, *ready]),
        "NGINX": write_nginx(folder, wanted.listen, wanted.base, pages, labs),
        "PYTHON": quoted([sys.executable]),
        "METRICS": METRICS if os.environ.get("GRADIENT_TRICKS_METRICS_PORT") else "",
        "PAGES": str(len(pages)),
        "PAGESPORT": str(pages[0]),
        "LABS": str(len(labs)),
        "LABSPORT": str(labs[0]),
    }
    write("supervisord.conf", folder / "supervisord.conf", values)
    os.environ[CORES] = str(max(1, cores() // len(labs)))
    os.environ |= {BASE: wanted.base.strip("/"), "STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
    # supervisord would restart all at once on a hangup, such as of a terminal that closes.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
    os.chdir(HERE.parent)
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", f"{folder}/supervisord.conf"]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
