"""What the log leaves out: messages that anybody can cause as often as they like."""

import logging
import socket

from starlette.responses import PlainTextResponse

from pages.server import log
from tests.server.serving import listening


def test_a_request_that_is_none_is_not_logged(caplog):
    log.set_up()
    with listening(PlainTextResponse("here")) as host:
        name, port = host.split(":")
        with socket.create_connection((name, int(port))) as line:
            line.sendall(b"nonsense\r\n\r\n")
            assert b"400 Bad Request" in line.recv(1000)
        assert not caplog.records
        logging.getLogger("uvicorn.error").warning("something else")
        assert len(caplog.records) == 1
