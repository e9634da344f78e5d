"""Serves the app, or one half of it: ``python -m pages.server``, ``--pages`` or ``--labs``.

It reads .streamlit/config.toml and Streamlit's environment variables. Unlike ``streamlit run`` it
listens only once everything is loaded, so a proxy sends no request too early.
"""

import argparse
import os
import socket
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import TypeAdapter
from streamlit import config

from pages.server import application, log
from pages.server.addresses import root

PING = 30.0
"""Seconds between two pings on a socket; a proxy closes a silent one."""


def take_environment() -> None:
    """Set Streamlit's options from variables such as STREAMLIT_SERVER_PORT, as its command does.

    Raises:
        SystemExit: a value does not fit its option; the message says which.
    """
    for name, option in config.get_config_options().items():
        text = os.environ.get(option.env_var, "")
        if name == "server.port":
            text = text or os.environ.get("PORT", "")  # which many hosts set
        if not text:
            continue
        read = TypeAdapter[Any](option.type).validate_python
        try:
            config.set_option(name, text.split() if option.multiple else read(text))
        except ValueError:
            expected = "true or false" if option.type is bool else "a number"
            raise SystemExit(f"{option.env_var} is {expected}, not {text!r}.") from None


def main() -> None:
    """Serve until the process is told to end."""
    parser = argparse.ArgumentParser(prog="python -m pages.server")
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--pages", action="store_true", help="Streamlit's pages, without the labs")
    half.add_argument("--labs", action="store_true", help="the labs' socket and API, no pages")
    options = parser.parse_args()
    os.chdir(Path(__file__).parents[2])  # Streamlit looks for .streamlit/config.toml here
    take_environment()
    if options.pages:
        application.site = None
    host, port = config.get_option("server.address"), int(config.get_option("server.port"))
    if not log.wanted():
        print(f"Loading. In a few seconds: http://{host}:{port}{root()}", flush=True)
    made = uvicorn.Config(
        "pages.server.application:labs_app" if options.labs else "app:app",
        factory=options.labs,
        lifespan="on",  # "auto" goes on after a failed start, and answers everything with 500
        host=host,
        port=port,
        ws="websockets-sansio",
        ws_max_size=1 << 19,  # bytes; we read messages of at most 400,000 characters
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        ws_per_message_deflate=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=3,  # seconds that connections have after SIGTERM
    )
    server, listener = uvicorn.Server(made), made.bind_socket()
    # uvicorn parses all that it has received at once: 256 kB in chunks of one byte took a second.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 13)
    server.run([listener])
    if not server.started:
        raise SystemExit(3)


if __name__ == "__main__":
    main()
