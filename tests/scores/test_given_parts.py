"""Do the parts that a plug-in builds scores from say what is wrong with them, also under ``python -O``?"""

from typing import Any

import numpy as np
import pytest

from p2ce.errors import InvalidModel
from p2ce.extend import FlatScore, Layer
from p2ce.scores.network import NetworkScore

WEIGHTS = np.ones(2)
HIDDEN = Layer(weights=np.ones((2, 3)), bias=np.zeros(3), activation="relu")
LAST = Layer(weights=np.ones((3, 1)), bias=np.zeros(1))


def flat(**changed: Any) -> FlatScore:
    arguments = {"weights": WEIGHTS, "accept_from": 0.0, "reject_below": 0.0, **changed}
    return FlatScore(name="model", column_count=2, **arguments)


def network(*layers: Layer, **changed: Any) -> NetworkScore:
    arguments = {"accept_from": 0.0, "reject_below": 0.0, **changed}
    return NetworkScore(name="model", column_count=2, layers=layers, **arguments)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: flat(weights=None), "exactly one of forest=, weights= and spending=; got 0"),
        (lambda: flat(reject_below=1.0), "reject_below <= accept_from; got 1.0 and 0.0"),
        (lambda: flat(accept_from=np.nan), "reject_below <= accept_from; got 0.0 and nan"),
        (
            lambda: Layer(weights=np.ones((2, 3)), bias=np.zeros(3), activation="gelu"),
            "one of identity, relu",
        ),
        (lambda: Layer(weights=np.ones((2, 3)), bias=np.zeros(3), slope=2.0), "from 0 to 1; got 2.0"),
        (lambda: Layer(weights=np.ones((3, 2)), bias=np.zeros(3)), r"got \(3, 2\) and \(3,\). Transpose"),
        (lambda: network(), "the last must return one score"),
        (lambda: network(HIDDEN), r"layers of \[2\] inputs and \[3\] outputs"),
        (lambda: network(LAST), "the first the 2 inputs"),
        (lambda: network(HIDDEN, HIDDEN), "take what the one before returns"),
        (
            lambda: network(HIDDEN, Layer(weights=np.ones((3, 1)), bias=np.zeros(1), activation="tanh")),
            "must have no activation; got 'tanh'",
        ),
        (lambda: network(HIDDEN, LAST, reject_below=1.0), "reject_below <= accept_from"),
    ],
)
def test_a_wrong_part_is_named(build: Any, message: str) -> None:
    with pytest.raises(InvalidModel, match=message):
        build()


def test_right_parts_are_taken() -> None:
    assert flat().bound is not None
    assert network(HIDDEN, LAST).tolerance(np.zeros((1, 2))) >= 0.0
