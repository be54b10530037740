"""Check that shap's own explainers explain the score that the user means, and leave no trace."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidOption
from p2ce.estimates.attributions import Attributor
from p2ce.estimates.scales import Link
from p2ce.estimates.spec import ShapEstimate
from tests.estimates.shapley import chance, shapley

pytest.importorskip("shap")

RNG = np.random.default_rng(7)
REFERENCE, ROWS = RNG.normal(size=(120, 4)), RNG.normal(size=(6, 4))
LABELS = (chance(REFERENCE) > RNG.random(120)).astype(int)


def attributor(ask: Callable[[FloatArray], FloatArray], model: Any, explainer: str) -> Attributor:
    spec = ShapEstimate(explainer=explainer, background=8)
    return Attributor(spec, model, ask, REFERENCE, "abcd", 0, Link.LOGIT)


def assert_adds_up(found: Attributor, tolerance: float) -> None:
    total = found.explain(ROWS).sum(axis=1) + found.score(found.background).mean()
    assert_allclose(total, found.score(ROWS), atol=tolerance)


@pytest.mark.parametrize("name", ["exact", "kernel"])
def test_the_exhaustive_explainers_meet_the_definition(name: str) -> None:
    found = attributor(chance, None, name)
    exact = [shapley(found.score, row, found.background) for row in ROWS]
    assert_allclose(found.explain(ROWS), exact, atol=1e-9)


def test_permutations_add_up() -> None:
    assert_adds_up(attributor(chance, None, "permutation"), 1e-9)


@pytest.mark.parametrize("target", [0, 1])
def test_boosted_trees_are_explained_in_log_odds_of_the_target(target: int) -> None:
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(REFERENCE, LABELS)
    found = attributor(lambda rows: model.predict_proba(rows)[:, target], model, "auto")
    assert (found.explainer_name, found.link, found.evaluations) == ("tree", Link.LOGIT, 0)
    assert_adds_up(found, 1e-5)
    exact = [shapley(found.score, row, found.background) for row in ROWS]
    assert_allclose(found.explain(ROWS), exact, atol=1e-5)


def test_a_forest_adds_up_probabilities() -> None:
    model = RandomForestClassifier(n_estimators=10, random_state=0).fit(REFERENCE, LABELS)
    ask = lambda rows: model.predict_proba(rows)[:, 1]  # noqa: E731
    asked_for = attributor(ask, model, "tree")
    assert asked_for.link is Link.IDENTITY
    assert_adds_up(asked_for, 1e-5)
    # Left to itself the estimate stays with log-odds, which prune far more.
    assert attributor(ask, model, "auto").explainer_name == "sampling"


def test_a_model_that_is_no_tree_is_refused_with_advice() -> None:
    model = LogisticRegression().fit(REFERENCE, LABELS)
    with pytest.raises(InvalidOption, match='explainer="sampling"'):
        attributor(lambda rows: model.predict_proba(rows)[:, 1], model, "tree")


def test_attributions_of_another_score_are_refused() -> None:
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(REFERENCE, LABELS)
    with pytest.raises(InvalidOption, match="do not add up"):
        attributor(chance, model, "tree")
    assert attributor(chance, model, "auto").explainer_name == "sampling"


def test_too_many_columns_for_all_coalitions() -> None:
    wide = RNG.normal(size=(30, 21))
    with pytest.raises(InvalidOption, match=r"2\*\*21"):
        Attributor(ShapEstimate(explainer="exact"), None, chance, wide, [f"c{i}" for i in range(21)], 0)


@pytest.mark.parametrize("name", ["permutation", "kernel"])
def test_the_global_generator_is_left_alone(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, other = attributor(chance, None, name), attributor(chance, None, name)
    together = one.explain(ROWS)
    assert_array_equal(np.concatenate([other.explain(row[None]) for row in ROWS[::-1]])[::-1], together)
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("outputs", [1, 2])
def test_torch_modules_are_explained_deeply_and_untouched(outputs: int) -> None:
    torch = pytest.importorskip("torch")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, outputs))
    module.train()

    def ask(rows: FloatArray) -> FloatArray:
        with torch.no_grad():
            logits = module(torch.as_tensor(rows, dtype=torch.float32))
        margin = logits[:, 0] if outputs == 1 else logits[:, 1] - logits[:, 0]
        return torch.sigmoid(margin).numpy().astype(float)

    found = attributor(ask, module, "auto")
    assert (found.explainer_name, found.link) == ("deep", Link.LOGIT)
    assert_adds_up(found, 1e-4)
    assert module.training
    assert not module[0]._forward_hooks
    assert not hasattr(module[0], "x")
