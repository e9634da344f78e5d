"""``python -m pages.server``: serve the app, or with ``--pages`` or ``--labs`` one half of it.

It takes the settings of .streamlit/config.toml and Streamlit's environment variables. Unlike
``streamlit run`` it listens only once everything is loaded, so a proxy sends nobody here too early.
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

import uvicorn
from streamlit import config

from pages.server import application, log

ROOT = Path(__file__).parents[2]
PING = 30.0
"""Seconds between two signs of life on a socket; a proxy closes one that says nothing."""
END = 3
"""Seconds that connections have to end in after SIGTERM."""


def take_environment(environment: Mapping[str, str]) -> None:
    """Set Streamlit's options by variables such as STREAMLIT_SERVER_PORT, as its command line does.

    Raises:
        SystemExit: a value does not fit its option; says which.
    """
    for name, option in config.get_config_options().items():
        text = environment.get(option.env_var, "")
        if name == "server.port":
            text = text or environment.get("PORT", "")  # as many hosts have it
        if not text:
            continue
        read = str.split if option.multiple else _bool if option.type is bool else option.type
        try:
            config.set_option(name, read(text))
        except ValueError:
            raise SystemExit(f"{option.env_var} is a number, not {text!r}.") from None


def _bool(text: str) -> bool:
    return text.lower() in ("1", "true", "yes", "on")


def main() -> None:
    """Serve until told to end."""
    parser = argparse.ArgumentParser(prog="python -m pages.server")
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--pages", action="store_true", help="Streamlit's pages, without the labs")
    half.add_argument("--labs", action="store_true", help="the labs' socket and API, no pages")
    options = parser.parse_args()
    os.chdir(ROOT)  # where .streamlit/config.toml is looked for
    take_environment(os.environ)
    if options.pages:
        application.site = None
    host, port = config.get_option("server.address"), int(config.get_option("server.port"))
    if not log.wanted():
        print(f"Loading. In a few seconds: http://{host}:{port}{application.root()}", flush=True)
    uvicorn.run(
        "pages.server.application:labs_app" if options.labs else "app:app",
        factory=options.labs,
        lifespan="on",  # or it serves on where a setting ended the start, and answers all with 500
        host=host,
        port=port,
        ws="websockets-sansio",
        ws_max_size=2 << 20,  # bytes; the largest message that is read has 400,000 characters
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        ws_per_message_deflate=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=END,
    )


if __name__ == "__main__":
    main()
