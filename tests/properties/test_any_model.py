"""Law: whatever the model is and however it is passed, the front is the one that asking everywhere gives."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import p2ce
from tests.properties.amount import examples
from tests.properties.cases import OBJECTIVES, Case
from tests.properties.families import FAMILIES, random_people
from tests.properties.whole_grid import Truth, as_frame, brute_force_front, reported_quanta

PROVEN = (p2ce.Status.OPTIMAL, p2ce.Status.NO_RECOURSE)
LIMITS = st.sampled_from([1, 2, 3, None])
CHOSEN = st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=3, unique=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitted:
    """A model as a user has it, and the number that it gives to rows of the reference's columns."""

    model: Any
    score: Callable[[pd.DataFrame], np.ndarray]
    threshold: float
    is_read: bool  # surely, when the model itself is passed; others may be black boxes


Fit = Callable[[pd.DataFrame, np.ndarray, int], Fitted]


def _fit(model: Any, frame: pd.DataFrame, label: np.ndarray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so small a network does not converge, and need not
        return model.fit(frame, label)


def _probabilities(model: Any, *, is_read: bool = True) -> Fitted:
    return Fitted(
        model=model, score=lambda rows: model.predict_proba(rows)[:, 1], threshold=0.5, is_read=is_read
    )


def _network(activation: str, hidden: tuple[int, ...]) -> Fit:
    def fit(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Fitted:
        network = MLPClassifier(hidden, activation=activation, max_iter=40, random_state=seed)
        return _probabilities(_fit(make_pipeline(StandardScaler(), network), frame, label))

    return fit


def _support_vectors(kernel: str) -> Fit:
    def fit(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Fitted:
        model = SVC(kernel=kernel, C=2.0).fit(frame, label)
        return Fitted(model=model, score=model.decision_function, threshold=0.0, is_read=False)

    return fit


def _sequential(outputs: int) -> Fit:
    def fit(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Fitted:
        torch = pytest.importorskip("torch")
        layers = torch.nn
        columns = frame.shape[1]
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            model = layers.Sequential(
                layers.BatchNorm1d(columns),
                layers.Linear(columns, 8),
                layers.LeakyReLU(),
                layers.Dropout(0.2),
                layers.Linear(8, 6),
                layers.Tanh(),
                layers.Linear(6, outputs),
            ).double()
        values = torch.tensor(frame.to_numpy(dtype=np.float64))
        with torch.no_grad():
            model.train()(values[: len(values) // 2])  # what batch normalisation remembers
            model.eval()
            first = model(values)
            middle = (first[:, -1] - first[:, 0] if outputs > 1 else first[:, 0]).median()
            model[-1].bias[-1] -= middle  # half of the people are rejected

        def score(rows: pd.DataFrame) -> np.ndarray:
            with torch.no_grad():
                logits = model(torch.tensor(rows.to_numpy(dtype=np.float64)))
                chance = torch.sigmoid(logits[:, 0]) if outputs == 1 else torch.softmax(logits, dim=1)[:, 1]
                return chance.numpy()

        return Fitted(model=model, score=score, threshold=0.5, is_read=True)

    return fit


MODELS: dict[str, Fit] = {
    "relu network": _network("relu", (8, 6)),
    "tanh network": _network("tanh", (8,)),
    "logistic network": _network("logistic", (6, 6)),
    "identity network": _network("identity", (5,)),
    "torch, one logit": _sequential(1),
    "torch, two logits": _sequential(2),
    "neighbours": lambda frame, label, seed: _probabilities(
        KNeighborsClassifier(3 + seed % 3).fit(frame, label), is_read=False
    ),
    "rbf machine": _support_vectors("rbf"),
    "naive Bayes": lambda frame, label, _: _probabilities(
        GaussianNB(var_smoothing=1e-2).fit(frame, label), is_read=False
    ),
    "LightGBM": lambda frame, label, seed: _probabilities(FAMILIES["LightGBM"](frame, label, seed)),
    "logistic regression": lambda frame, label, _: _probabilities(LogisticRegression().fit(frame, label)),
    "random forest": lambda frame, label, seed: _probabilities(
        RandomForestClassifier(8, max_depth=4, random_state=seed).fit(frame, label)
    ),
}


def few_candidates(frame: pd.DataFrame, most: int) -> p2ce.ActionSet:
    """Let every column move, to a few values only: asking about every point has to stay possible."""
    actions = p2ce.ActionSet.infer(frame, grid="paper")
    for name in frame.columns:
        known = np.unique(frame[name])
        few = known[np.linspace(0, len(known) - 1, min(most, len(known))).astype(int)]
        actions = actions.values({name: [value.item() for value in few]})
    return actions


def make_any(
    fitted: Fitted, frame: pd.DataFrame, label: np.ndarray, objectives: list[str], seed: int, most: int = 5
) -> Case:
    """Choose one of the people that the model rejects."""
    scores = fitted.score(frame)
    rejected = np.flatnonzero(scores < fitted.threshold)
    chosen = int(rejected[seed % len(rejected)]) if len(rejected) else int(np.argmin(scores))
    return Case(
        model=fitted.model,
        frame=frame,
        label=label,
        actions=few_candidates(frame, most),
        person=frame.iloc[chosen].to_dict(),
        objectives=tuple(objectives),
        seed=seed,
    )


def truth_of(case: Case, fitted: Fitted, found: p2ce.Explanation, **arguments: Any) -> Truth:
    """Ask the model about every point; costs are compared as the answer's certificate says."""
    return brute_force_front(
        case.person,
        case.frame,
        case.actions,
        **{"score": fitted.score, "threshold": fitted.threshold, "is_plausible": None, **arguments},
        objectives=found.objectives,
    )


def points_of(case: Case, found: p2ce.Explanation) -> list[tuple[float, ...]]:
    return [tuple(float(option.values[name]) for name in case.frame.columns) for option in found]


def assert_is_the_front(case: Case, found: p2ce.Explanation, truth: Truth, *, ties: bool) -> None:
    points = points_of(case, found)
    assert found.status is (p2ce.Status.OPTIMAL if truth.cells else p2ce.Status.NO_RECOURSE)
    assert found.certificate.proven
    assert set(reported_quanta(found)) == truth.costs
    assert set(points) <= truth.cells
    assert len(points) == len(set(points)) == (len(truth.cells) if ties else len(truth.costs))


@pytest.mark.parametrize("name", MODELS)
@examples(4)
@given(
    seed=st.integers(0, 10_000),
    columns=st.integers(2, 5),
    objectives=CHOSEN,
    max_changes=LIMITS,
    ties=st.booleans(),
)
def test_a_model_passed_as_it_is_and_as_a_function_has_one_front(
    name: str, seed: int, columns: int, objectives: list[str], max_changes: int | None, ties: bool
) -> None:
    frame, label = random_people(seed, columns=columns)
    fitted = MODELS[name](frame, label, seed)
    case = make_any(fitted, frame, label, objectives, seed)
    own = case.explainer(max_changes=max_changes, ties=ties).explain(case.person)
    black_box = p2ce.Explainer(
        lambda rows: fitted.score(rows),
        frame,
        actions=case.actions,
        objectives=case.objectives,
        plausibility=None,
        threshold=fitted.threshold,
        max_changes=max_changes,
        ties=ties,
    ).explain(case.person)
    if own.status is p2ce.Status.ALREADY_FAVOURABLE:
        assert black_box.status is own.status
        return
    truth = truth_of(case, fitted, own, max_changes=max_changes)
    assert_is_the_front(case, own, truth, ties=ties)
    assert_is_the_front(case, black_box, truth, ties=ties)
    assert points_of(case, black_box) == points_of(case, own)
    # Columns of single precision are scored in it, and then the company in a batch moves the last digits.
    assert [option.score for option in black_box] == pytest.approx([option.score for option in own], rel=1e-5)
    black_box_only = own.certificate.bound == "complete"
    assert black_box_only == ("black box" in own.certificate.model_family)
    # A sum that the model itself rounds too coarsely is not read.
    assert not black_box_only or not fitted.is_read or (frame.dtypes != np.float64).any()
    assert black_box.certificate.model_family == "black box (<lambda>)"
    assert black_box.certificate.bound == "complete"
    assert black_box.certificate.pruned["model bound"] == 0  # nothing is known about a whole box


def scrambled(salt: int, share: float) -> Callable[[pd.DataFrame], np.ndarray]:
    """Give each row a number in [0, 1] of which nothing about its neighbours follows."""

    def score(rows: pd.DataFrame) -> np.ndarray:
        hashed = pd.util.hash_pandas_object(rows.astype("float64"), index=False).to_numpy()
        spread = ((hashed ^ np.uint64(salt)) * np.uint64(2654435761)) % np.uint64(1000)
        return 0.5 + share - spread / 1000.0

    return score


def _no_detector(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    return None, None


def _local_outliers(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    detector = LocalOutlierFactor(8, novelty=True, contamination=0.2).fit(frame.to_numpy(dtype=float))
    return detector, lambda rows: detector.decision_function(rows.to_numpy(dtype=float)) >= 0.0


def _scrambled_detector(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    value = scrambled(salt + 1, 0.6)
    return (lambda rows: value(rows) - 0.5), (lambda rows: value(rows) >= 0.5)


def _forest(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    """Parse the detector, although the model is a black box."""
    from sklearn.ensemble import IsolationForest

    forest = IsolationForest(n_estimators=10, contamination=0.2, random_state=salt % 100).fit(frame)
    return forest, lambda rows: forest.decision_function(rows) >= 0.0


DETECTORS = {
    "no detector": _no_detector,
    "local outliers": _local_outliers,
    "a function": _scrambled_detector,
    "a forest": _forest,
}
# Rows are proposed by dozens, so that fronts move between waves even on grids as small as these.
SMALL = {"LEAF_CELLS": 4, "BATCH_CELLS": 4, "LEAST_QUOTA": 2}


@pytest.mark.parametrize("detector", DETECTORS)
@pytest.mark.parametrize("name", ["neighbours", "rbf machine", "scrambled"])
@examples(5)
@given(
    seed=st.integers(0, 10_000),
    columns=st.integers(2, 4),
    objectives=CHOSEN,
    max_changes=LIMITS,
    ties=st.booleans(),
    share=st.sampled_from([0.02, 0.2]),
    in_steps=st.booleans(),
)
def test_asking_about_what_may_matter_equals_asking_about_everything(
    name: str,
    detector: str,
    seed: int,
    columns: int,
    objectives: list[str],
    max_changes: int | None,
    ties: bool,
    share: float,
    in_steps: bool,
) -> None:
    frame, label = random_people(seed, columns=columns)
    if name == "scrambled":
        score = scrambled(seed, share)
        fitted = Fitted(model=score, score=score, threshold=0.5, is_read=False)
    else:
        fitted = MODELS[name](frame, label, seed)
        fitted = replace(fitted, model=lambda rows, score=fitted.score: score(rows))  # a black box
    plausibility, is_plausible = DETECTORS[detector](frame, seed)
    case = make_any(fitted, frame, label, objectives, seed)
    with pytest.MonkeyPatch.context() as patch:
        for constant, value in SMALL.items() if in_steps else ():
            patch.setattr(f"p2ce.solver.search_driver.{constant}", value)
        found = case.explain(
            max_changes=max_changes, ties=ties, plausibility=plausibility, threshold=fitted.threshold
        )
    if found.status is p2ce.Status.ALREADY_FAVOURABLE:
        assert fitted.score(as_frame(np.array([[float(v) for v in case.person.values()]]), frame))[0] >= (
            fitted.threshold
        )
        return
    truth = truth_of(case, fitted, found, max_changes=max_changes, is_plausible=is_plausible)
    assert_is_the_front(case, found, truth, ties=ties)
    assert found.certificate.bound == "complete"
    assert (found.certificate.detector_family is None) == (plausibility is None)


@examples(6)
@given(seed=st.integers(0, 10_000), columns=st.integers(2, 4), name=st.sampled_from(sorted(MODELS)))
def test_many_people_are_answered_as_one_by_one(seed: int, columns: int, name: str) -> None:
    frame, label = random_people(seed, columns=columns)
    fitted = MODELS[name](frame, label, seed)
    case = make_any(fitted, frame, label, ["mean_distance", "changes"], seed)
    explainer = case.explainer(plausibility=scrambled(seed, 0.3))
    people = frame.iloc[:12]
    for one, (_, row) in zip(explainer.explain_many(people), people.iterrows(), strict=True):
        alone = explainer.explain(row)
        assert one.status is alone.status
        assert one.status in (*PROVEN, p2ce.Status.ALREADY_FAVOURABLE)
        assert [option.changes for option in one] == [option.changes for option in alone]


@examples(8)
@given(seed=st.integers(0, 10_000), name=st.sampled_from(["relu network", "neighbours", "rbf machine"]))
def test_pruning_by_cost_alone_changes_nothing(seed: int, name: str) -> None:
    frame, label = random_people(seed, columns=3)
    fitted = MODELS[name](frame, label, seed)
    case = make_any(fitted, frame, label, ["mean_distance", "max_distance"], seed)
    found = case.explain()
    plain = case.explain(bound="none")
    assert plain.status is found.status
    assert points_of(case, plain) == points_of(case, found)
