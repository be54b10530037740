"""What explain() returns is what evaluating the user's own model on every row gives."""

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
from tests.oracle import Accepts, allowed_cells, assert_is_front, brute_force_front, typed_cells, typed_rows
from tests.populations.random_tables import random_table
from tests.populations.small_models import COMPILED, proven_bound
from tests.properties.amount import examples
from tests.properties.stated_problems import OBJECTIVES, random_actions

DETECTORS = ["none", "ours", "theirs on a frame", "theirs on an array"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
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

    def arguments(self, family: str, frame: pd.DataFrame) -> dict[str, Any]:
        """Give the method as arguments; the paper's algorithms have bounds of their own, and no ties."""
        if self.method == "exact":
            return {"ties": self.ties, "bound": self.bound}
        bound = proven_bound(family, frame) if self.bound == "auto" else self.bound
        ablation = self.method == "p2ce-ablation"
        return {"method": P2CE(bound=bound, order=self.order, partial_plausibility=not ablation)}


settings = st.builds(
    Settings,
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


def detector_of(kind: str, frame: pd.DataFrame, seed: int) -> tuple[Any, Accepts | None]:
    """Give what the Explainer gets, and scikit-learn's own verdict."""
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


@pytest.mark.parametrize("family", COMPILED)
@examples(25)
@given(settings=settings)
def test_the_result_is_the_whole_front(family: str, settings: Settings) -> None:
    # How a dot product rounds depends on how many rows the model gets at once.
    linear = "regression" in family
    rng = np.random.default_rng(settings.seed)
    table = random_table(settings.seed, columns=settings.columns, kinds=COMPILED[family].columns)
    frame = table.frame
    model = COMPILED[family].fit(frame, table.label, settings.seed)
    actions = random_actions(frame, rng)
    detector, is_plausible = detector_of(settings.detector, frame, settings.seed)

    def score(rows: pd.DataFrame) -> np.ndarray:
        return np.asarray(model.predict_proba(rows)[:, settings.target], dtype=np.float64)

    def accepts(rows: pd.DataFrame) -> np.ndarray:
        accepted = score(rows) >= threshold
        return accepted if is_plausible is None else accepted & is_plausible(rows)

    person = frame.iloc[int(rng.integers(len(frame)))].to_dict()
    if rng.random() < 0.3 and "wealth" in person:
        person["wealth"] += 0.37  # beside the grid
    around = typed_cells(*allowed_cells(person, actions, max_changes=settings.max_changes), frame)
    kind = "default" if linear and "cell" in settings.threshold else settings.threshold
    threshold = threshold_of(kind, score(around) if len(around) else np.array([0.5]), rng)
    explainer = p2ce.Explainer(
        model,
        frame,
        actions=actions,
        target=settings.target,
        threshold=threshold,
        objectives=settings.objectives,
        max_changes=settings.max_changes,
        plausibility=detector,
        **settings.arguments(family, frame),
    )
    found = explainer.explain(person)
    own = score(typed_rows([person], frame))[0]
    fine = 1e-6 if "float32" in map(str, frame.dtypes) else 1e-12
    assert found.person_score == (pytest.approx(own, rel=fine) if linear else own)
    if own >= threshold:
        assert found.status is p2ce.Status.ALREADY_FAVOURABLE
        return
    truth = brute_force_front(
        person,
        frame,
        actions,
        accepts=accepts,
        max_changes=settings.max_changes,
        objectives=found.objectives,
    )
    assert_is_front(found, truth, ties=settings.ties and settings.method == "exact")
    assert found.certificate.cells == truth.allowed
    for option in found:
        alone = score(typed_rows([option.values], frame))[0]
        assert option.score == (pytest.approx(alone, rel=fine) if linear else alone)
        assert (option.plausibility is None) == (is_plausible is None)
