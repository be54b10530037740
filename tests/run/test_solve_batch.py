"""Each black box finds its own values again after a search, whatever stands before it in the list."""

import numpy as np
import pandas as pd
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import Policy, rules
from p2ce.compile.batch import place_and_price
from p2ce.compile.requirements import Origin
from p2ce.explainer import problems_of
from p2ce.run.explain_batch import solve_batch
from p2ce.run.time_limits import LimitsLeft

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(RNG.normal(size=(80, 3)).round(1), columns=["a", "b", "c"])
LABEL = (ROWS["a"] + ROWS["b"] > 0).astype(int)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(ROWS, LABEL)
NETWORK = MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0).fit(ROWS, LABEL)


def sum_of_two(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-rows["a"] - rows["b"])))


def sum_of_all(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-rows.sum(axis=1))))


def closeness(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(5.0 - rows["c"].abs())


def test_values_are_those_of_the_requirement_that_they_are_recorded_under() -> None:
    models = [sum_of_two, TREE, NETWORK, sum_of_all]
    small = rules.predicate(lambda rows: rows["c"] < 9, name="c is small")
    policy = Policy.infer(ROWS).with_rules(small)
    explainer = p2ce.Explainer(
        models, ROWS, target=1, at_least=0.5, policy=policy, plausibility=closeness, max_changes=2
    )
    problem = problems_of(explainer).own
    rejected = ROWS[(sum_of_two(ROWS) < 0.5) & (sum_of_all(ROWS) < 0.5)].iloc[:3]
    batch = place_and_price(problem, problem.codebook.encode(rejected))
    fronts = solve_batch(batch, np.arange(3), LimitsLeft())
    instance = np.repeat(np.arange(3), np.diff(fronts.first))
    assert len(instance)
    frame = problem.frame(batch.rows(instance, fronts.points))
    expected = {
        number: {0: sum_of_two, 3: sum_of_all, None: closeness}[one.model](frame)
        for number, one in enumerate(problem.requirements)
        if one.is_recorded
    }
    assert [problem.requirements[number].origin for number in expected] == [
        Origin.MODEL,
        Origin.MODEL,
        Origin.DETECTOR,
    ]
    assert fronts.recorded.keys() == expected.keys()
    for number, values in expected.items():
        np.testing.assert_allclose(fronts.recorded[number], values, rtol=0, atol=1e-12)
