"""Laws: our explainers of trees and networks give SHAP values as defined, and those of the shap package."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.score import FlatScore, score_rows
from p2ce.errors import InvalidArgument
from p2ce.models.estimates.attributions import Attributor
from p2ce.models.estimates.link_scale import LinkScale, to_scale
from p2ce.models.estimates.native import DeepShap, Parsed, native_explainer
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.models.estimates.tree_shap import TreeShap
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import MISSING
from tests.models.estimates.shapley import chance, shapley
from tests.optional import needs
from tests.properties.amount import examples
from tests.properties.random_problems import make_problem

COLUMNS = list("abcd")
RNG = np.random.default_rng(7)


def drawn(rows: int) -> FloatArray:
    """Draw numbers that single precision holds: scikit-learn casts rows to it, and shap does not."""
    return np.rint(64 * RNG.normal(size=(rows, 4))) / 64


REFERENCE = pd.DataFrame(drawn(160), columns=COLUMNS)
LABELS = (chance(REFERENCE.to_numpy()) > RNG.random(160)).astype(int)
# Rows twice in the background count twice; explained ones that stand in it gain nothing there.
BACKGROUND = np.concatenate([REFERENCE.to_numpy()[:9], REFERENCE.to_numpy()[:3]])
ROWS = np.concatenate([drawn(6), BACKGROUND[:2]])
WITH_GAPS = REFERENCE.mask(np.random.default_rng(1).random(REFERENCE.shape) < 0.25)

TREES: dict[str, Callable[[], Any]] = {
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "random forest": lambda: RandomForestClassifier(12, max_depth=5, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=12, random_state=0),
    "histograms": lambda: HistGradientBoostingClassifier(max_iter=12, min_samples_leaf=5, random_state=0),
    "scaled": lambda: make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=9)),
}
NETWORKS: dict[str, Callable[[], Any]] = {
    name: lambda name=name: MLPClassifier((7, 5), activation=name, max_iter=80, tol=0.1, random_state=0)
    for name in ("relu", "tanh", "logistic", "identity")
}


def parsed(model: Any, frame: pd.DataFrame = REFERENCE, target: int = 1) -> Parsed:
    read = parse_model(model, reference=frame, target=target)
    assert read.score is not None
    assert read.report is not None
    return Parsed(read.score, read.report)


def encoded(frame: pd.DataFrame) -> FloatArray:
    return frame.fillna(MISSING).to_numpy(dtype=float)


def unchanged(margins: FloatArray) -> FloatArray:
    return margins


def attributor(found: Parsed | None, explainer: str, link: LinkScale = LinkScale.LOGIT) -> Attributor:
    spec = ShapEstimate(explainer=explainer, background=8)
    return Attributor(spec, found, chance, REFERENCE.to_numpy(), COLUMNS, 0, link)


@pytest.mark.parametrize("name", TREES)
def test_trees_are_explained_by_the_definition(name: str) -> None:
    score = parsed(TREES[name]().fit(REFERENCE, LABELS)).score
    assert isinstance(score, FlatScore)
    expected = [shapley(lambda rows: score_rows(score, rows), row, BACKGROUND) for row in ROWS]
    assert_allclose(TreeShap(score, BACKGROUND, unchanged).explain(ROWS), expected, atol=1e-9)


def test_missing_values_are_explained_by_the_definition() -> None:
    model = TREES["histograms"]().fit(WITH_GAPS, LABELS)
    score = parsed(model, WITH_GAPS).score
    assert isinstance(score, FlatScore)
    background, rows = encoded(WITH_GAPS)[:12], encoded(WITH_GAPS)[10:20]
    assert (background == MISSING).any()
    assert (rows == MISSING).any()
    expected = [shapley(lambda mixed: score_rows(score, mixed), row, background) for row in rows]
    assert_allclose(TreeShap(score, background, unchanged).explain(rows), expected, atol=1e-9)


@examples(25)
@given(seed=st.integers(0, 10_000))
def test_any_forest_is_explained_by_the_definition(seed: int) -> None:
    problem = make_problem(seed, columns=4, axes=4, people=5, scores=3, objectives=1)
    rows = problem.people
    for score in problem.scores:
        if score.forest is not None:
            expected = [
                shapley(lambda mixed, score=score: score_rows(score, mixed), row, rows) for row in rows
            ]
            assert_allclose(TreeShap(score, rows, unchanged).explain(rows), expected, atol=1e-9)


def test_networks_without_products_of_columns_are_explained_by_the_definition() -> None:
    """The rescale rule is exact where every unit reads one column; how columns meet later is a sum."""
    rng = np.random.default_rng(3)
    for activation in ("relu", "leaky_relu", "tanh", "sigmoid"):
        one_column = np.kron(np.eye(4), np.ones((1, 3))) * rng.normal(size=(4, 12))
        layers = (
            Layer(weights=one_column, bias=rng.normal(size=12), activation=activation, slope=0.2),
            Layer(weights=rng.normal(size=(12, 1)), bias=rng.normal(size=1)),
        )
        score = NetworkScore(name="sum", column_count=4, layers=layers, accept_from=0.0, reject_below=0.0)
        expected = [shapley(score.score_rows, row, BACKGROUND) for row in ROWS]
        # Rows that are equal in a column are separated by slopes, which are taken numerically.
        assert_allclose(DeepShap(score, BACKGROUND, unchanged).explain(ROWS), expected, atol=1e-6)


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("link", LinkScale)
@pytest.mark.parametrize("name", [*TREES, *NETWORKS])
def test_attributions_add_up_on_the_scale_that_is_given(name: str, link: LinkScale, target: int) -> None:
    model = {**TREES, **NETWORKS}[name]().fit(REFERENCE, LABELS)
    kind = "tree" if name in TREES else "deep"

    def scale(values: FloatArray) -> FloatArray:
        return to_scale(values, link)

    explainer = native_explainer(kind, parsed(model, target=target), BACKGROUND, scale)
    assert explainer.evaluations == 0
    own, known = (
        scale(model.predict_proba(pd.DataFrame(rows, columns=COLUMNS))[:, target])
        for rows in (ROWS, BACKGROUND)
    )
    found = explainer.explain(ROWS)
    assert found.shape == ROWS.shape
    assert_allclose(found.sum(axis=1) + known.mean(), own, atol=1e-5)
    # Someone who stands alone in the background differs from it in nothing.
    alone = native_explainer(kind, parsed(model, target=target), ROWS[:1], scale)
    assert_array_equal(alone.explain(ROWS[:1]), np.zeros((1, 4)))


def shap_trees(model: Any, background: pd.DataFrame, rows: pd.DataFrame) -> FloatArray:
    """Return the attributions of the probability of class 1 by shap's TreeExplainer."""
    shap = needs("shap")
    explainer = shap.TreeExplainer(
        model, background, model_output="probability", feature_perturbation="interventional"
    )
    found = np.asarray(explainer.shap_values(rows, check_additivity=False))
    return found[..., 1] if found.ndim == 3 else found


@pytest.mark.parametrize("frame", [REFERENCE, WITH_GAPS], ids=["complete", "with gaps"])
def test_trees_of_lightgbm_are_explained_as_shap_explains_them(frame: pd.DataFrame) -> None:
    lightgbm = needs("lightgbm")
    model = lightgbm.LGBMClassifier(
        n_estimators=15, num_leaves=7, min_child_samples=5, verbose=-1, random_state=0
    ).fit(frame, LABELS)
    background, rows = pd.concat([frame[:30], frame[:5]]), frame[40:60]
    explainer = native_explainer("tree", parsed(model, frame), encoded(background), unchanged)
    assert_allclose(explainer.explain(encoded(rows)), shap_trees(model, background, rows), atol=1e-6)


@pytest.mark.torch
def test_networks_are_explained_as_shap_explains_them() -> None:
    torch = needs("torch")
    shap = needs("shap")
    nn = torch.nn
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = nn.Sequential(
            *(nn.Linear(4, 9), nn.ReLU(), nn.Linear(9, 6), nn.Tanh(), nn.Linear(6, 1), nn.Sigmoid())
        ).eval()
    explainer = native_explainer("deep", parsed(module), BACKGROUND, unchanged)
    rows, background = (torch.as_tensor(part, dtype=torch.float32) for part in (ROWS, BACKGROUND))
    theirs = np.asarray(shap.DeepExplainer(module, background).shap_values(rows, check_additivity=False))
    assert_allclose(explainer.explain(ROWS), theirs.reshape(ROWS.shape), atol=1e-4)


@pytest.mark.parametrize(
    ("name", "kind"), [("random forest", "tree"), ("boosting", "tree"), ("relu", "deep")]
)
def test_the_explainer_that_fits_the_model_is_chosen(name: str, kind: str) -> None:
    model = {**TREES, **NETWORKS}[name]().fit(REFERENCE, LABELS)
    found = attributor(parsed(model), "auto")
    assert (found.explainer_name, found.evaluations) == (kind, 0)
    assert_array_equal(found.explain(ROWS), attributor(parsed(model), kind).explain(ROWS))
    # It is not the one that evaluates, which is had by its name.
    assert attributor(parsed(model), "sampling").explainer_name == "sampling"


@pytest.mark.parametrize("kind", ["tree", "deep"])
def test_a_model_of_another_kind_is_rejected_with_advice(kind: str) -> None:
    linear = parsed(LogisticRegression().fit(REFERENCE, LABELS))
    other = {**TREES, **NETWORKS}["relu" if kind == "tree" else "boosting"]().fit(REFERENCE, LABELS)
    for found in (None, linear, parsed(other)):
        with pytest.raises(InvalidArgument, match='explainer="sampling"'):
            attributor(found, kind)
    assert attributor(linear, "auto").explainer_name == "sampling"
    assert attributor(None, "auto").explainer_name == "sampling"
