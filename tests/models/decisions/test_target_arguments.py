"""Is a target, threshold or scale that makes no sense rejected with what to pass instead?"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from p2ce.errors import InvalidArgument, InvalidTarget
from p2ce.models.decisions.target_arguments import checked_range, require_scale


def request(target: object = (0, 1), at_least: float | None = None, scale: str | None = None) -> object:
    return SimpleNamespace(target=target, at_least=at_least, at_most=None, scale=scale, margin=0.0)


def test_a_range_may_be_open_at_one_end():
    assert checked_range(request((None, 3)), name="model") == (-math.inf, 3.0)
    assert checked_range(request([np.float32(0.5), math.inf]), name="model") == (0.5, math.inf)
    assert checked_range(request((2, 2)), name="model") == (2.0, 2.0)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (1, "is a regressor: pass target="),
        ("rich", "is a regressor: pass target="),
        ((1, 2, 3), "is a regressor: pass target="),
        ((None, None), "excludes nothing"),
        ((-math.inf, math.inf), "excludes nothing"),
        ((3, 1), "Swap them"),
        ((math.nan, 1), "must be numbers"),
        ((True, 2), "must be numbers"),
        (("low", "high"), "must be numbers"),
        ((math.inf, None), "must be numbers"),
    ],
)
def test_what_is_no_range_is_told(target, message):
    with pytest.raises(InvalidTarget, match=message):
        checked_range(request(target), name="model")


def test_a_regressor_takes_neither_at_least_nor_scale():
    with pytest.raises(InvalidArgument, match="Pass only one of them"):
        checked_range(request(at_least=0.5), name="model")
    with pytest.raises(InvalidArgument, match="Leave scale out"):
        checked_range(request(scale="decision"), name="model")
    with pytest.raises(InvalidArgument, match="Pass scale='probability', or leave scale out"):
        require_scale(request(scale="decision"), ("probability",), name="model")
