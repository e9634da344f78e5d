"""A page with one live lab and no lesson: what the component's browser tests drive.

The app's own route and headers, with a lab of numpy's numbers in place of the lessons'.
"""

import streamlit as st
from starlette.routing import WebSocketRoute

from pages.server import application, assets
from pages.server.address import root
from pages.server.computers import InProcess
from pages.server.computing import Computing
from pages.server.socket import Workshop
from tests.browser.demo.lab import frame

base = application.base()
workshop = Workshop(InProcess(Computing({"demo": frame})))
socket = f"{root(base)}{application.SOCKET}"

app = st.App(
    "page.py",
    routes=[WebSocketRoute(socket, workshop.serve), *assets.routes(base)],
    middleware=application.middleware(),
)
