"""What the engine needs of torch that torch does not promise to keep: here, and nowhere else.

Each is bound once, under a name of ours. When a new torch renames one, this file changes alone.
"""

from collections.abc import Callable

import torch
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode_stack,
    _pop_mode,
    _push_mode,
)

function_modes: Callable[[], list[TorchFunctionMode]] = _get_current_function_mode_stack
"""The `TorchFunctionMode`s around what this thread runs now, the innermost last."""

count_function_modes: Callable[[], int] = torch._C._len_torch_function_stack
"""Count the `TorchFunctionMode`s, which is quicker than a list of them."""

push_function_mode: Callable[[TorchFunctionMode], None] = _push_mode
pop_function_mode: Callable[[], TorchFunctionMode] = _pop_mode

under_transforms: Callable[[], bool] = torch._C._are_functorch_transforms_active
"""Whether `torch.func.grad`, `vmap` or the like is around what runs now."""

is_view: Callable[[torch.Tensor], bool] = torch.Tensor._is_view
