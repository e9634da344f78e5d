"""What the tracer needs of torch that torch does not promise to keep: here, and nowhere else.

The engine has a file of the same kind, lessons/tricks/torch_private.py.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from operator import attrgetter, methodcaller
from typing import Any

import torch

unseen: Callable[[], AbstractContextManager[None]] = torch._C.DisableTorchFunction
"""Within `with unseen():` no mode sees torch's calls: a recorder's own must not be recorded."""

transforms: Callable[[], int] = torch._C._functorch.get_dynamic_layer_stack_depth
"""How many of `torch.func`'s transforms are around what runs now."""

version: Callable[[torch.Tensor], int] = attrgetter("_version")
"""How often the tensor was changed in place."""

next_number: Callable[[], int] = torch._C._autograd._get_sequence_nr
"""The number that the next autograd node of this thread gets."""

number_of: Callable[[Any], int] = methodcaller("_sequence_nr")
"""The number of an autograd node: they count up as they are made."""

PICKLED = "_reduce_ex_internal"
"""The method of a tensor that copies it for pickle."""
