"""Computes what a lab shows, from one message of a browser. No Streamlit and no sockets in here.

A message carries everything that its answer depends on, so nothing is kept between two of them but
a cache of what was computed: any process can answer any message. ``messages`` describes what
crosses the wire, ``answer`` answers it, and ``wire`` writes it as JSON. ``lesson``, ``bench`` and
``playground`` are the three kinds of lab, ``training`` the pictures of a run.
"""
