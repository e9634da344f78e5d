"""Where torch computes and in which number format, by a lab's parameters ``device`` and ``dtype``.

A lesson says itself what must be said of them: labs read ``device_and_dtype`` and no more.
"""

import os

import torch

from lessons.contract.environment import CUDA
from lessons.contract.parameters import Values
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}


def devices() -> list[str]:
    """The devices of this machine by torch's names, the CPU first."""
    found = ["cpu"]
    found += [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def resolve(wanted: str) -> tuple[torch.device, str | None]:
    """The device to compute on, and what to tell the learner if it is not the one wanted."""
    name = f"cuda:{_own_cuda()}" if wanted == "cuda" else wanted
    if name in devices():
        return torch.device(name), None
    return torch.device("cpu"), WORDS("no_device", wanted=wanted)


def device_and_dtype(values: Values) -> tuple[torch.device, torch.dtype]:
    """The device and the number format in these settings."""
    return resolve(values["device"])[0], DTYPES[values["dtype"]]


def refused(values: Values) -> dict[str, str]:
    """A refusal, by parameter name, where this machine's device lacks the number format."""
    if values.get("device") == "mps" and values["dtype"] == "float64" and "mps" in devices():
        return {"dtype": WORDS("no_float64")}
    return {}


def _own_cuda() -> int:
    told = os.environ.get(CUDA, "0")
    return int(told) % max(1, torch.cuda.device_count()) if told.isdecimal() else 0
