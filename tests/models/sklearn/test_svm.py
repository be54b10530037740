"""Check that a support vector machine is read with margins that cover libsvm's way of computing."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, NuSVC

import p2ce
from p2ce.decisions.model_adapter import ModelAdapter, Request
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import place
from p2ce.models.parse_model import parse_model
from p2ce.models.sklearn import svm as sklearn_svm
from p2ce.scores.external import ACCEPT, REJECT, UNDECIDED, Boxes, placed_on
from p2ce.scores.kernel_machine import KernelMachine
from p2ce.scores.score import seen_as_given, seen_in_single
from p2ce.scores.score_rows import score_rows
from tests.models.laws import assert_only_asked, assert_reads, people

FRAME, LABEL = people()
SCALED = (FRAME - FRAME.mean()) / FRAME.std()


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("model", [SVC(kernel="linear"), NuSVC(kernel="linear", nu=0.6)])
def test_what_is_sure_is_what_libsvm_says(model, named, target):
    model.fit(SCALED if named else SCALED.to_numpy(), LABEL)
    found = assert_reads(model, SCALED, target=target, band=1e-6, error=1e-6, thresholds=3)
    assert found.score.weights is not None
    assert found.scale == "decision"


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
def test_scalers_may_stand_in_front(scaler):
    model = make_pipeline(scaler, SVC(kernel="linear")).fit(FRAME, LABEL)
    assert_reads(model, FRAME, band=1e-6, error=1e-6, thresholds=2)


def test_the_band_covers_sums_that_cancel():
    """Huge duals of nearly equal rows: the decision value rounds far more than weights @ x would."""
    rng = np.random.default_rng(0)
    rows = SCALED.to_numpy()[:40] + 100.0
    rows = np.concatenate([rows, rows + rng.normal(0.0, 1e-6, rows.shape)])
    label = np.repeat([0, 1], 40)
    model = SVC(kernel="linear", C=1e9, max_iter=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, label)
    reference = SCALED + 100.0
    found = parse_model(model, reference=reference)
    error = np.abs(score_rows(found.score, reference.to_numpy()) - found.ask(reference))
    half_band = (found.score.accept_from - found.score.reject_below) / 2.0
    assert error.max() > 1e-9
    assert error.max() <= half_band


def test_a_larger_reach_widens_the_band():
    model = SVC(kernel="linear").fit(SCALED, LABEL)
    near = parse_model(model, reference=SCALED).score
    far = parse_model(model, reference=SCALED, reach=np.full(5, 1e8)).score
    assert far.accept_from - far.reject_below > near.accept_from - near.reject_below


CURVED = {
    "rbf": lambda: SVC(kernel="rbf"),
    "steep rbf": lambda: SVC(kernel="rbf", gamma=2.0, C=10.0),
    "poly": lambda: SVC(kernel="poly"),
    "poly of degree 2": lambda: SVC(kernel="poly", degree=2, coef0=1.0, gamma="auto"),
    "poly of degree 4": lambda: SVC(kernel="poly", degree=4, coef0=-0.5),
    "nu rbf": lambda: NuSVC(kernel="rbf", nu=0.5),
    "nu poly": lambda: NuSVC(kernel="poly", nu=0.5, coef0=1.0),
}


def assert_never_contradicted(
    model, frame: pd.DataFrame, rows: pd.DataFrame, target: int = 1
) -> ModelAdapter:
    """Put the threshold exactly at the model's own answers, and at their neighbours."""
    found = parse_model(model, reference=frame, target=target)
    answers = found.ask(rows)
    values = rows[list(found.columns)].to_numpy(dtype=np.float64)
    error = np.abs(found.report(found.score.score_rows(values)) - answers)
    assert (error <= found.tolerance * np.maximum(1.0, np.abs(answers))).all()
    assert error.max() <= 1e-9 * max(1.0, np.abs(answers).max())
    asked = np.random.default_rng(1).choice(answers, 4)
    for threshold in [*asked, *np.nextafter(asked, np.inf), *np.nextafter(asked, -np.inf), 0.0]:
        again = parse_model(model, reference=frame, target=target, threshold=float(threshold))
        said = again.score.evaluate_rows(values).verdict
        accepted = answers >= threshold
        assert accepted[said == ACCEPT].all()
        assert not accepted[said == REJECT].any()
        assert (said == UNDECIDED).mean() < 0.05
    return found


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", CURVED)
def test_a_curved_kernel_is_read_at_its_support_vectors(name, named, target):
    model = CURVED[name]().fit(SCALED if named else SCALED.to_numpy(), LABEL)
    found = assert_never_contradicted(model, SCALED, 1.3 * SCALED, target)
    assert isinstance(found.score, KernelMachine)
    assert (found.scale, found.threshold, found.reach) == ("decision", 0.0, None)
    assert found.tolerance < 1e-5


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(clip=True), RobustScaler()])
def test_scalers_may_stand_in_front_of_a_curved_kernel(scaler, kernel):
    for frame in (FRAME, FRAME.astype(np.float32)):
        model = make_pipeline(scaler, SVC(kernel=kernel)).fit(frame, LABEL)
        found = assert_never_contradicted(model, frame, frame)
        assert found.family.endswith(f"behind {type(scaler).__name__}")
        assert isinstance(found.score, KernelMachine)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("named", [True, False])
def test_rows_of_single_precision_are_computed_in_double(kernel, named):
    single = SCALED.astype(np.float32)
    model = SVC(kernel=kernel).fit(single if named else single.to_numpy(), LABEL)
    found = assert_never_contradicted(model, single, (1.3 * SCALED).astype(np.float32))
    # A model that was fitted on a bare array is shown one of the reference's precision.
    assert found.score.see is (seen_as_given if named else seen_in_single)
    assert_never_contradicted(model, single, 1.3 * SCALED)


def test_columns_that_are_not_scaled_and_whole_numbers():
    """One column outweighs the others by far, and distances are in the millions."""
    for kernel in ("rbf", "poly"):
        assert_never_contradicted(SVC(kernel=kernel).fit(FRAME, LABEL), FRAME, FRAME)


@pytest.mark.parametrize("name", ["rbf", "poly", "poly of degree 2"])
def test_verdicts_and_bounds_on_a_grid_hold_for_the_model(name):
    model = CURVED[name]().fit(SCALED, LABEL)
    found = parse_model(model, reference=SCALED)
    names = list(SCALED.columns)
    grid = BaseGrid.from_candidates(
        {name: np.quantile(SCALED[name], np.linspace(0, 1, 9)) for name in names}, columns=names
    )
    crowd = SCALED.to_numpy()[found.ask(SCALED) < 0.0][:20]
    placement = place(grid, crowd)
    laid = found.score.prepare(placed_on(grid, placement, crowd))
    rng = np.random.default_rng(4)
    settled, axes = 0, np.arange(grid.axis_count)
    for _ in range(150):
        who = int(rng.integers(0, len(crowd)))
        ends = np.sort(rng.integers(0, placement.count[who], (2, grid.axis_count)), axis=0).astype(np.int32)
        low, high = np.where(rng.random(grid.axis_count) < 0.6, placement.position[who], ends)
        high = np.maximum(low, high)
        box = Boxes(low[None], high[None], np.zeros((1, len(low)), dtype=bool), np.array([99]))
        points = rng.integers(low, high + 1, (100, len(low))).astype(np.int32)
        points[0], points[1] = low, high
        rows = np.repeat(crowd[[who]], len(points), axis=0)
        rows[:, grid.columns] = placement.values[who, axes, points]
        answers = found.ask(pd.DataFrame(rows, columns=names))
        said = laid.evaluate(np.full(len(points), who), points).verdict
        assert (said == np.where(answers >= 0.0, ACCEPT, REJECT)).all()
        if laid.infeasible(np.array([who]), box)[0]:
            settled += 1
            assert (answers < 0.0).all()
    assert settled >= 10


@pytest.mark.parametrize("name", ["rbf", "poly", "nu rbf"])
def test_the_front_is_that_of_asking_the_model(name):
    model = make_pipeline(StandardScaler(), CURVED[name]()).fit(FRAME, LABEL)
    refused = FRAME[model.decision_function(FRAME) < -0.3].head(4)
    few = {
        name: np.unique(FRAME[name].quantile([0.1, 0.4, 0.6, 0.9], interpolation="nearest")).tolist()
        for name in FRAME
    }
    actions = p2ce.ActionSet.infer(FRAME).values(few)
    asked = {"actions": actions, "plausibility": None, "max_changes": 3, "threshold": 0.0}
    own = p2ce.Explainer(model, FRAME, **asked).explain_many(refused)
    same = p2ce.Explainer(lambda rows: model.decision_function(rows), FRAME, **asked).explain_many(refused)
    options = 0
    for one, other in zip(own, same, strict=True):
        assert one.status is other.status
        assert [option.changes for option in one] == [option.changes for option in other]
        assert one.certificate.proven
        assert (one.certificate.bound, other.certificate.bound) == ("kernel", "complete")
        assert one.certificate.discrepancies == 0
        options += len(one.counterfactuals)
    assert options > 4


def test_what_the_model_itself_uses_is_read():
    """scikit-learn computes with private copies, and with parameters as they are now."""
    model = SVC(kernel="poly").fit(SCALED, LABEL)
    model.intercept_ += 100.0
    model.dual_coef_ = 2.0 * model.dual_coef_
    assert_never_contradicted(model, SCALED, SCALED)
    model.set_params(degree=2, coef0=0.7, gamma=9.0, break_ties=True, class_weight="balanced")
    found = assert_never_contradicted(model, SCALED, SCALED)
    assert (found.score.degree, found.score.coef0) == (2, 0.7)
    assert found.score.gamma < 1.0
    model.set_params(kernel="rbf")
    assert assert_never_contradicted(model, SCALED, SCALED).score.kernel == "rbf"


def test_words_as_classes_and_columns_in_any_order():
    words = np.where(LABEL == 1, "yes", "no")
    model = SVC().fit(SCALED, words, sample_weight=np.linspace(0.1, 2.0, len(words)))
    found = parse_model(model, reference=SCALED[SCALED.columns[::-1]], target="no")
    assert found.columns == tuple(SCALED.columns)
    assert found.classes == ("no", "yes")
    assert np.abs(found.score.score_rows(SCALED.to_numpy()) + model.decision_function(SCALED)).max() < 1e-11


@pytest.mark.parametrize("kernel", ["sigmoid", lambda one, other: one @ other.T])
def test_other_kernels_are_only_asked(kernel):
    model = SVC(kernel=kernel).fit(SCALED.to_numpy(), LABEL)
    found = parse_model(model, reference=SCALED)
    assert found.family == "opaque (SVC)"
    assert (found.ask(SCALED) == model.decision_function(SCALED.to_numpy())).all()
    assert_only_asked(model, SCALED, "Kernels that can be read are 'linear', 'rbf' and 'poly'")


def test_what_cannot_be_bounded_is_only_asked():
    half = SCALED.astype(np.float16)
    assert_only_asked(SVC().fit(half.to_numpy(), LABEL), half, "Pass the reference as float64")
    huge = SVC(kernel="poly", degree=3).fit(SCALED, LABEL)
    huge.coef0 = 1e60
    assert_only_asked(huge, SCALED, "Scale the columns first")
    changed = SVC().fit(SCALED, LABEL)
    changed._gamma = -1.0
    assert_only_asked(changed, SCALED, "has the gamma -1.0")
    sparse = SVC().fit(csr_array(SCALED.to_numpy()), LABEL)
    assert_only_asked(sparse, SCALED, "sparse matrix")
    three = SVC().fit(SCALED, np.digitize(SCALED["income"], [-0.5, 0.5]))
    assert_only_asked(three, SCALED, "3 classes")
    broken = SVC().fit(SCALED, LABEL)
    broken.support_vectors_ = broken.support_vectors_[:, :2]
    with pytest.raises(UnsupportedModel, match="does not hold its support vectors"):
        sklearn_svm.read(broken, request_for(SCALED))
    fraction = SVC(kernel="poly").fit(SCALED, LABEL)
    fraction.degree = 2.5
    with pytest.raises(UnsupportedModel, match="degree"):
        sklearn_svm.read(fraction, request_for(SCALED))


def request_for(frame: pd.DataFrame) -> Request:
    return Request(reference=frame, reach=np.ones(frame.shape[1]), read=lambda *_: None)


def test_probabilities_are_only_asked_since_their_link_is_an_iteration_that_stops_early():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn 1.9 deprecates probability=True
        model = SVC(kernel="linear", probability=True, random_state=0).fit(SCALED, LABEL)
    found = parse_model(model, reference=SCALED)
    assert (found.family, found.scale) == ("opaque (SVC)", "probability")
    # The reason: where libsvm's logistic is within half a percent of one half, it reports exactly one half.
    low, high = model.decision_function(SCALED).argmin(), model.decision_function(SCALED).argmax()
    start, end = SCALED.iloc[[low]], SCALED.iloc[[high]]
    steps = np.linspace(0.0, 1.0, 20_001)[:, None]
    between = SCALED.iloc[:0].reindex(range(len(steps)), fill_value=0.0)
    between[:] = start.to_numpy() * (1.0 - steps) + end.to_numpy() * steps
    answers = found.ask(between)
    assert (answers == 0.5).sum() > 10


def test_an_unfitted_model_says_so():
    with pytest.raises(NotFitted, match=r"Call \.fit\(X, y\)"):
        parse_model(SVC(kernel="linear"), reference=SCALED)


def test_a_person_far_out_withdraws_nobodys_proof():

    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 5, size=(120, 3)).astype(float), columns=["a", "b", "c"])
    label = (frame["a"] + rng.normal(size=120) > frame["b"]).astype(int)
    model = make_pipeline(StandardScaler(), SVC(C=10.0)).fit(frame, label)
    explainer = p2ce.Explainer(model, frame, plausibility=None)
    far = frame[model.decision_function(frame) < 0].head(5).copy()
    far["a"] = [1e4, 1e5, 1e6, -1e5, 1e7]
    for _, person in far.iterrows():
        assert explainer.explain(person).status is not p2ce.Status.HEURISTIC
    near = explainer.explain_many(frame[model.decision_function(frame) < 0])
    assert p2ce.Status.HEURISTIC not in near.statuses
