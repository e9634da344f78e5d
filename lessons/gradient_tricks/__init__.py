"""Gradient tricks for torch, and a doctor that finds what is wrong with a gradient."""

from . import doctor, tricks
from .doctor import *  # noqa: F403
from .tricks import *  # noqa: F403
from .tricks import __version__ as __version__

__all__: list[str] = []
__all__ += doctor.__all__
__all__ += tricks.__all__
