"""One list of scores: flat ones first, as the kernel numbers them, then the others as they are evaluated."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import Policy, rules
from p2ce.compile.batch import place_and_price
from p2ce.compile.requirements import Origin
from p2ce.engine.scores.external import REJECT
from p2ce.engine.scores.score import Bound
from p2ce.errors import BrokenPlugin
from p2ce.explainer import problems_of
from p2ce.models.detectors.parse_detector import with_checked_calls

RNG = np.random.default_rng(0)
PEOPLE = pd.DataFrame(RNG.normal(size=(80, 3)), columns=["a", "b", "c"])
LABEL = (PEOPLE["a"] + PEOPLE["b"] > 0).astype(int)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(PEOPLE, LABEL)
LINEAR = LogisticRegression().fit(PEOPLE[["c", "b", "a"]], LABEL)
NETWORK = MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0).fit(
    PEOPLE[["b", "a", "c"]], LABEL
)


def ask(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-rows["a"] - rows["b"])))


def problem_of(model: Any, **given: Any) -> Any:
    some = rules.predicate(lambda rows: rows["c"] < 99, name="c is small")
    policy = Policy.infer(PEOPLE).with_rules(some, rules.change_at_most_one("a", "c"))
    return problems_of(p2ce.Explainer(model, PEOPLE, target=1, policy=policy, **given)).own


def test_the_order_is_that_of_the_kernel_and_then_that_of_evaluation() -> None:
    problem = problem_of([ask, NETWORK, TREE, LINEAR], at_least=0.5)
    listed = [(one.origin, one.model, one.score.bound) for one in problem.requirements]
    assert listed == [
        (Origin.MODEL, 2, Bound.TREE_LEAVES),
        (Origin.DETECTOR, None, Bound.TREE_LEAVES),
        (Origin.MODEL, 3, Bound.ADDITIVE),
        (Origin.RULE, None, Bound.ADDITIVE),
        (Origin.MODEL, 1, Bound.NETWORK),
        (Origin.RULE, None, Bound.COMPLETE),
        (Origin.MODEL, 0, Bound.COMPLETE),
    ]
    assert [one.score.flat is not None for one in problem.requirements] == [True] * 4 + [False] * 3
    assert problem.model_scores == ((6,), (4,), (0,), (2,))
    assert problem.flat_detector == 1
    assert not problem.kernel_decides_alone
    assert problem.calls_user_code


def test_a_detector_family_must_return_a_score_or_a_function() -> None:
    detector = problem_of(TREE).detector
    for evaluate in (None, detector.evaluate):  # a forest that p2ce fitted is never called
        empty = replace(detector, score=None, evaluate=evaluate)
        with pytest.raises(BrokenPlugin, match=r"'isolation forest' returned neither a score nor a function"):
            with_checked_calls(empty)


def test_a_detector_that_is_a_black_box_comes_last() -> None:
    problem = problem_of(TREE, plausibility=lambda rows: 5.0 - rows["a"].abs())
    assert problem.requirements[-1].origin is Origin.DETECTOR
    assert problem.requirements[-1].score.bound is Bound.COMPLETE
    assert problem.flat_detector is None


@pytest.mark.parametrize(
    "model", [TREE, LINEAR, NETWORK, ask], ids=["tree", "linear", "network", "black box"]
)
def test_every_score_evaluates_cells_as_it_evaluates_their_rows(model: Any) -> None:
    """Whatever its form and the order of columns, a prepared score says the same of a cell and its row."""
    problem = problem_of(model)
    values = problem.codebook.encode(PEOPLE.iloc[:5])
    batch = place_and_price(problem, values)
    place = batch.placement
    instance = RNG.integers(0, 5, 40)
    cells = RNG.integers(place.lowest[instance], place.highest[instance] + 1).astype(np.int32)
    rows = batch.rows(instance, cells)
    for one, prepared in zip(problem.requirements, batch.scores, strict=True):
        if one.origin is Origin.RULE and one.score.flat is not None:
            continue  # a budget depends on the instance, and not on its row alone
        by_cells = prepared.evaluate(instance, cells)
        by_rows = one.score.evaluate_rows(rows[:, one.columns])
        np.testing.assert_allclose(by_cells.value, by_rows.value, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(by_cells.verdict, by_rows.verdict)
        assert one.score.reject_below <= one.score.accept_from
        below = by_rows.value < one.score.reject_below - 1e-9
        assert (by_rows.verdict[below] == REJECT).all()
