"""Gradient Tricks Lab as one ASGI application. Run it with ``make run``."""

import streamlit as st

from pages.server import application

app = st.App(
    "pages/main.py",
    routes=application.routes(application.site),
    middleware=application.middleware(),
    lifespan=application.lifespan,
)
