"""Serves the app: ``python -m pages.server``.

It takes .streamlit/config.toml, Streamlit's environment variables and its options, as
``streamlit run`` does, but listens only once everything is loaded, so a proxy sends no request too
early.
"""

import os
import socket
from pathlib import Path
from typing import Any

import click
import uvicorn
from streamlit import config
from streamlit.web.bootstrap import load_config_options
from streamlit.web.cli import configurator_options

from pages.server import dev, forkserver
from pages.server.addresses import root
from pages.server.listener import ACCEPT_AT_ONCE, Listener
from pages.server.socket_guard import Protocol

OWN_PROXY = "127.0.0.1,::1,::ffff:127.0.0.1"
"""A proxy on this machine, in each of the ways in which its address arrives."""


@click.command()
@configurator_options
def main(**options: Any) -> None:
    """Serve until the process is told to end."""
    forkserver.start()
    load_config_options(options)
    host, port = config.get_option("server.address"), int(config.get_option("server.port"))
    print(f"Loading. In a few seconds: http://{host}:{port}{root()}", flush=True)
    uvicorn_config = uvicorn.Config(
        "app:app",
        lifespan="on",  # "auto" goes on after a failed start, and answers everything with 500
        host=host,
        port=port,
        ws="websockets-sansio",
        ws_max_size=1 << 19,  # bytes; we read messages of at most 400,000 characters
        ws_ping_interval=30.0,  # seconds; a proxy closes a silent socket
        ws_ping_timeout=30.0,
        ws_per_message_deflate=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        forwarded_allow_ips=os.environ.get("FORWARDED_ALLOW_IPS", OWN_PROXY),
        http=Protocol,
        backlog=ACCEPT_AT_ONCE,
        timeout_graceful_shutdown=3,  # seconds that connections have after SIGTERM
    )
    server = uvicorn.Server(uvicorn_config)
    listener = Listener(uvicorn_config.bind_socket(), server)
    # uvicorn parses all that it has received at once: 256 kB in chunks of one byte took a second.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 13)
    if forkserver.DEV:
        dev.serve(server, listener)
    server.run([listener])
    if not server.started:
        raise SystemExit(3)


if __name__ == "__main__":
    os.chdir(Path(__file__).parents[2])  # Streamlit looks for .streamlit/config.toml here
    os.environ.setdefault("STREAMLIT_SERVER_PORT", os.environ.get("PORT", ""))  # many hosts set it
    main()
