"""Check LightGBM Boosters whose inside is not supported, or whose numbers are no probabilities."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce import Explainer, Status
from p2ce.apps.model_files.load import load_model
from p2ce.errors import InvalidTarget
from tests.models.laws import people

lightgbm = pytest.importorskip("lightgbm")

QUESTION: dict[str, Any] = {"plausibility": None, "max_changes": 2}


def data() -> Any:
    frame, label = people()
    return lightgbm.Dataset(frame.astype(float), label)


def by_own_objective(scores: Any, data: Any) -> Any:
    """Logistic loss, as a function of one's own: what is predicted is the log-odds."""
    share = 1.0 / (1.0 + np.exp(-scores))
    return share - data.get_label(), share * (1.0 - share)


def trained(objective: Any, given: Any = None, **options: Any) -> Any:
    options = {"verbose": -1, "num_threads": 1, "learning_rate": 0.3, "num_leaves": 6, **options}
    return lightgbm.train({"objective": objective, **options}, given or data(), 8)


def ranker() -> Any:
    frame, label = people()
    return trained("lambdarank", lightgbm.Dataset(frame, label, group=[len(frame)]))


PROBABILITIES = {
    "linear trees": lambda: trained("binary", linear_tree=True),
    "linear trees, cross entropy": lambda: trained("cross_entropy", linear_tree=True),
}
SCORES = {
    "an objective of one's own": lambda: trained(by_own_objective),
    "linear trees by an objective of one's own": lambda: trained(by_own_objective, linear_tree=True),
    "regression": lambda: trained("regression"),
    "linear trees, regression": lambda: trained("regression", linear_tree=True),
    "ranking": ranker,
}


def score(booster: Any, frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(booster.predict(frame))


def assert_agrees(booster: Any, explainer: Explainer, wanted: Any) -> None:
    """Whoever is accepted, and every option, has a score that ``wanted`` takes."""
    frame, _ = people()
    asked = frame.head(15)
    found = explainer.explain_many(asked)
    accepted = wanted(score(booster, asked))
    assert [one.status is Status.ALREADY_FAVOURABLE for one in found] == accepted.tolist()
    assert not {one.status for one in found} & {Status.ERROR, Status.HEURISTIC}
    rows = [one.to_frame()[list(frame.columns)] for one in found if len(one)]
    assert not rows or wanted(score(booster, pd.concat(rows))).all()


@pytest.mark.parametrize("name", PROBABILITIES)
def test_probabilities_need_nothing_more(name: str) -> None:
    frame, _ = people()
    booster = PROBABILITIES[name]()
    assert_agrees(booster, Explainer(booster, frame, target=1, **QUESTION), lambda p: p >= 0.5)
    strict = Explainer(booster, frame, target=0, threshold=0.4, **QUESTION)
    assert_agrees(booster, strict, lambda p: 1.0 - p >= 0.4)


@pytest.mark.parametrize("name", SCORES)
def test_scores_ask_for_a_threshold_and_then_work(name: str) -> None:
    frame, _ = people()
    booster = SCORES[name]()
    middle = float(np.quantile(score(booster, frame), 0.5))
    with pytest.raises(InvalidTarget, match=r"pass threshold=.*target=\(low, high\)"):
        Explainer(booster, frame, target=1, **QUESTION)
    above = Explainer(booster, frame, target=1, threshold=middle, **QUESTION)
    assert above.threshold == middle
    assert_agrees(booster, above, lambda scores: scores >= middle)
    below = Explainer(booster, frame, target=0, threshold=-middle, **QUESTION)
    assert_agrees(booster, below, lambda scores: scores <= middle)
    inside = Explainer(booster, frame, target=(middle, None), **QUESTION)
    assert_agrees(booster, inside, lambda scores: scores >= middle)


@pytest.mark.parametrize("name", [*PROBABILITIES, *SCORES])
def test_a_file_gives_the_same_options(name: str, tmp_path: Any) -> None:
    frame, _ = people()
    booster = (PROBABILITIES | SCORES)[name]()
    path = tmp_path / "model.txt"
    booster.save_model(str(path))
    threshold = float(np.quantile(score(booster, frame), 0.5))
    loaded = load_model(str(path)).model
    first, second = (
        Explainer(model, frame, target=1, threshold=threshold, **QUESTION).explain_many(frame.head(6))
        for model in (booster, loaded)
    )
    assert list(first) == list(second)


def test_a_black_box_booster_works_in_processes_and_with_an_estimate() -> None:
    frame, _ = people()
    booster = PROBABILITIES["linear trees"]()
    explainer = Explainer(booster, frame, target=1, **QUESTION)
    alone, together = explainer.explain_many(frame.head(4)), explainer.explain_many(frame.head(4), n_jobs=2)
    assert [list(one) for one in alone] == [list(one) for one in together]
    estimated = Explainer(booster, frame, target=1, bound="shap", **QUESTION)
    explanation = estimated.explain(frame.iloc[0])
    assert explanation.status in (Status.HEURISTIC, Status.ALREADY_FAVOURABLE)
