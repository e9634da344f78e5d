"""What a learner sets of a loss scale."""

from lessons.contract.settings import choice, numbers, slider, whole
from lessons.kit.inputs import ComputedInFloat32, point_in_text

MOST = 30
"""The largest scale is 2 to this power."""


class Settings(ComputedInFloat32):
    scale = whole(65536, 1, 2**MOST, log=True)
    clip = choice("none", "before", "after")
    limit = slider(1, 0, 2, 0.05, accepts=(0, 1e6))
    narrow = choice("float16", "bfloat16", "float32")
    tokens = whole(32768, 1, 10**6, log=True)
    x = numbers("4, 1, 0.1, 0.01, 0.001, 0.0001, 0.00001", most=64)
    point = point_in_text(1, of="x", most=64)
