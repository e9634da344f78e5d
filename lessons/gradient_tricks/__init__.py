"""The package that people install: tricks for torch's gradients, and a doctor that finds faults."""

from . import doctor, tricks
from .doctor import *  # noqa: F403
from .tricks import *  # noqa: F403
from .tricks import __version__ as __version__

__all__: list[str] = []  # type checkers follow `__all__ += m.__all__`, but not `a + b`
__all__ += doctor.__all__
__all__ += tricks.__all__
