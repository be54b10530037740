"""Check LightGBM Boosters whose inside is not supported, or whose numbers are not probabilities."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models import booster_laws
from tests.models.booster_laws import by_own_objective
from tests.models.laws import people
from tests.optional import needs

lightgbm = needs("lightgbm")


def data() -> Any:
    frame, label = people()
    return lightgbm.Dataset(frame.astype(float), label)


def trained(objective: Any, given: Any = None, **options: Any) -> Any:
    options = {"verbose": -1, "num_threads": 1, "learning_rate": 0.3, "num_leaves": 6, **options}
    return lightgbm.train({"objective": objective, **options}, given or data(), 8)


def ranker() -> Any:
    frame, label = people()
    return trained("lambdarank", lightgbm.Dataset(frame, label, group=[len(frame)]))


LIBRARY = booster_laws.Library(
    probabilities={
        "linear trees": lambda: trained("binary", linear_tree=True),
        "linear trees, cross entropy": lambda: trained("cross_entropy", linear_tree=True),
        "stopping early": lambda: trained("binary", pred_early_stop=True),
    },
    scores={
        "a custom objective": lambda: trained(by_own_objective),
        "linear trees by a custom objective": lambda: trained(by_own_objective, linear_tree=True),
        "regression": lambda: trained("regression"),
        "linear trees, regression": lambda: trained("regression", linear_tree=True),
        "ranking": ranker,
    },
    score=lambda booster, frame: np.asarray(booster.predict(frame)),
    suffix=".txt",
)


@pytest.mark.parametrize("name", LIBRARY.probabilities)
def test_probabilities_need_nothing_more(name: str) -> None:
    booster_laws.assert_probabilities_need_nothing_more(LIBRARY, name)


@pytest.mark.parametrize("name", LIBRARY.scores)
def test_scores_ask_for_a_threshold_and_then_work(name: str) -> None:
    booster_laws.assert_scores_need_a_threshold(LIBRARY, name)


@pytest.mark.parametrize("name", ["linear trees", "ranking"])
def test_a_file_gives_the_same_options(name: str, tmp_path: Path) -> None:
    booster_laws.assert_a_file_gives_the_same_options(LIBRARY, name, tmp_path)


def test_a_black_box_booster_works_in_processes_and_with_an_estimate() -> None:
    booster_laws.assert_works_in_processes_and_with_an_estimate(LIBRARY, "stopping early")
