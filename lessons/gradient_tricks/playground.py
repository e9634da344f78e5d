"""Runs a program of the playground in a file: put it below these two lines.

::

    import torch
    from gradient_tricks.playground import *

Tensors are in float64 from then on, as in the playground; ``torch.set_default_dtype`` changes it.
``torch.set_default_device`` chooses where torch computes.
"""

import torch

from .tricks.playground import *  # noqa: F403
from .tricks.playground import __all__  # noqa: F401

torch.set_default_dtype(torch.float64)
