"""A score that cannot be right is rejected when it is made: its author reads what was expected and given."""

from collections.abc import Callable

import numpy as np
import pytest

from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.score import FlatScore, seen_in_single
from p2ce.engine.scores.trees.forest import NO_TREES
from p2ce.errors import InvalidModel

LAST = Layer(weights=np.ones((2, 1)), bias=np.zeros(1))


def flat(**given: object) -> FlatScore:
    parts: dict[str, object] = {"weights": np.ones(2), "accept_from": 0.0, "reject_below": 0.0}
    return FlatScore(name="card", column_count=2, **(parts | given))  # type: ignore[arg-type]


def network(**given: object) -> NetworkScore:
    parts: dict[str, object] = {"layers": (LAST,), "accept_from": 0.0, "reject_below": 0.0}
    return NetworkScore(name="net", column_count=2, **(parts | given))  # type: ignore[arg-type]


WIDE = Layer(weights=np.ones((2, 2)), bias=np.zeros(2))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: flat(weights=None), "expects one of forest, weights and spending, got none"),
        (lambda: flat(forest=NO_TREES), "got forest and weights"),
        (lambda: flat(weights=np.ones(3)), r"expects 2 weights, one for each column, got .* \(3,\)"),
        (lambda: flat(reject_below=1.0), "expects reject_below <= accept_from, got 1.0 and 0.0"),
        (lambda: flat(accept_from=np.nan), "got 0.0 and nan"),
        (lambda: network(reject_below=1.0), "'net' expects reject_below <= accept_from"),
        (lambda: network(layers=()), "expects a last layer with one output .* got no layer"),
        (lambda: network(layers=(WIDE,)), "got 2 outputs and identity"),
        (
            lambda: network(layers=(Layer(weights=np.ones((2, 1)), bias=np.zeros(1), activation="relu"),)),
            "got 1 outputs and relu",
        ),
        (
            lambda: network(layers=(WIDE, Layer(weights=np.ones((3, 1)), bias=np.zeros(1)))),
            r"Layer 2 .* expects weights of shape \(2, …\), .* got \(3, 1\)",
        ),
        (lambda: network(rising=np.ones(3, dtype=np.bool_)), r"each of its 2 inputs, got .* \(3,\)"),
        (lambda: Layer(weights=np.ones((2, 1)), bias=np.zeros(1), activation="gelu"), "got 'gelu'"),
        (lambda: Layer(weights=np.ones((2, 1)), bias=np.zeros(1), slope=2.0), "between 0 and 1, got 2.0"),
        (lambda: Layer(weights=np.ones((1, 2)), bias=np.zeros(1)), r"shapes \(1, 2\) and \(1,\)"),
    ],
)
def test_the_author_of_a_score_reads_what_was_expected_and_given(
    make: Callable[[], object], words: str
) -> None:
    with pytest.raises(InvalidModel, match=words):
        make()


def test_single_precision_is_seen_as_the_library_casts_it() -> None:
    rows = np.array([[0.1, -2.5, 1e300, -np.inf]])
    assert seen_in_single(rows).tolist() == [[float(np.float32(0.1)), -2.5, np.inf, -np.inf]]
