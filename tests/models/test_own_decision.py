"""Without a threshold, the decision is the model's own ``predict``: cut-offs that a model brings with it."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import Explainer, Policy, Status, to_text
from p2ce.errors import InvalidArgument, NotFitted
from p2ce.models.parse_model import parse_model
from tests.models.decision_laws import assert_follows_predict
from tests.models.laws import people
from tests.optional import mostly_slow

FRAME, LABEL = people()
SOME = FRAME.head(20)


def trees() -> Any:
    return RandomForestClassifier(20, max_depth=4, random_state=0)


def boosting() -> Any:
    return GradientBoostingClassifier(n_estimators=20, random_state=0)


def scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


def cut(model: Any, threshold: Any = 0.8, **options: Any) -> Any:
    return FixedThresholdClassifier(model, threshold=threshold, **options)


def tuned(**options: Any) -> Any:
    return TunedThresholdClassifierCV(trees(), random_state=0, **options)


def small() -> float:
    """Return a threshold at which P(0) of a naive Bayes is 1.0 either way: P(1) itself has to decide."""
    return float(np.quantile(scaled(GaussianNB()).fit(FRAME, LABEL).predict_proba(FRAME)[:, 1], 0.1))


DECISION = {"response_method": "decision_function"}
# A cut-off around a model whose inside is parsed.
MODELS: dict[str, Any] = {
    "forest at 0.8": lambda: cut(trees()),
    "threshold left at auto": lambda: cut(trees(), "auto"),
    "the first class is the positive one": lambda: cut(trees(), 0.7, pos_label=0),
    "tuned": tuned,
    "tuned for the first class": lambda: tuned(scoring=make_scorer(f1_score, pos_label=0)),
    "boosting, decision function": lambda: cut(boosting(), 0.4, **DECISION),
    "decision function of the first class": lambda: cut(boosting(), -0.4, **DECISION, pos_label=0),
    "histogram boosting": lambda: cut(HistGradientBoostingClassifier(max_iter=20)),
    "logistic": lambda: cut(scaled(LogisticRegression())),
    "network": lambda: cut(scaled(MLPClassifier((4,), tol=0.01, random_state=0)), 0.7),
    "end of a pipeline": lambda: scaled(cut(LogisticRegression(), 0.7)),
    "inside a search": lambda: GridSearchCV(
        cut(DecisionTreeClassifier(random_state=0), 0.7), {"estimator__max_depth": [2, 3]}, cv=2
    ),
    "a cut around a cut": lambda: cut(cut(trees(), 0.9), 0.6),
    "prefit": lambda: cut(trees().fit(FRAME, LABEL), 0.7),  # the wrapper itself is not fitted
    "fitted on an array": lambda: cut(trees(), 0.7),
}
BLACK_BOXES: dict[str, Any] = {
    "naive Bayes, small": lambda: cut(scaled(GaussianNB()), small()),
    "kernel machine": lambda: cut(scaled(SVC()), 0.3),
    "neighbours at a tie": lambda: cut(scaled(KNeighborsClassifier(4)), 0.75),
}


@cache
def fitted(name: str) -> Any:
    model = (MODELS | BLACK_BOXES)[name]()
    if name == "prefit":
        return model
    return model.fit(FRAME.to_numpy() if "array" in name else FRAME, LABEL)


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize(
    "name", mostly_slow([*MODELS, *BLACK_BOXES], "forest at 0.8", "tuned", "logistic", "kernel machine")
)
def test_accepted_is_what_predict_accepts_and_bounds_stay_proven(name: str, target: int) -> None:
    assert assert_follows_predict(fitted(name), FRAME, target) > 0
    if name in MODELS:
        found = parse_model(fitted(name), reference=FRAME, target=target)
        assert (found.score is not None, found.also, found.decides) == (True, (), True)


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", ["forest at 0.8", "logistic"])
def test_the_front_is_that_of_predict_as_a_black_box(name: str, target: int) -> None:
    model = fitted(name)
    # Both on one grid: thresholds of trees are known of the one only.
    options: dict[str, Any] = {"plausibility": None, "max_changes": 1}
    options["policy"] = Policy.infer(FRAME, grid="paper")
    own = Explainer(model, FRAME, target=target, **options).explain_many(SOME)
    votes = Explainer(lambda rows: (model.predict(rows) == target) * 1.0, FRAME, **options)
    for mine, theirs in zip(own, votes.explain_many(SOME), strict=True):
        assert mine.status is theirs.status
        assert [one.costs for one in mine] == [one.costs for one in theirs]


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("margin", [0.0, 1e-300])
def test_a_score_exactly_at_the_cut_is_decided_as_predict_decides_it(
    share: float, positive: int, target: int, margin: float
) -> None:
    """The leaves of this tree hold shares of exactly 1/4, 1/2 and 3/4 of either class."""
    frame = pd.DataFrame({"step": np.repeat([0, 1, 2], 8), "other": np.tile([0, 0, 0, 0, 1, 1, 1, 1], 3)})
    label = np.array([1, 0, 0, 0] * 2 + [1, 0] * 4 + [1, 1, 1, 0] * 2)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    model = cut(tree, share, pos_label=positive).fit(frame, label)
    assert (model.predict_proba(frame)[:, positive] == share).any()
    found = Explainer(model, frame, target=target, margin=margin, plausibility=None).explain_many(frame)
    favourable = [one.status is Status.ACCEPTED for one in found]
    assert favourable == (model.predict(frame) == target).tolist()
    table = found.to_frame()
    assert not len(table) or (model.predict(table[list(frame)]) == target).all()


@pytest.mark.parametrize(("target", "threshold"), [(0, 0.2), (1, 0.8)])
def test_a_threshold_or_a_margin_of_the_caller_and_a_file(
    target: int, threshold: float, tmp_path: Any
) -> None:
    model = fitted("forest at 0.8")
    share = model.predict_proba(SOME)[:, target]
    for given, wanted in (({}, threshold), ({"at_least": 0.4}, 0.4), ({"margin": 0.05}, threshold + 0.05)):
        explainer = Explainer(model, FRAME, target=target, plausibility=None, **given)
        assert explainer.at_least == (pytest.approx(wanted) if "margin" in given else wanted)
        found = explainer.explain_many(SOME)
        clear = np.abs(share - wanted) > 1e-9
        favourable = np.array([one.status is Status.ACCEPTED for one in found])
        assert (favourable == (share > wanted))[clear].all()
        explainer.save(tmp_path / "kept.p2ce")
        again = p2ce.Explainer.load(tmp_path / "kept.p2ce", model)
        assert again.at_least == explainer.at_least
        assert again.explain(SOME.iloc[0]) == explainer.explain(SOME.iloc[0])


def test_several_models_each_keep_their_own_cut_and_mistakes_are_named() -> None:
    first, second = fitted("forest at 0.8"), fitted("logistic")
    found = Explainer([first, second], FRAME, target=1, plausibility=None).explain_many(SOME)
    both = (first.predict(SOME) == 1) & (second.predict(SOME) == 1)
    assert [one.status is Status.ACCEPTED for one in found] == both.tolist()
    with pytest.raises(InvalidArgument, match="at_least="):  # another scale than that of the cut
        Explainer(second, FRAME, target=1, scale="decision")
    assert Explainer(second, FRAME, target=1, scale="decision", at_least=0.5).at_least == 0.5
    with pytest.raises(NotFitted, match="not fitted"):
        Explainer(cut(trees()), FRAME, target=1)


VOTERS: dict[str, Any] = {
    "tree": lambda: DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(20, random_state=0),
    "neighbours": lambda: KNeighborsClassifier(4),
    "bagging": lambda: BaggingClassifier(n_estimators=4, random_state=0),
    "in a pipeline": lambda: scaled(RandomForestClassifier(10, random_state=0)),
}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", VOTERS)
def test_ties_of_votes_go_where_predict_sends_them(name: str, target: int) -> None:
    """Two thirds of a default forest's options were ties, which predict gives to the other class."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 12, (200, 3)), columns=list("abc"))
    model = VOTERS[name]().fit(frame, (frame.sum(axis=1) + rng.normal(0, 5, 200) > 17).astype(int))
    assert assert_follows_predict(model, frame, target) > 0
    explainer = Explainer(model, frame, target=target, plausibility=None)
    assert explainer.at_least == (np.nextafter(0.5, 1.0) if target == 1 else 0.5)
    rejected = explainer.explain_many(frame[model.predict(frame) != target].head(1))[0]
    assert f"must {'be more than' if target == 1 else 'reach'} 0.5." in str(rejected)
    for language, words in (("en", "more than 0.5"), ("pt", "passar de 0,5"), ("es", "superar 0,5")):
        assert (words in to_text(rejected, audience="officer", language=language)) == (target == 1)


def test_a_threshold_that_is_given_counts_ties_as_reached() -> None:
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 2, 2]})
    model = DecisionTreeClassifier(max_depth=2).fit(frame, [0, 0, 0, 1, 1, 1])
    for given, score in (({"at_least": 0.5}, 0.5), ({}, 1.0)):
        explainer = Explainer(model, frame, target=1, plausibility=None, **given)
        assert explainer.explain({"a": 0})[0].score == score
