"""``python -m pages.server``: the app as one of several replicas.

As ``streamlit run app.py``, with the settings of .streamlit/config.toml and the environment; but it
listens only once everything is loaded. Streamlit opens its port first, and a proxy that sends
learners there would let them wait for all that loads.

With ``--end-with-input`` it ends, as on SIGTERM, once its input does: whoever started it holds that
open, and is gone by then.
"""

import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import uvicorn
from streamlit import config

ROOT = Path(__file__).parents[2]
PING = 30.0
"""Seconds between two signs of life on a socket; a proxy closes one that says nothing."""
END = 1.0
"""Seconds that are left to connections once the server has drained (pages/server/draining.py)."""


def take_environment(environment: Mapping[str, str]) -> None:
    """Set Streamlit's options by variables such as STREAMLIT_SERVER_PORT, as its command line does.

    Raises:
        SystemExit: a value that is none of its option; says which.
    """
    for name, option in config.get_config_options().items():
        text = environment.get(option.env_var, "")
        if not text:
            continue
        value: object = text
        if option.multiple:
            value = text.split()
        elif option.type is bool:
            value = text.lower() in ("1", "true", "yes", "on")
        elif option.type in (int, float):
            try:
                value = option.type(text)
            except ValueError:
                raise SystemExit(f"{option.env_var} is a number, not {text!r}.") from None
        config.set_option(name, value)


def end_with_input() -> None:
    """Wait for the end of our input, in a thread of its own, and end."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Serve until told to end."""
    if "--end-with-input" in sys.argv[1:]:
        end_with_input()
    os.chdir(ROOT)  # where .streamlit/config.toml is looked for
    sys.path.insert(0, str(ROOT))
    take_environment(os.environ)
    uvicorn.run(
        "app:app",
        host=config.get_option("server.address") or "127.0.0.1",
        port=int(config.get_option("server.port")),
        ws="websockets-sansio",
        ws_max_size=int(config.get_option("server.maxMessageSize")) << 20,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        ws_per_message_deflate=False,
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=END,  # type: ignore[arg-type]
    )


if __name__ == "__main__":
    main()
