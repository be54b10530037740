"""Check how attributions are computed, remembered and chosen: by sampling, by trees, and by shap."""

import logging
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier

from p2ce.base.arrays import FloatArray
from p2ce.errors import InvalidArgument, InvalidOutput, MissingExtra
from p2ce.models.estimates import shap_explainers
from p2ce.models.estimates.attributions import Attributor
from p2ce.models.estimates.link_scale import LinkScale
from p2ce.models.estimates.native import Parsed
from p2ce.models.estimates.permutation_sampling import Sampler
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.models.parse_model import parse_model
from p2ce.run.many.processes import pack
from tests.models.estimates.shapley import chance, crooked, shapley
from tests.optional import needs

RNG = np.random.default_rng(5)
REFERENCE, ROWS = RNG.normal(size=(60, 4)), RNG.normal(size=(9, 4))
OWN, SHAP = ["sampling", "tree"], ["exact", "kernel", "permutation"]


class Counted:
    """A score that counts the rows of its calls."""

    def __init__(self, score: Callable[[FloatArray], FloatArray] = chance) -> None:
        self.score, self.rows = score, 0

    def __call__(self, rows: FloatArray) -> FloatArray:
        self.rows += len(rows)
        return self.score(rows)


def tree() -> Parsed:
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(REFERENCE, REFERENCE[:, 0] > 0)
    read = parse_model(fitted, reference=pd.DataFrame(REFERENCE, columns=list("abcd")))
    assert read.report is not None
    return Parsed(read.score, read.report)


def attributor(
    explainer: str = "auto", evaluate: Any = chance, parsed: Parsed | None = None, **options: Any
) -> Attributor:
    if explainer in SHAP:
        needs("shap")
    spec = ShapEstimate(explainer=explainer, **options)
    return Attributor(spec, parsed, evaluate, REFERENCE, "abcd", 0, LinkScale.LOGIT)


@pytest.mark.parametrize("name", [*OWN, *SHAP])
def test_an_attribution_depends_on_the_row_alone_and_is_computed_once(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    score = Counted()
    one, other = (attributor(name, score, tree(), background=8) for _ in range(2))
    assert one.explainer_name == name
    together = one.explain(ROWS)
    before = score.rows
    assert_array_equal(one.explain(ROWS[::-1]), together[::-1])
    assert score.rows == before
    assert_array_equal(np.concatenate([other.explain(row[None]) for row in ROWS[::-1]])[::-1], together)
    # The global generator and the streams are left alone.
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", SHAP)
def test_other_threads_keep_their_output_and_the_global_generator(name: str) -> None:
    """Whatever the model sees while it is called, another thread sees too."""
    state, stdout, level = np.random.get_state()[1].copy(), sys.stdout, logging.getLogger("shap").level  # noqa: NPY002
    seeds: list[bool] = []

    def score(rows: np.ndarray) -> np.ndarray:
        assert sys.stdout is stdout
        assert logging.getLogger("shap").level == level
        seeds.append(not np.array_equal(np.random.get_state()[1], state))  # noqa: NPY002
        return chance(rows)

    attributor(name, score, background=8).explain(ROWS[:2])
    # Only permutations must be drawn here: the kernel explainer enumerates the coalitions of four columns.
    assert any(seeds) == (name == "permutation")


@pytest.mark.parametrize("name", ["exact", "kernel"])
def test_the_exhaustive_explainers_meet_the_definition(name: str) -> None:
    found = attributor(name, background=8)
    exact = [shapley(found.score, row, found.background) for row in ROWS]
    assert_allclose(found.explain(ROWS), exact, atol=1e-9)


@pytest.mark.parametrize("name", OWN)
def test_it_travels_to_other_processes(name: str) -> None:
    before = attributor(name, parsed=tree())
    after = pickle.loads(pack(before))
    assert after.explainer_name == name
    assert_array_equal(after.explain(ROWS), before.explain(ROWS))


def test_what_cannot_be_computed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidOutput, match="one finite number per column"):
        attributor(evaluate=lambda rows: np.where(rows[:, 0] > 0, np.nan, chance(rows))).explain(ROWS)
    wide = RNG.normal(size=(30, 21))
    with pytest.raises(InvalidArgument, match=r"2\*\*21"):
        Attributor(ShapEstimate(explainer="exact"), None, chance, wide, [f"c{i}" for i in range(21)], 0)

    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(shap_explainers, "import_module", fail)
    with pytest.raises(MissingExtra, match=r"pip install 'shap>=.*sampling"):
        attributor("kernel")
    # Trees need no package, and neither does sampling.
    assert attributor(parsed=tree()).explainer_name == "tree"
    assert (attributor().explainer_name, attributor().evaluations) == ("sampling", 1 + 2 * 3 * 16)


BACKGROUND = REFERENCE[:5]


def test_sampling_there_and_back_is_exact_for_pairs_of_columns() -> None:
    # Each of two columns that act together joins first in one of the two directions.
    score = Counted(crooked)
    sampler = Sampler.build(score, BACKGROUND, np.random.default_rng(0))
    score.rows = 0
    found = sampler.explain(ROWS)
    assert score.rows == len(ROWS) * sampler.evaluations
    assert_allclose(found, [shapley(crooked, row, BACKGROUND) for row in ROWS], atol=1e-12)
    # Values that are planted into a column are explained like whole rows.
    values = np.array([-1.0, 0.0, 2.5])
    planted = sampler.explain_planted(ROWS, 2, values)
    for column, value in enumerate(values):
        rows = ROWS.copy()
        rows[:, 2] = value
        assert_allclose(planted[:, column], sampler.explain(rows)[:, 2], atol=1e-12)


def test_many_permutations_come_close_to_the_definition() -> None:
    def score(rows: np.ndarray) -> np.ndarray:
        return np.tanh(rows.sum(axis=1)) + rows[:, 0] * rows[:, 1] * rows[:, 2]

    samplers = [Sampler.build(score, BACKGROUND, np.random.default_rng(seed)) for seed in range(200)]
    rough = np.mean([sampler.explain(ROWS) for sampler in samplers], axis=0)
    assert_allclose(rough, [shapley(score, row, BACKGROUND) for row in ROWS], atol=0.05)
