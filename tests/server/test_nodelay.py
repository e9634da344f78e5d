"""What is sent goes at once, on the sockets that Streamlit accepts too."""

import socket
import sys

import pytest
from streamlit.web.server.starlette import starlette_server

from pages.server.nodelay import send_at_once

NODELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.skipif(sys.platform == "win32", reason="does not list what a process has open")
def test_who_is_accepted_by_streamlit_s_socket_sends_at_once():
    listening = starlette_server._bind_socket("127.0.0.1", 0, 5)
    try:
        # Where it is set by itself one day, pages/server/nodelay.py has nothing left to do.
        assert listening.proto != socket.IPPROTO_TCP
        assert not listening.getsockopt(*NODELAY)
        send_at_once()
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                assert accepted.getsockopt(*NODELAY)
        assert listening.fileno() > 0, "it is still open"
    finally:
        listening.close()
