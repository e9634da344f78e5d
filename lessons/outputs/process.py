"""The set-up of a process for torch's small tensors."""

import ast
import ctypes
import functools
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import torch


def suit_small_tensors() -> None:
    """Set this process up for tensors of at most some megabytes, as those of the labs.

    One thread for each computation: a second OpenMP thread gains nothing, and when anything else
    wants the cores its waiting costs much. Measured on two busy cores: 9 ms on one thread, 220 ms
    on two.

    Freed memory is kept for the next tensor: the C library's default hands it back to the system
    at once and takes it page by page again, thousands of page faults for each step of a training.
    ``pages.server.process`` hands it back now and then.
    """
    torch.set_num_threads(1)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc has it
        if mallopt is not None:
            mallopt(_M_MMAP_THRESHOLD, 32 << 20)
            mallopt(_M_TRIM_THRESHOLD, 128 << 20)
            mallopt(_M_ARENA_MAX, 2)  # else each thread keeps some megabytes for itself


def leave_unsaid() -> None:
    """Keep torch's warnings that two lessons are about out of the log: their pages show them."""
    for beginning in ("None of the inputs have requires_grad", "To copy construct from a tensor"):
        warnings.filterwarnings("ignore", message=beginning)


def parse_in_turn() -> None:
    """Let one thread at a time make a tree of Python's text, whoever asks for it.

    Python 3.11 counts for all threads together how deep they are in their trees, and raises a
    SystemError where two were at it ("AST constructor recursion depth mismatch"): of 48 pages that
    opened at once, four showed it.
    """
    if sys.version_info >= (3, 12) or hasattr(ast.parse, "__wrapped__"):
        return
    parse: Callable[..., Any] = ast.parse
    turn = threading.RLock()

    @functools.wraps(parse)
    def parsed(*given: Any, **named: Any) -> Any:
        with turn:
            return parse(*given, **named)

    ast.parse = parsed


# As malloc.h numbers them.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
