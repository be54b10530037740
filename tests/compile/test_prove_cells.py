"""What parsed scores prove of cells and rows is what the model decides; a black box proves nothing."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

import p2ce
from p2ce.compile.batch import place_and_price, provably_rejected, prove_cells, prove_rows
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.explainer import problems_of

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(RNG.normal(size=(90, 3)).round(1), columns=["a", "b", "c"])
TWO = (ROWS["a"] + ROWS["b"] > 0).astype(int)
THREE = TWO + (ROWS["c"] > 0.5)
NETWORK = MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0)
FOREST = RandomForestClassifier(5, max_depth=3, random_state=0)


def sum_of_two(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-rows["a"] - rows["b"])))


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (FOREST.fit(ROWS, TWO), 1),
        (LogisticRegression().fit(ROWS, TWO), 1),
        (NETWORK.fit(ROWS, TWO), 1),
        # A score for each other class: all must accept, and one rejects.
        (RandomForestClassifier(5, max_depth=3, random_state=1).fit(ROWS, THREE), 2),
        (sum_of_two, 1),
    ],
    ids=["forest", "linear", "network", "three classes", "black box"],
)
def test_a_proof_is_what_the_model_decides(model: Any, target: int) -> None:
    black_box = model is sum_of_two
    given = {"at_least": 0.5} if black_box else {"target": target}
    problem = problems_of(p2ce.Explainer(model, ROWS, plausibility=None, **given)).own
    batch = place_and_price(problem, problem.codebook.encode(ROWS.iloc[:10]))
    place = batch.placement
    instance = RNG.integers(0, 10, 300)
    cells = RNG.integers(place.lowest[instance], place.highest[instance] + 1).astype(np.int32)
    rows = batch.rows(instance, cells)
    proof = prove_cells(batch, 0, instance, cells)
    if black_box:
        assert not (proof.verdict != UNDECIDED).any()
        assert not provably_rejected(batch).any()
        return
    accepted = model.predict(problem.frame(rows)) == target
    assert accepted[proof.verdict == ACCEPT].all()
    assert not accepted[proof.verdict == REJECT].any()
    assert (proof.verdict == ACCEPT).any()
    assert (proof.verdict == REJECT).any()
    again = prove_rows(problem, problem.model, rows)
    np.testing.assert_array_equal(again.verdict, proof.verdict)
    today = model.predict(ROWS.iloc[:10]) == target
    assert not today[provably_rejected(batch)].any()
    assert provably_rejected(batch).any()


def test_every_model_gets_the_columns_in_its_own_order() -> None:
    turned = RandomForestClassifier(5, max_depth=3, random_state=0).fit(ROWS[["c", "b", "a"]], THREE > 0)
    explainer = p2ce.Explainer([FOREST.fit(ROWS, TWO), turned], ROWS, target=1, plausibility=None)
    problem = problems_of(explainer).own
    values = problem.codebook.encode(ROWS)
    for model, own in zip(problem.models, (FOREST, turned), strict=True):
        proof = prove_rows(problem, model, values)
        accepted = own.predict(ROWS[[*own.feature_names_in_]]) == 1
        assert (proof.verdict != UNDECIDED).all()
        np.testing.assert_array_equal(proof.verdict == ACCEPT, accepted)
