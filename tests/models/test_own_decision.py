"""Without a threshold, the decision is the model's own ``predict``: cut-offs that a model brings with it."""

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

from p2ce import ActionSet, Explainer, Status, to_text
from p2ce.errors import InvalidArgument, NotFitted
from p2ce.models.parse_model import parse_model
from tests.models.decision_laws import PEOPLE, assert_follows_predict
from tests.models.laws import people


def fixed(model: Any, threshold: Any = 0.8, **options: Any) -> Any:
    frame, label = people()
    return FixedThresholdClassifier(model, threshold=threshold, **options).fit(frame, label)


def trees() -> Any:
    return RandomForestClassifier(20, max_depth=4, random_state=0)


def scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


def logistic() -> Any:
    return LogisticRegression()


def pipeline_that_ends_in_a_cut() -> Any:
    frame, label = people()
    return scaled(FixedThresholdClassifier(logistic(), threshold=0.7)).fit(frame, label)


def search_over_cuts() -> Any:
    frame, label = people()
    wanted = {"estimator__max_depth": [2, 3]}
    inner = FixedThresholdClassifier(DecisionTreeClassifier(random_state=0), threshold=0.7)
    return GridSearchCV(inner, wanted, cv=2).fit(frame, label)


def tuned(**options: Any) -> Any:
    frame, label = people()
    return TunedThresholdClassifierCV(trees(), random_state=0, **options).fit(frame, label)


def prefit() -> Any:
    """The wrapper itself is not fitted, and predicts all the same."""
    frame, label = people()
    return FixedThresholdClassifier(trees().fit(frame, label), threshold=0.7)


def around_an_array() -> Any:
    frame, label = people()
    return FixedThresholdClassifier(trees(), threshold=0.7).fit(frame.to_numpy(), label)


MODELS = {
    "forest at 0.8": lambda: fixed(trees()),
    "forest at 0.3": lambda: fixed(trees(), 0.3),
    "threshold left at auto": lambda: fixed(trees(), "auto"),
    "the first class is the positive one": lambda: fixed(trees(), 0.7, pos_label=0),
    "tuned": tuned,
    "tuned for the first class": lambda: tuned(scoring=make_scorer(f1_score, pos_label=0)),
    "prefit": prefit,
    "fitted on an array": around_an_array,
    "boosting, decision function": lambda: fixed(
        GradientBoostingClassifier(n_estimators=20, random_state=0), 0.4, response_method="decision_function"
    ),
    "decision function of the first class": lambda: fixed(
        GradientBoostingClassifier(n_estimators=20, random_state=0),
        -0.4,
        response_method="decision_function",
        pos_label=0,
    ),
    "histogram boosting": lambda: fixed(HistGradientBoostingClassifier(max_iter=20)),
    "logistic": lambda: fixed(scaled(logistic()), 0.8),
    "network": lambda: fixed(scaled(MLPClassifier((4,), tol=0.01, random_state=0)), 0.7),
    "end of a pipeline": pipeline_that_ends_in_a_cut,
    "inside a search": search_over_cuts,
    "a cut around a cut": lambda: fixed(FixedThresholdClassifier(trees(), threshold=0.9), 0.6),
}
BLACK_BOXES = {
    "naive Bayes": lambda: fixed(GaussianNB(), 0.8),
    "kernel machine": lambda: fixed(scaled(SVC()), 0.3),
    "neighbours": lambda: fixed(scaled(KNeighborsClassifier(7)), 0.6),
    "neighbours at a tie": lambda: fixed(scaled(KNeighborsClassifier(4)), 0.75),
}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", [*MODELS, *BLACK_BOXES])
def test_options_pass_predict_and_only_those_whom_it_accepts_are_favourable(name: str, target: int) -> None:
    frame, _ = people()
    model = (MODELS | BLACK_BOXES)[name]()
    assert assert_follows_predict(model, frame, target) > 0


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", MODELS)
def test_what_is_inside_keeps_its_proven_bounds(name: str, target: int) -> None:
    frame, _ = people()
    found = parse_model(MODELS[name](), reference=frame, target=target)
    assert found.score is not None
    assert not found.also
    assert found.decides


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", ["forest at 0.8", "logistic", "network"])
def test_the_front_is_that_of_predict_as_a_black_box(name: str, target: int) -> None:
    frame, _ = people()
    model = MODELS[name]()
    # Both on one grid: thresholds of trees are known of the one only.
    grid = ActionSet.infer(frame, grid="paper")
    options: dict[str, Any] = {"plausibility": None, "max_changes": 1, "actions": grid}
    own = Explainer(model, frame, target=target, **options)
    votes = Explainer(lambda rows: (model.predict(rows) == target) * 1.0, frame, **options)
    for mine, theirs in zip(
        own.explain_many(frame.head(20)), votes.explain_many(frame.head(20)), strict=True
    ):
        assert mine.status is theirs.status
        assert [one.costs for one in mine] == [one.costs for one in theirs]


def shares() -> tuple[Any, pd.DataFrame]:
    """A tree whose leaves hold shares of exactly 1/4, 1/2 and 3/4 of either class."""
    frame = pd.DataFrame({"step": np.repeat([0, 1, 2], 8), "other": np.tile([0, 0, 0, 0, 1, 1, 1, 1], 3)})
    label = np.array([1, 0, 0, 0] * 2 + [1, 0] * 4 + [1, 1, 1, 0] * 2)
    return DecisionTreeClassifier(max_leaf_nodes=3, random_state=0), frame.assign(label=label)


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_a_score_exactly_at_the_cut_is_decided_as_predict_decides_it(
    share: float, positive: int, target: int
) -> None:
    tree, table = shares()
    frame, label = table.drop(columns="label"), table["label"].to_numpy()
    model = FixedThresholdClassifier(tree, threshold=share, pos_label=positive).fit(frame, label)
    assert (model.predict_proba(frame)[:, positive] == share).any()
    predicted = model.predict(frame) == target
    found = Explainer(model, frame, target=target, plausibility=None).explain_many(frame)
    assert [one.status is Status.ALREADY_FAVOURABLE for one in found] == predicted.tolist()
    for explanation in found:
        assert len(explanation) > 0 or explanation.status is not Status.OPTIMAL
        for option in explanation:
            row = pd.DataFrame([option.values])[list(frame.columns)]
            assert model.predict(row)[0] == target


@pytest.mark.parametrize("target", [0, 1])
def test_the_front_at_ties_is_the_one_of_predict(target: int) -> None:
    tree, table = shares()
    frame, label = table.drop(columns="label"), table["label"].to_numpy()
    model = FixedThresholdClassifier(tree, threshold=0.5).fit(frame, label)
    options: dict[str, Any] = {"plausibility": None}
    own = Explainer(model, frame, target=target, **options).explain_many(frame)
    votes = Explainer(lambda rows: (model.predict(rows) == target) * 1.0, frame, **options)
    for mine, theirs in zip(own, votes.explain_many(frame), strict=True):
        assert mine.status is theirs.status
        assert [one.changes for one in mine] == [one.changes for one in theirs]


@pytest.mark.parametrize("target", [0, 1])
def test_a_probability_too_small_for_its_complement_is_still_told_apart(target: int) -> None:
    """Of P(1) just below and at a threshold of 1e-20, P(0) is 1.0 either way: P(1) itself decides."""
    frame, label = people()
    model = scaled(GaussianNB()).fit(frame, label)
    small = np.sort(model.predict_proba(frame)[:, 1])
    cut = FixedThresholdClassifier(model, threshold=float(small[len(small) // 10])).fit(frame, label)
    assert assert_follows_predict(cut, frame, target) > 0


def test_the_threshold_that_is_told_is_one_that_people_would_write() -> None:
    frame, _ = people()
    assert Explainer(fixed(trees()), frame, target=0, plausibility=None).threshold == 0.2
    assert Explainer(fixed(trees()), frame, target=1, plausibility=None).threshold == 0.8


def test_a_given_threshold_wins_over_the_models_own() -> None:
    frame, _ = people()
    model = fixed(trees())
    found = Explainer(model, frame, target=1, threshold=0.4, plausibility=None).explain_many(
        frame.head(PEOPLE)
    )
    accepted = model.predict_proba(frame.head(PEOPLE))[:, 1] >= 0.4
    assert [one.status is Status.ALREADY_FAVOURABLE for one in found] == accepted.tolist()
    assert found[0].threshold == 0.4


@pytest.mark.parametrize("target", [0, 1])
def test_a_margin_comes_on_top_of_the_models_own_cut(target: int) -> None:
    frame, _ = people()
    model = fixed(trees())
    explainer = Explainer(model, frame, target=target, margin=0.05, plausibility=None)
    assert explainer.threshold == pytest.approx((0.8 if target == 1 else 0.2) + 0.05)
    found = explainer.explain_many(frame.head(PEOPLE))
    share = model.predict_proba(frame.head(PEOPLE))[:, target]
    clear = np.abs(share - explainer.threshold) > 1e-9
    favourable = np.array([one.status is Status.ALREADY_FAVOURABLE for one in found])
    assert (favourable == (share > explainer.threshold))[clear].all()
    told = pd.concat([one.to_frame()[list(frame.columns)] for one in found if len(one)])
    assert (model.predict(told) == target).all()


@pytest.mark.parametrize("target", [0, 1])
def test_the_smallest_margin_does_not_undo_the_cut(target: int) -> None:
    tree, table = shares()
    frame, label = table.drop(columns="label"), table["label"].to_numpy()
    model = FixedThresholdClassifier(tree, threshold=0.5).fit(frame, label)
    found = Explainer(model, frame, target=target, margin=1e-300, plausibility=None).explain_many(frame)
    predicted = model.predict(frame) == target
    assert [one.status is Status.ALREADY_FAVOURABLE for one in found] == predicted.tolist()


def test_another_scale_than_the_cuts_needs_a_threshold() -> None:
    frame, _ = people()
    model = fixed(scaled(logistic()))
    with pytest.raises(InvalidArgument, match="threshold="):
        Explainer(model, frame, target=1, scale="decision")
    explainer = Explainer(model, frame, target=1, scale="decision", threshold=0.5)
    assert explainer.threshold == 0.5


def test_a_cut_around_nothing_fitted_says_so() -> None:
    frame, _ = people()
    with pytest.raises(NotFitted, match="not fitted"):
        Explainer(FixedThresholdClassifier(trees(), threshold=0.8), frame, target=1)


def test_several_models_each_keep_their_own_cut() -> None:
    frame, _ = people()
    first, second = fixed(trees(), 0.6), fixed(scaled(logistic()), 0.7)
    found = Explainer([first, second], frame, target=1, plausibility=None).explain_many(frame.head(PEOPLE))
    asked = frame.head(PEOPLE)
    both = (first.predict(asked) == 1) & (second.predict(asked) == 1)
    assert [one.status is Status.ALREADY_FAVOURABLE for one in found] == both.tolist()


def test_a_saved_explainer_keeps_following_predict(tmp_path: Any) -> None:
    import p2ce

    frame, _ = people()
    model = fixed(trees())
    explainer = Explainer(model, frame, target=0, plausibility=None)
    explainer.save(tmp_path / "kept.p2ce")
    again = p2ce.load(tmp_path / "kept.p2ce", model)
    assert again.threshold == explainer.threshold
    assert again.explain(frame.iloc[0]) == explainer.explain(frame.iloc[0])


VOTERS: dict[str, Any] = {
    "tree": lambda: DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
    "forest": lambda: RandomForestClassifier(10, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(20, random_state=0),
    "neighbours": lambda: KNeighborsClassifier(4),
    "bagging": lambda: BaggingClassifier(n_estimators=4, random_state=0),
    "in a pipeline": lambda: make_pipeline(StandardScaler(), RandomForestClassifier(10, random_state=0)),
}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", VOTERS)
def test_ties_of_votes_go_where_predict_sends_them(name: str, target: int) -> None:
    """Two thirds of a default forest's options were ties, which predict gives to the other class."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 12, (200, 3)), columns=list("abc"))
    model = VOTERS[name]().fit(frame, (frame.sum(axis=1) + rng.normal(0, 5, 200) > 17).astype(int))
    assert assert_follows_predict(model, frame, target) > 0
    assert assert_follows_predict(model, frame, target, bound="none") > 0
    explainer = Explainer(model, frame, target=target, plausibility=None)
    assert explainer.threshold == (np.nextafter(0.5, 1.0) if target == 1 else 0.5)
    refused = explainer.explain_many(frame[model.predict(frame) != target].head(1))[0]
    wanted = "> 0.5" if target == 1 else ">= 0.5"
    assert f"probability of {target} {wanted} (now" in str(refused)
    for language, words in (("en", "more than 0.5"), ("pt", "mais de 0,5"), ("es", "más de 0,5")):
        for audience in ("officer", "auditor"):
            assert (words in to_text(refused, audience=audience, language=language)) == (target == 1)


def test_a_threshold_that_is_given_counts_ties_as_reached() -> None:
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 2, 2]})
    model = DecisionTreeClassifier(max_depth=2).fit(frame, [0, 0, 0, 1, 1, 1])
    asked = {"target": 1, "plausibility": None}
    assert Explainer(model, frame, **asked, threshold=0.5).explain({"a": 0})[0].score == 0.5
    assert Explainer(model, frame, **asked).explain({"a": 0})[0].score == 1.0
