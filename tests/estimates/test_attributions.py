"""Check how attributions are computed, remembered and chosen, without any extra package."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeClassifier

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidOutput, MissingExtra
from p2ce.estimates import shap_explainers
from p2ce.estimates.attributions import Attributor
from p2ce.estimates.link_scale import Link
from p2ce.estimates.native import Parsed
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.explain.processes import pack
from p2ce.models.parse_model import parse_model
from tests.estimates.shapley import chance

RNG = np.random.default_rng(5)
REFERENCE, ROWS = RNG.normal(size=(60, 4)), RNG.normal(size=(9, 4))


def attributor(
    evaluate: Callable[[FloatArray], FloatArray] = chance, parsed: Parsed | None = None, **options: Any
) -> Attributor:
    return Attributor(ShapEstimate(**options), parsed, evaluate, REFERENCE, "abcd", 0, Link.LOGIT)


def test_a_repeated_row_costs_nothing() -> None:
    evaluated = 0

    def evaluate(rows: FloatArray) -> FloatArray:
        nonlocal evaluated
        evaluated += len(rows)
        return chance(rows)

    once = attributor(evaluate)
    first = once.explain(ROWS)
    before = evaluated
    assert_array_equal(once.explain(ROWS[::-1]), first[::-1])
    assert evaluated == before


def test_an_answer_depends_on_the_row_alone() -> None:
    together = attributor().explain(ROWS)
    alone = attributor()
    assert_array_equal(np.concatenate([alone.explain(row[None]) for row in ROWS[::-1]])[::-1], together)
    twice = attributor().explain(np.concatenate([ROWS, ROWS]))
    assert_array_equal(twice, np.concatenate([together, together]))


def test_seeds_decide_and_nothing_else() -> None:
    assert_array_equal(attributor(random_state=1).background, attributor(random_state=1).background)
    assert not np.array_equal(attributor(random_state=1).background, attributor(random_state=2).background)


def tree() -> Parsed:
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(REFERENCE, REFERENCE[:, 0] > 0)
    read = parse_model(fitted, reference=pd.DataFrame(REFERENCE, columns=list("abcd")))
    assert read.report is not None
    return Parsed(read.score, read.report)


@pytest.mark.parametrize("explainer", ["sampling", "tree"])
def test_it_travels_to_other_processes(explainer: str) -> None:
    before = attributor(parsed=tree(), explainer=explainer)
    after = pickle.loads(pack(before))
    assert after.explainer_name == explainer
    assert_array_equal(after.explain(ROWS), before.explain(ROWS))


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.estimates.attributions.REMEMBERED", 4)
    small = attributor()
    assert_array_equal(small.explain(ROWS), attributor().explain(ROWS))
    assert len(small._known) == 4


def test_a_model_without_structure_is_sampled() -> None:
    assert attributor().explainer_name == "sampling"
    assert attributor().evaluations == 1 + 2 * 3 * 16


def test_a_score_that_is_no_number_is_named() -> None:
    with pytest.raises(InvalidOutput, match="not finite"):
        attributor(lambda rows: np.where(rows[:, 0] > 0, np.nan, chance(rows))).explain(ROWS)


def test_a_missing_package_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_if_called(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(shap_explainers, "import_module", fail_if_called)
    with pytest.raises(MissingExtra, match=r"pip install 'p2ce\[shap\]'"):
        attributor(explainer="exact")
    # Trees need no package.
    assert attributor(parsed=tree()).explainer_name == "tree"
