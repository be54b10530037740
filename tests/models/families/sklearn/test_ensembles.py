"""Check ensembles beyond the conformance matrix: forms, refusals, columns, labels, maps, policies."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.engine.scores.score import Bound, FlatScore
from p2ce.explainer import problems_of
from p2ce.models.families.sklearn.calibrated import _isotonic, _sigmoid
from p2ce.models.parse_model import parse_model
from p2ce.rules import linked, one_hot
from tests.optional import needs

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(RNG.normal(size=(200, 4)).round(1), columns=list("abcd"))
TWO = (ROWS["a"] + ROWS["b"] * ROWS["c"] + RNG.normal(0, 0.4, 200) > 0).astype(int)
FEW = {"max_depth": 3, "random_state": 0}


def forest(count: int = 4) -> RandomForestClassifier:
    return RandomForestClassifier(count, **FEW)


def network(width: int) -> MLPClassifier:
    return MLPClassifier((width,), solver="lbfgs", max_iter=3000, alpha=1.0, random_state=0)


def soft(*members: Any, **options: Any) -> VotingClassifier:
    named = [(str(place), member) for place, member in enumerate(members)]
    return VotingClassifier(named, **{"voting": "soft", **options})


def stacked(*members: Any, **options: Any) -> StackingClassifier:
    return StackingClassifier([(str(place), member) for place, member in enumerate(members)], cv=2, **options)


ONE_FOREST = {
    "votes": lambda: BaggingClassifier(n_estimators=6, random_state=0),
    "forests": lambda: soft(forest(), forest(3), weights=[1, 2]),
    "boosted": lambda: AdaBoostClassifier(n_estimators=6, random_state=0),
    "one map": lambda: CalibratedClassifierCV(
        GradientBoostingClassifier(n_estimators=4), cv=2, ensemble=False
    ),
    "frozen": lambda: FrozenEstimator(forest().fit(ROWS, TWO)),
    "trees behind scalers": lambda: soft(*(make_pipeline(MinMaxScaler(), forest()) for _ in range(2))),
}


@pytest.mark.parametrize("name", ONE_FOREST)
def test_trees_alone_become_one_forest_that_the_kernel_searches(name: str) -> None:
    found = parse_model(ONE_FOREST[name]().fit(ROWS, TWO), reference=ROWS)
    assert isinstance(found.score, FlatScore)
    assert found.score.bound is Bound.TREE_LEAVES


def test_votes_are_counted_exactly_even_in_a_tie() -> None:
    """Fully grown trees vote; sums of votes are exact in any order, so no row is left to the model."""
    model = BaggingClassifier(n_estimators=6, random_state=0).fit(ROWS, TWO)
    codes = ROWS.to_numpy()
    assert (model.predict_proba(ROWS) == 0.5).any()
    for given in ({}, {"at_least": 0.5}, {"at_least": float(np.nextafter(0.5, 1.0))}):
        found = parse_model(model, reference=ROWS, **given)
        assert (found.score.evaluate_rows(codes).verdict != UNDECIDED).all()
    several = np.digitize(ROWS["a"] + ROWS["b"], [-0.7, 0.7])
    model = BaggingClassifier(n_estimators=6, random_state=0).fit(ROWS, several)
    for target in range(3):
        found = parse_model(model, reference=ROWS, target=target)
        assert all((score.evaluate_rows(codes).verdict != UNDECIDED).all() for score in found.scores)


REFUSED = {
    "voting='soft'": lambda: soft(forest(), voting="hard"),
    "KNeighborsClassifier": lambda: soft(forest(), KNeighborsClassifier()),
    "passthrough": lambda: stacked(forest(), passthrough=True),
    "RandomForestClassifier is not|ends in RandomForestClassifier": lambda: stacked(
        forest(), final_estimator=forest(3)
    ),
    "over members with predict_proba": lambda: stacked(forest(), RidgeClassifier()),
    "report no probabilities": lambda: BaggingClassifier(RidgeClassifier(), 2, random_state=0),
    "LogisticRegression is none of": lambda: AdaBoostClassifier(LogisticRegression(), n_estimators=2),
    "several times": lambda: BaggingClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), 2, bootstrap_features=True, random_state=0
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_not_proven_is_a_black_box_with_the_reason(why: str) -> None:
    model = REFUSED[why]().fit(ROWS, TWO)
    found = parse_model(model, reference=ROWS)
    assert found.score is None
    assert any(reason in found.black_box_because for reason in why.split("|"))


def test_temperature_scaling_is_a_black_box() -> None:
    model = CalibratedClassifierCV(forest(), cv=2)
    if "temperature" not in str(model._parameter_constraints["method"]):
        pytest.skip("this release of scikit-learn has no temperature scaling")
    found = parse_model(model.set_params(method="temperature").fit(ROWS, TWO), reference=ROWS)
    assert "temperature" in found.black_box_because


@pytest.mark.parametrize(
    "make",
    [
        lambda: BaggingClassifier(LogisticRegression(), 3, max_features=0.5, random_state=0),
        lambda: BaggingClassifier(DecisionTreeClassifier(**FEW), 3, max_features=0.5, random_state=0),
        lambda: AdaBoostClassifier(n_estimators=3, random_state=0),
        lambda: soft(LogisticRegression(), network(3)),
    ],
    ids=["bagged sums", "bagged trees", "boosted", "voting"],
)
def test_a_reference_in_another_order_gives_the_same_scores(make: Any) -> None:
    model = make().fit(ROWS, TWO)
    turned = ROWS[["d", "b", "a", "c"]]
    found = parse_model(model, reference=turned)
    assert found.columns == tuple(ROWS.columns)
    np.testing.assert_array_equal(found.evaluate(turned), model.predict_proba(ROWS)[:, 1])
    judged = found.score.evaluate_rows(ROWS.to_numpy())
    accepted = found.evaluate(ROWS) >= 0.5
    assert (judged.verdict[accepted] != REJECT).all()
    assert (judged.verdict[~accepted] != ACCEPT).all()
    np.testing.assert_allclose(found.report(judged.value), found.evaluate(ROWS), atol=1e-9)


def test_members_that_know_different_labels_share_one_codebook() -> None:
    """Labels that only a library knows get one code, whichever member knows them."""
    lightgbm = needs("lightgbm")
    rows = ROWS.assign(town=pd.Categorical(RNG.choice(["Ulm", "Bonn"], 200), categories=["Ulm", "Bonn"]))
    more = rows.assign(town=pd.Categorical(RNG.choice(["Ulm", "Bonn", "Köln"], 200)))
    other = rows.assign(town=pd.Categorical(RNG.choice(["Ulm", "Bonn", "Mainz"], 200)))
    few = {"n_estimators": 3, "verbose": -1, "min_child_samples": 5, "max_cat_to_onehot": 50, "n_jobs": 1}
    members = [lightgbm.LGBMClassifier(**few).fit(data, TWO) for data in (more, other)]
    model = soft(*members).fit(rows, TWO)
    model.estimators_ = members
    found = parse_model(model, reference=rows)
    assert set(found.codebook["town"].unseen) == {"Köln", "Mainz"}
    for town in ("Köln", "Mainz", "Bonn"):
        asked = rows.assign(town=pd.Categorical([town] * 200, categories=["Ulm", "Bonn", "Köln", "Mainz"]))
        values = found.codebook.of(found.columns).encode(asked)
        np.testing.assert_allclose(found.score.evaluate_rows(values).value, found.evaluate(asked), atol=1e-12)


@pytest.mark.parametrize("rises", [True, False])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_ends_of_an_isotonic_map_hold_beyond_their_value(rises: bool, kind: Any) -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=80).astype(kind)
    shares = (rng.random(80) < 1 / (1 + np.exp(-2 * scores))).astype(kind)
    calibrator = IsotonicRegression(out_of_bounds="clip", increasing=rises).fit(scores, shares)
    up, link = _isotonic(calibrator)
    assert up is rises
    knots = calibrator.X_thresholds_.astype(np.float64)
    tried = np.concatenate(
        [knots, np.nextafter(knots, np.inf), np.nextafter(knots, -np.inf), rng.normal(size=900)]
    )
    tried = np.sort(tried)
    own = np.asarray(calibrator.predict(tried), dtype=np.float64)
    own, given = (own, tried) if rises else (own[::-1], -tried[::-1])
    low, high = link(given)
    # All that comes later is above the lower end; all that came before is below the upper end.
    assert (low <= np.minimum.accumulate(own[::-1])[::-1]).all()
    assert (high >= np.maximum.accumulate(own)).all()
    assert float((high - low).max()) < (1e-14 if kind is np.float64 else 1e-5)


@pytest.mark.parametrize(("slope", "offset"), [(-1.7, 0.3), (2.0, -1.0), (-900.0, 1.0)])
def test_the_ends_of_a_sigmoid_map_hold_the_value(slope: float, offset: float) -> None:
    from sklearn.calibration import _SigmoidCalibration

    calibrator = _SigmoidCalibration()
    calibrator.a_, calibrator.b_ = np.float64(slope), np.float64(offset)
    scores = np.concatenate([np.random.default_rng(0).normal(size=500), [0.0, 50.0, -50.0, 1e300]])
    rises, link = _sigmoid(slope, offset)
    low, high = link(scores if rises else -scores)
    own = calibrator.predict(scores)
    assert ((low <= own) & (own <= high)).all()


# Policies in which columns move together


HOMES = pd.get_dummies(pd.Series(RNG.choice(["own", "rent", "free"], 200)), prefix="home").astype(int)
TABLE = ROWS.assign(**{name: HOMES[name] for name in HOMES})
LABEL = (ROWS["a"] + HOMES["home_own"] + 0.5 * ROWS["b"] > 0.5).astype(int)
MEMBERS = {
    "trees and sums": lambda: soft(forest(), make_pipeline(StandardScaler(), LogisticRegression())),
    "calibrated trees": lambda: CalibratedClassifierCV(GradientBoostingClassifier(n_estimators=5), cv=2),
    "with a network": lambda: soft(forest(), network(4)),
}
POLICIES = {
    "plain": lambda policy: policy,
    "one-hot": lambda policy: policy.with_rules(one_hot("home", list(HOMES))),
    "linked": lambda policy: policy.with_rules(linked("c", "d")),
}


@pytest.mark.parametrize("rules", POLICIES)
@pytest.mark.parametrize("name", MEMBERS)
def test_fronts_are_those_of_a_black_box_whatever_moves_together(name: str, rules: str) -> None:
    model = MEMBERS[name]().fit(TABLE, LABEL)
    policy = p2ce.Policy.infer(TABLE, grid="paper").candidates(
        {column: [-1.5, -0.5, 0.0, 0.6, 1.4] for column in "abcd"}
    )
    policy = POLICIES[rules](policy.without_rules(*policy.rules))
    given = {"policy": policy, "plausibility": None, "max_changes": 3, "refine": False}
    parsed = p2ce.Explainer(model, TABLE, target=1, **given)
    asked = p2ce.Explainer(lambda rows: model.predict_proba(rows)[:, 1], TABLE, at_least=0.5, **given)
    assert isinstance(problems_of(parsed).own.model.score, CombinedScore)
    rejected = TABLE[model.predict(TABLE) == 0].head(3)
    found, truth = parsed.explain_many(rejected), asked.explain_many(rejected)
    for one, other in zip(found, truth, strict=True):
        assert one.status is other.status
        assert [option.values for option in one] == [option.values for option in other]
        assert one.certificate.proven
        assert one.certificate.bound == "combined"
    assert any(len(one) for one in found)
