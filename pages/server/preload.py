"""Imported by the process that workers are forked from: loads everything, once for all of them."""

from pages.server.prepare import prepare

# These lessons use torch's optimizers, which load torch's compiler: a second, and 70 MB that all
# workers share. The server itself computes only what its pages show first, and does without.
prepare(("two_players", "starved"))
