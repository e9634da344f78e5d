"""Gradient tricks for torch: stop, replace, flip, scale, clip, and override by op type.

The public face. Only torch and the standard library are used; read plain.py first.
"""

from .errors import TrickError
from .modules import Trick
from .optypes import op_types
from .override_map import checkpoint_context, gradient_override_map
from .plain import forward_backward, identity, py_func, stop_gradient, straight_through
from .registry import fresh_registry, register_gradient
from .shape import clip_gradient, clip_gradient_norm, flip_gradient, scale_gradient

__version__ = "0.2.0"

__all__ = [
    "Trick",
    "TrickError",
    "checkpoint_context",
    "clip_gradient",
    "clip_gradient_norm",
    "flip_gradient",
    "forward_backward",
    "fresh_registry",
    "gradient_override_map",
    "identity",
    "op_types",
    "py_func",
    "register_gradient",
    "scale_gradient",
    "stop_gradient",
    "straight_through",
]
