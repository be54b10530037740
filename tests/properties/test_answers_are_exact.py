"""What explain() returns is what asking the user's own model about every point would give."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest as SklearnForest

import p2ce
from p2ce.paper import P2CE
from tests.properties.amount import examples
from tests.properties.families import FAMILIES, random_people
from tests.properties.whole_grid import Scorer, as_frame, brute_force_front, reachable_cells, reported_quanta

OBJECTIVES = ["mean_distance", "max_distance", "changes", "percentile_shift", "euclidean"]
DETECTORS = ["none", "ours", "theirs on a frame", "theirs on an array"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The arguments of the search; hypothesis draws them."""

    seed: int
    columns: int
    target: int
    threshold: str
    objectives: list[str]
    max_changes: int | None
    detector: str
    ties: bool
    method: str
    bound: str
    order: str

    def arguments(self, family: str) -> dict[str, Any]:
        """Give the method as arguments; the paper's algorithms have bounds of their own, and no ties."""
        if self.method == "exact":
            return {"ties": self.ties, "bound": self.bound}
        proven = "monotone" if "regression" in family else "tree"
        bound = proven if self.bound == "auto" else self.bound
        ablation = self.method == "p2ce-ablation"
        return {"method": P2CE(bound=bound, order=self.order, partial_plausibility=not ablation)}


questions = st.builds(
    Question,
    seed=st.integers(0, 10_000),
    columns=st.integers(2, 5),
    target=st.sampled_from([1, 1, 0]),
    threshold=st.sampled_from(["default", "0.7", "a cell's", "above a cell's", "0", "1"]),
    objectives=st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=4, unique=True),
    max_changes=st.sampled_from([None, 1, 2, 3, 3]),
    detector=st.sampled_from(DETECTORS),
    ties=st.booleans(),
    method=st.sampled_from(["exact", "exact", "p2ce", "p2ce-ablation"]),
    bound=st.sampled_from(["auto", "auto", "none"]),
    order=st.sampled_from(["importance", "index"]),
)


def random_actions(frame: pd.DataFrame, rng: np.random.Generator) -> p2ce.ActionSet:
    """Take few candidates per feature, and constrain some features."""
    actions = p2ce.ActionSet.infer(frame, grid="paper")
    for name in frame.columns:
        known = np.unique(frame[name])
        if frame[name].dtype.kind != "b" and rng.random() < 0.9:
            chosen = rng.choice(known, size=min(len(known), 4), replace=False)
            actions = actions.values({name: [value.item() for value in chosen]})
        way = rng.random()
        if way < 0.15:
            actions = actions.increase_only(name)
        elif way < 0.3:
            actions = actions.decrease_only(name)
        elif way < 0.4 and actions.features[0].name != name:
            actions = actions.fix(name)
    return actions


def detector_of(kind: str, frame: pd.DataFrame, seed: int) -> tuple[Any, Scorer | None]:
    """Give what is handed to the Explainer, and scikit-learn's own verdict."""
    if kind == "none":
        return None, None
    arguments: dict[str, Any] = {"n_estimators": 10, "contamination": 0.2, "random_state": seed}
    bare = frame.to_numpy(dtype=np.float64)
    if kind == "theirs on a frame":
        theirs = SklearnForest(**arguments).fit(frame)
        return theirs, lambda rows: theirs.decision_function(rows) >= 0.0
    fitted = SklearnForest(**arguments).fit(bare)
    handed = p2ce.IsolationForest(**arguments) if kind == "ours" else fitted
    return handed, lambda rows: fitted.decision_function(rows.to_numpy(dtype=np.float64)) >= 0.0


def threshold_of(kind: str, scores: np.ndarray, rng: np.random.Generator) -> float:
    if kind == "default":
        return 0.5
    if kind in ("0", "0.7", "1"):
        return float(kind)
    at = float(rng.choice(scores))
    return at if kind == "a cell's" else min(1.0, float(np.nextafter(at, np.inf)))


@pytest.mark.parametrize("family", FAMILIES)
@examples(25)
@given(question=questions)
def test_the_answer_is_the_whole_front(family: str, question: Question) -> None:
    # How a dot product rounds depends on how many rows the model gets at once.
    linear = "regression" in family
    rng = np.random.default_rng(question.seed)
    frame, label = random_people(question.seed, columns=question.columns)
    model = FAMILIES[family](frame, label, question.seed)
    actions = random_actions(frame, rng)
    detector, is_plausible = detector_of(question.detector, frame, question.seed)

    def score(rows: pd.DataFrame) -> np.ndarray:
        return np.asarray(model.predict_proba(rows)[:, question.target], dtype=np.float64)

    person = frame.iloc[int(rng.integers(len(frame)))].to_dict()
    if rng.random() < 0.3 and "wealth" in person:
        person["wealth"] += 0.37  # beside the grid
    around = reachable_cells(person, actions, question.max_changes)
    scores = score(as_frame(around, frame)) if len(around) else np.array([0.5])
    kind_of_threshold = "default" if linear and "cell" in question.threshold else question.threshold
    threshold = threshold_of(kind_of_threshold, scores, rng)
    explainer = p2ce.Explainer(
        model,
        frame,
        actions=actions,
        target=question.target,
        threshold=threshold,
        objectives=question.objectives,
        max_changes=question.max_changes,
        plausibility=detector,
        **question.arguments(family),
    )
    found = explainer.explain(person)
    own = score(as_frame(np.array([[float(value) for value in person.values()]]), frame))[0]
    fine = 1e-6 if "float32" in map(str, frame.dtypes) else 1e-12
    assert found.person_score == (pytest.approx(own, rel=fine) if linear else own)
    if own >= threshold:
        assert found.status is p2ce.Status.ALREADY_FAVOURABLE
        return
    truth = brute_force_front(
        person,
        frame,
        actions,
        score=score,
        threshold=threshold,
        is_plausible=is_plausible,
        max_changes=question.max_changes,
        objectives=found.objectives,
    )
    assert found.status is (p2ce.Status.OPTIMAL if truth.valid else p2ce.Status.NO_RECOURSE)
    assert found.certificate.proven
    given_costs = reported_quanta(found)
    cells = [tuple(float(option.values[name]) for name in frame.columns) for option in found]
    assert set(given_costs) == truth.costs
    assert set(cells) <= truth.cells
    assert len(set(cells)) == len(cells)
    assert given_costs == sorted(given_costs)
    if question.ties and question.method == "exact":
        assert set(cells) == truth.cells
    else:
        assert len(given_costs) == len(truth.costs)
    for option in found:
        row = as_frame(np.array([[float(value) for value in option.values.values()]]), frame)
        alone = score(row)[0]
        assert option.score == (pytest.approx(alone, rel=fine) if linear else alone)
        assert (option.plausibility is None) == (is_plausible is None)
