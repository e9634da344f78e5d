"""Many small cases in one test, where pytest's own share of a test would be more than the case's.

All cases run, also after one that failed; each that failed is told by name, with its traceback.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def folded(
    names: str, cases: Iterable[Any], ids: Callable[[Any], object] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, in one test.

    A fixture is made once for all cases: not for a test whose cases change what it is given.

    Args:
        names: of the arguments that a case fills, separated by commas.
        cases: a value each, or a tuple of values where there are several names.
        ids: what a case is called when it fails.
    """
    filled = [name.strip() for name in names.split(",")]
    known = list(cases)

    def fold(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def whole(**fixtures: Any) -> None:
            failed, skipped = [], []
            for case in known:
                values = case if len(filled) > 1 else (case,)
                try:
                    test(**fixtures, **dict(zip(filled, values, strict=True)))
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"The case: {ids(case)}")
                    failed.append(error)
            if failed:
                message = f"{len(failed)} of {len(known)} cases"
                raise BaseExceptionGroup(message, failed)
            if len(skipped) == len(known):
                pytest.skip(f"all cases: {skipped[0] if skipped else 'there are none'}")

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in filled]
        whole.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return whole

    return fold
