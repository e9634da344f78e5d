"""Imported by the process that workers are forked from: loads everything, once for all of them."""

from pages.server.prepare import prepare

prepare()
