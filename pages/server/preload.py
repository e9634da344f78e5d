"""Imported by the process that workers are forked from: loads everything, once for all of them."""

import signal

from pages.server.process import prepare

# As in a worker: the server ends this process, and needs it until then.
signal.signal(signal.SIGTERM, signal.SIG_IGN)

prepare("two_players", "starved", "playground")
