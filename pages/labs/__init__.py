"""What a lab shows, from what one message of a browser says. No Streamlit and no sockets in here.

A message carries everything that its answer depends on, so nothing is kept between two of them but
a cache of what was computed: any process can answer any message. ``messages`` describes
what crosses the wire, ``wire`` is the bytes; ``lesson``, ``home`` and ``playground`` are the three
kinds of lab, ``training`` the pictures of a run.
"""
