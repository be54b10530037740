"""Check that Gaussian naive Bayes is read as a sum of parabolas, with a band that covers its logarithms."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import p2ce
from p2ce.models.parse_model import parse_model
from p2ce.scores.score_rows import score_rows
from tests.models.laws import assert_reads, people
from tests.models.target_laws import assert_decides_as, assert_reaches, assert_wins

FRAME, LABEL = people()


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        GaussianNB(priors=[0.999, 0.001]),
        GaussianNB(var_smoothing=1e-3),
        make_pipeline(StandardScaler(), GaussianNB()),
        make_pipeline(MinMaxScaler(), GaussianNB()),
    ],
    ids=["plain", "priors", "smooth", "standard", "minmax"],
)
def test_what_is_sure_is_what_the_model_says(model, named, target):
    model.fit(FRAME if named else FRAME.to_numpy(), LABEL)
    found = assert_reads(model, FRAME, target=target, band=1e-5, error=1e-7, thresholds=4)
    assert found.score.weights is not None
    assert found.columns == tuple(FRAME.columns)


@pytest.mark.parametrize("seed", range(5))
def test_the_band_holds_out_to_the_end_of_the_reach(seed):
    """Rows as far out as the reading is proven for, thresholds at the answers and their neighbours."""
    rng = np.random.default_rng(seed)
    model = GaussianNB().fit(FRAME, LABEL)
    found = parse_model(model, reference=FRAME)
    share = rng.choice([0.0, 1e-3, 1e-2, 0.1, 1.0], (2_000, 5)) * rng.uniform(-1.0, 1.0, (2_000, 5))
    rows = FRAME.astype(float).iloc[:0].reindex(range(len(share)), fill_value=0.0)
    rows[:] = FRAME.to_numpy()[rng.integers(0, len(FRAME), len(share))] * (1.0 - np.abs(share))
    rows[:] = np.clip(rows.to_numpy() + share * found.reach, -found.reach, found.reach)
    answers = found.ask(rows)
    scores = score_rows(found.score, rows.to_numpy())
    inner = answers[(answers > 0.0) & (answers < 1.0)]
    for threshold in [0.0, 0.5, 1.0, *rng.choice(inner, 4), np.nextafter(inner[0], 1.0), 1e-310]:
        again = parse_model(model, reference=FRAME, threshold=float(threshold)).score
        accepted = answers >= threshold
        assert accepted[scores >= again.accept_from].all()
        assert not accepted[scores < again.reject_below].any()


def test_a_parabola_turns_around_within_a_column():
    model = GaussianNB().fit(FRAME, LABEL)
    see = parse_model(model, reference=FRAME).score.see
    rows = np.zeros((400, 5))
    rows[:, 2] = np.linspace(-50.0, 50.0, 400)
    steps = np.sign(np.diff(see(rows)[:, 2]))
    assert {-1.0, 1.0} <= set(steps)


def test_numbers_at_the_ends_of_float64_leave_nothing_certain():
    model = GaussianNB().fit(FRAME, LABEL)
    score = parse_model(model, reference=FRAME, reach=np.full(5, 1e200)).score
    assert (score.accept_from, score.reject_below) == (np.inf, -np.inf)


@pytest.mark.parametrize(
    ("model", "frame"),
    [
        (GaussianNB(), FRAME.astype(np.float32)),
        (BernoulliNB(), FRAME),
        (make_pipeline(StandardScaler(), GaussianNB()), FRAME.astype(np.float32)),
    ],
    ids=["single", "bernoulli", "single behind a scaler"],
)
def test_what_rounds_otherwise_is_only_asked(model, frame):
    model.fit(frame, LABEL)
    found = parse_model(model, reference=frame)
    assert found.score is None
    assert (found.ask(frame) == model.predict_proba(frame)[:, 1].astype(np.float64)).all()


def three_kinds() -> np.ndarray:
    return np.array(["low", "middle", "high"])[np.digitize(FRAME["income"], [2500.0, 3500.0])]


@pytest.mark.parametrize(
    "model", [GaussianNB(), GaussianNB(priors=[0.9, 0.05, 0.05])], ids=["plain", "priors"]
)
def test_a_class_wins_where_the_model_predicts_it(model):
    model.fit(FRAME.astype(float), three_kinds())
    for target in model.classes_:
        found = assert_wins(model, FRAME.astype(float), target)
        assert found.reach is not None


def test_one_of_several_probabilities_is_bounded_by_pairs_of_classes():
    frame = FRAME.astype(float)
    model = GaussianNB().fit(frame, three_kinds())
    for index, target in enumerate(model.classes_):
        own = model.predict_proba(frame)[:3, index]
        own = own[own > 0.2]
        assert_reaches(model, frame, target, [0.4, 0.9, *own, *np.nextafter(own, 1.0)])
        for extreme in (0.0, 1e-310, 1e-12, 1.0):
            assert_decides_as(model, frame, target=target, threshold=extreme)


def test_the_front_is_that_of_the_model_when_it_is_only_asked():
    """A score that rises and falls along an axis must not lose the candidates behind its top."""
    model = GaussianNB().fit(FRAME, LABEL)
    grid = p2ce.ActionSet.infer(FRAME, grid="paper")
    options = {"plausibility": None, "max_changes": 2, "random_state": 0, "actions": grid}
    read = p2ce.Explainer(model, FRAME, **options).explain_many(FRAME.head(12))
    asked = p2ce.Explainer(model.predict_proba, FRAME, **options).explain_many(FRAME.head(12))
    assert [one.status for one in read] == [one.status for one in asked]
    pd.testing.assert_frame_equal(read.to_frame(), asked.to_frame())
