"""Check that shap's own explainers explain the score that the user means, and leave no trace."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from p2ce.errors import InvalidArgument
from p2ce.estimates.attributions import Attributor
from p2ce.estimates.link_scale import Link
from p2ce.estimates.shap_estimate import ShapEstimate
from tests.estimates.shapley import chance, shapley

pytest.importorskip("shap")

RNG = np.random.default_rng(7)
REFERENCE, ROWS = RNG.normal(size=(120, 4)), RNG.normal(size=(6, 4))


def attributor(explainer: str) -> Attributor:
    spec = ShapEstimate(explainer=explainer, background=8)
    return Attributor(spec, None, chance, REFERENCE, "abcd", 0, Link.LOGIT)


def assert_adds_up(found: Attributor, tolerance: float) -> None:
    total = found.explain(ROWS).sum(axis=1) + found.score(found.background).mean()
    assert_allclose(total, found.score(ROWS), atol=tolerance)


@pytest.mark.parametrize("name", ["exact", "kernel"])
def test_the_exhaustive_explainers_meet_the_definition(name: str) -> None:
    found = attributor(name)
    exact = [shapley(found.score, row, found.background) for row in ROWS]
    assert_allclose(found.explain(ROWS), exact, atol=1e-9)


def test_permutations_add_up() -> None:
    assert_adds_up(attributor("permutation"), 1e-9)


def test_too_many_columns_for_all_coalitions() -> None:
    wide = RNG.normal(size=(30, 21))
    with pytest.raises(InvalidArgument, match=r"2\*\*21"):
        Attributor(ShapEstimate(explainer="exact"), None, chance, wide, [f"c{i}" for i in range(21)], 0)


@pytest.mark.parametrize("name", ["permutation", "kernel"])
def test_the_global_generator_is_left_alone(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, other = attributor(name), attributor(name)
    together = one.explain(ROWS)
    assert_array_equal(np.concatenate([other.explain(row[None]) for row in ROWS[::-1]])[::-1], together)
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert capsys.readouterr() == ("", "")
