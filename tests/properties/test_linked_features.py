"""Fronts with linked features are those of every row, for chains, several causes and missing values."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lightgbm import LGBMClassifier
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce import rules
from tests.oracle import Link, added_up, assert_is_front, brute_force_front, plain_row
from tests.properties.amount import examples

RATIOS = st.sampled_from([1.0, -1.0, 2.0, 0.5, -2.5, 0.25])
OBJECTIVES = ["changes", "mean_distance", "max_distance"]
# Drivers and followers: one follower, a chain, two causes, three, two ways, and two chains.
SHAPES: list[list[tuple[str, str]]] = [
    [("years", "age")],
    [("years", "age"), ("age", "pension")],
    [("years", "age"), ("town", "age")],
    [("years", "age"), ("town", "age"), ("age", "pension")],
    [("years", "pension"), ("town", "pension"), ("age", "pension")],
    [("years", "age"), ("years", "pension"), ("age", "pension")],
    [("years", "age"), ("town", "pension")],
]


def people_of(rng: np.random.Generator) -> pd.DataFrame:
    count = 90
    return pd.DataFrame(
        {
            "years": rng.integers(0, 6, count) * 1.0,
            "town": rng.integers(0, 5, count) * 0.5,
            "age": rng.integers(20, 34, count),
            "pension": rng.integers(0, 12, count) * 0.25,
            "loan": rng.integers(1, 6, count),
        }
    )


def model_of(kind: str, frame: pd.DataFrame, rng: np.random.Generator) -> Any:
    """Fit a model that sees every column, upwards and downwards."""
    filled = frame.fillna(0.0)
    weights = rng.normal(size=frame.shape[1])
    total = ((filled - filled.mean()) / filled.std() * weights).to_numpy().sum(axis=1)
    label = (total + rng.normal(0, 0.7, len(frame)) > np.quantile(total, 0.6)).astype(int)
    match kind:
        case "LightGBM":
            model = LGBMClassifier(n_estimators=12, num_leaves=6, min_child_samples=4, verbose=-1)
        case "forest":
            model = RandomForestClassifier(8, max_depth=4, random_state=0)
        case "logistic regression":
            model = make_pipeline(StandardScaler(), LogisticRegression())
        case "network":
            model = make_pipeline(
                StandardScaler(), MLPClassifier((5,), tol=9.0, n_iter_no_change=30, random_state=0)
            )
        case _:
            fitted = RandomForestClassifier(5, max_depth=3, random_state=0).fit(filled, label)
            return lambda rows: fitted.predict_proba(rows)[:, 1]
    return model.fit(frame if kind == "LightGBM" else filled, label)


def links_of(shape: list[tuple[str, str]], ratios: list[float], counts: str) -> list[Link]:
    links = [
        Link(
            rule=rules.linked(driver, follower, ratio=ratio, counts=counts),
            keeps=lambda _, rows: np.ones(len(rows), dtype=bool),
            driver=driver,
            follower=follower,
            ratio=ratio,
            counts=counts,
        )
        for (driver, follower), ratio in zip(shape, ratios, strict=False)
    ]
    together = {one.follower: [other for other in links if other.follower == one.follower] for one in links}
    return [replace(one, keeps=added_up(together[one.follower])) for one in links]


def scores(model: Any, rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(model.predict_proba(rows)[:, 1] if hasattr(model, "predict_proba") else model(rows))


@pytest.mark.parametrize("kind", ["LightGBM", "forest", "logistic regression", "network", "function"])
@examples(25)
@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from(SHAPES),
    ratios=st.lists(RATIOS, min_size=3, max_size=3),
    counts=st.sampled_from(["once", "each"]),
    gaps=st.booleans(),
    most=st.sampled_from([None, 1, 2, 3]),
    detects=st.booleans(),
)
def test_the_front_is_that_of_every_row(
    kind: str,
    seed: int,
    shape: list[tuple[str, str]],
    ratios: list[float],
    counts: str,
    gaps: bool,
    most: int | None,
    detects: bool,
) -> None:
    rng = np.random.default_rng(seed)
    frame = people_of(rng)
    gaps = gaps and kind == "LightGBM"
    if gaps:
        frame.loc[rng.random(len(frame)) < 0.2, ["years", "pension"]] = np.nan
    model = model_of(kind, frame, rng)
    policy = p2ce.Policy.infer(frame, grid="paper", protect=None).candidates(
        years=[0.0, 1.0, 3.0, 5.0],
        town=[0.0, 0.5, 2.0],
        loan=[1, 3, 5],
        age=list(range(18, 36)),
        pension=(np.arange(-4, 20) * 0.25).tolist(),
    )
    followers = {follower for _, follower in shape}
    few: dict[str, list[float]] = {"age": [20, 26, 33], "pension": [0.0, 1.0]}
    policy = policy.candidates({name: values for name, values in few.items() if name not in followers})
    if gaps and rng.random() < 0.6:
        policy = policy.allow_missing("years")
    if rng.random() < 0.3:
        policy = policy.increase_only("town")
    stated = links_of(shape, ratios, counts)
    detector = None
    if detects and not gaps:
        detector = IsolationForest(n_estimators=10, contamination=0.2, random_state=0).fit(frame)
    explainer = p2ce.Explainer(
        model,
        frame,
        target=1,
        at_least=0.5,
        policy=policy.with_rules(*(one.rule for one in stated)),
        objectives=OBJECTIVES,
        max_changes=most,
        plausibility=detector,
        plausibility_of_today="ignore",
    )
    rejected = np.flatnonzero(scores(model, frame) < 0.5)[:3]
    together = explainer.explain_many(frame.iloc[rejected])

    def accepts(rows: pd.DataFrame) -> Any:
        good = scores(model, rows) >= 0.5
        return good if detector is None else good & (detector.decision_function(rows) >= 0)

    for found, place in zip(together, rejected.tolist(), strict=True):
        truth = brute_force_front(
            plain_row(frame, place),
            frame,
            policy,
            accepts=accepts,
            objectives=OBJECTIVES,
            max_changes=most,
            stated=stated,
        )
        assert_is_front(found, truth)
        assert found.certificate.discrepancies == 0
