"""Check XGBoost Boosters whose inside is not supported, or whose numbers are not probabilities."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.models import booster_laws
from tests.models.booster_laws import by_own_objective
from tests.models.laws import people
from tests.optional import needs

xgboost = needs("xgboost")
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning", "ignore::FutureWarning")


def trained(objective: str, obj: Any = None, **options: Any) -> Any:
    options = {"nthread": 1, **options}
    data = xgboost.DMatrix(*people())
    return xgboost.train({"objective": objective, **options}, data, 8, obj=obj)


def score(booster: Any, frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(booster.predict(xgboost.DMatrix(frame)), dtype=np.float64)


LIBRARY = booster_laws.Library(
    probabilities={"gblinear": lambda: trained("binary:logistic", booster="gblinear")},
    scores={
        "a custom objective": lambda: trained("reg:squarederror", by_own_objective),
        "gblinear by a custom objective": lambda: trained(
            "reg:squarederror", by_own_objective, booster="gblinear"
        ),
        "raw margins": lambda: trained("binary:logitraw"),
        "gblinear, regression": lambda: trained("reg:squarederror", booster="gblinear"),
        "ranking": lambda: trained("rank:pairwise"),
    },
    score=score,
    suffix=".json",
)


@pytest.mark.parametrize("name", LIBRARY.probabilities)
def test_probabilities_need_nothing_more(name: str) -> None:
    booster_laws.assert_probabilities_need_nothing_more(LIBRARY, name)


@pytest.mark.parametrize("name", LIBRARY.scores)
def test_scores_ask_for_a_threshold_and_then_work(name: str) -> None:
    booster_laws.assert_scores_need_a_threshold(LIBRARY, name)


@pytest.mark.parametrize("name", ["gblinear", "raw margins"])
def test_a_file_gives_the_same_options(name: str, tmp_path: Path) -> None:
    booster_laws.assert_a_file_gives_the_same_options(LIBRARY, name, tmp_path)
