"""One page over Streamlit's own socket, without a browser: what it draws, and any message to it."""

import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.support.server import START_SECONDS


class Stream:
    """One session on a page of the server at ``url``."""

    def __init__(self, url: str, page: str = "", query: str = "") -> None:
        self.url, self.page, self.query = url, page, query
        self.socket: ClientConnection = connect(
            f"ws://{urlsplit(url).netloc}/_stcore/stream",
            origin=Origin(url),
            subprotocols=[Subprotocol("streamlit"), Subprotocol("PLACEHOLDER_AUTH_TOKEN")],
            max_size=None,
            open_timeout=START_SECONDS,
            ping_interval=None,
        ).__enter__()
        self.messages: list[ForwardMsg] = []
        """Those of the last run."""

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def rerun(self, *states: WidgetState) -> None:
        """Ask for a run, with these widgets."""
        message = BackMsg()
        client = message.rerun_script
        client.query_string, client.page_name = self.query, self.page
        client.context_info.url = f"{self.url}/{self.page}"
        client.widget_states.widgets.extend(states)
        self.socket.send(message.SerializeToString())

    def finished(self, timeout: float = START_SECONDS) -> bool:
        """Wait for the end of a run; whether it ended well."""
        self.messages = []
        while True:
            message = ForwardMsg.FromString(self.socket.recv(timeout, decode=False))
            self.messages.append(message)
            if message.WhichOneof("type") == "script_finished":
                ended = message.script_finished
                if ended != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return bool(ended == ForwardMsg.FINISHED_SUCCESSFULLY)

    def run(self, *states: WidgetState, timeout: float = START_SECONDS) -> bool:
        """A run with these widgets, up to its end; whether it ended well."""
        self.rerun(*states)
        return self.finished(timeout)

    def runs_within(self, seconds: float) -> int:
        """How many runs end in this time, those among them that were begun anew."""
        runs, end = 0, time.monotonic() + seconds
        with suppress(TimeoutError):
            while (left := end - time.monotonic()) > 0:
                message = ForwardMsg.FromString(self.socket.recv(left, decode=False))
                runs += message.WhichOneof("type") == "script_finished"
        return runs

    def elements(self, kind: str) -> list[Any]:
        """The elements of a kind that the last run drew."""
        found = (one.delta.new_element for one in self.messages if one.HasField("delta"))
        return [getattr(one, kind) for one in found if one.WhichOneof("type") == kind]

    def component(self, name: str) -> str:
        """The id of a component that the last run drew."""
        return next(
            str(one.id)
            for one in self.elements("bidi_component")
            if one.component_name.endswith(name)
        )


def state(widget: str, **value: Any) -> WidgetState:
    """What the browser says of a widget: ``json_value``, ``json_trigger_value`` and so on."""
    return WidgetState(id=widget, **value)
