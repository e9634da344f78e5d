"""Which devices and dtypes torch can compute on here."""

import torch

DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}


def one_thread_each() -> None:
    """Let every thread of this process compute on itself alone.

    The labs' tensors are small: a second OpenMP thread gains nothing, and when anything else
    wants the cores its waiting costs much. Measured on two busy cores: 9 ms on one thread, 220 ms
    on two.
    """
    torch.set_num_threads(1)


def devices() -> list[str]:
    """The devices of this machine by torch's names, the CPU first."""
    found = ["cpu"]
    found += [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def resolve(wanted: str) -> tuple[torch.device, str | None]:
    """The device to compute on, and what to tell the learner if it is not the one wanted."""
    name = "cuda:0" if wanted == "cuda" else wanted
    if name in devices():
        return torch.device(name), None
    return torch.device("cpu"), f"There is no device {wanted} on this machine; the CPU is used."
