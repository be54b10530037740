"""Black-box models and detectors: which rows they are evaluated on, how often, and in which types."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.base.calls.checked_calls import REBATCHED
from p2ce.errors import InvalidOutput
from p2ce.result.certificate import Status
from tests.populations import loans


def few() -> p2ce.Policy:
    return p2ce.Policy.infer(loans.people(), protect=None).candidates(
        Income=[12, 20, 28, 36, 44, 52],
        Debt=[-3.0, -1.5, 0.0, 1.5, 3.0],
        Rate=[0.0, 0.25, 0.5, 0.75, 1.0],
        Years=[0, 3, 6, 9],
    )


def wavy(rows: pd.DataFrame) -> np.ndarray:
    """Score without any direction that always helps."""
    wave = 0.3 * np.sin(rows["Income"] / 5.0 + rows["Years"]) - 0.2 * np.cos(
        rows["Debt"] * (1 + rows["Rate"])
    )
    return np.asarray(0.5 + wave + 0.1 * rows["Owns"] - 0.05 * rows["Years"] / 6.0, dtype=float).clip(
        0.0, 1.0
    )


def plain(rows: pd.DataFrame) -> np.ndarray:
    """Find plausible whoever earns little or has been here long."""
    return np.asarray(30.0 - rows["Income"] + 4.0 * rows["Years"] - 2.0 * rows["Rate"], dtype=np.float64)


class Watched:
    """A scorer that remembers its rows, which must come in the reference's own columns and types."""

    def __init__(self, score: Any) -> None:
        self.score = score
        self.frames: list[pd.DataFrame] = []

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        assert rows.dtypes.equals(loans.people().dtypes)
        self.frames.append(rows.copy())
        return self.score(rows)

    @property
    def rows(self) -> list[tuple[float, ...]]:
        return [tuple(map(float, row)) for frame in self.frames for row in frame.itertuples(index=False)]


def as_row(values: Any) -> tuple[float, ...]:
    return tuple(float(values[name]) for name in loans.people().columns)


def explainer(model: Any, **changed: Any) -> p2ce.Explainer:
    made = p2ce.Explainer(
        model, loans.people(), **{"target": 1, "policy": few(), "plausibility": None, **changed}
    )
    made.warm_up()  # compiling and calibrating evaluate too, once for all instances
    return made


def rejected(threshold: float = 0.5) -> list[dict[str, Any]]:
    return loans.rejected_by(wavy, threshold).iloc[:5].to_dict("records")


@pytest.mark.parametrize(
    ("max_changes", "ties", "threshold"),
    [(1, True, 0.5), (2, False, 0.99), (None, True, 0.99), (None, False, 0.5)],
)
def test_a_model_is_evaluated_once_at_a_cell_and_again_at_what_is_shown(
    max_changes: int | None, ties: bool, threshold: float
) -> None:
    model = Watched(wavy)
    made = explainer(model, max_changes=max_changes, ties=ties, at_least=threshold)
    for person in rejected(threshold):
        model.frames.clear()
        found = made.explain(person)
        if not len(found):  # and why there is none takes more
            assert found.certificate.none_because is not None
            continue
        evaluated = Counter(model.rows)
        shown = Counter(as_row(option.values) for option in found)
        assert evaluated.pop(as_row(person)) == 1
        assert all(times == 1 + shown[row] for row, times in evaluated.items())
        assert len(evaluated) == found.certificate.scored <= found.certificate.cells
        assert sum(evaluated.values()) == found.certificate.scored + found.certificate.verified
        assert found.certificate.verified == len(found)


@pytest.mark.parametrize("today", ["counts", "ignore"])
@pytest.mark.parametrize("compiled", [False, True], ids=["black-box detector", "forest"])
def test_a_detector_is_evaluated_only_where_the_model_accepts_and_at_the_person(
    compiled: bool, today: Any
) -> None:
    model, detector = Watched(wavy), Watched(plain)
    made = explainer(
        model,
        plausibility=loans.detector() if compiled else detector,
        plausibility_of_today=today,
        at_least=0.6,
    )
    seen = 0
    for person in rejected(0.6):
        model.frames.clear()
        detector.frames.clear()
        found = made.explain(person)
        scores = np.concatenate([wavy(frame) for frame in model.frames])
        accepted = {row for row, score in zip(model.rows, scores, strict=True) if score >= 0.6}
        evaluated = Counter(detector.rows)
        shown = Counter(as_row(option.values) for option in found)
        # What is shown and comes close to the threshold is evaluated alone as well, if it was not anyway.
        own_value = found.certificate.plausibility_today
        least = 0.0 if today == "ignore" else min(0.0, own_value)
        close = Counter(as_row(option.values) for option in found if option.plausibility <= least + REBATCHED)
        if today == "counts" and not compiled:
            assert evaluated.pop(as_row(person)) <= 2  # in a batch, and alone where that may decide
            assert own_value == plain(pd.DataFrame([person]))[0]
        assert set(evaluated) <= accepted
        assert all(0 <= times - 1 - shown[row] <= close[row] for row, times in evaluated.items())
        assert all(option.plausibility >= least and option.score >= 0.6 for option in found)
        seen += len(evaluated)
        if compiled:
            # The forest is quicker: the model is evaluated only where that finds a cell plausible.
            inside = loans.detector().decision_function(pd.concat(model.frames)) >= least
            own = np.array([row == as_row(person) for row in model.rows])
            assert (inside | own).all()
    assert compiled == (seen == 0)


def test_an_estimate_looks_up_the_single_changes_that_were_evaluated() -> None:
    model = Watched(wavy)
    made = explainer(model, bound=p2ce.ShapEstimate(sample_size=20, miss_rate=0.3))
    complete = explainer(wavy)
    fewer = 0
    for person in rejected():
        model.frames.clear()
        found = made.explain(person)
        evaluated = Counter(model.rows)
        shown = Counter(as_row(option.values) for option in found)
        evaluated.pop(as_row(person))
        assert all(times <= 1 + shown[row] for row, times in evaluated.items())
        fewer += complete.explain(person).certificate.scored - found.certificate.scored
    assert fewer > 0


def test_an_infinite_score_is_a_score() -> None:
    """Log-odds of certainty are infinite, twice in a row."""

    def certain(rows: pd.DataFrame) -> np.ndarray:
        return np.where(rows["Income"] > 40, np.inf, np.where(rows["Debt"] > 2.0, -np.inf, -1.0))

    found = explainer(certain, at_least=0.0).explain_many(loans.rejected_by(certain, 0.0).iloc[:5])
    assert {one.status for one in found} == {Status.OPTIMAL}
    assert all(option.score == np.inf for one in found for option in one)


def test_a_function_that_was_taken_for_probabilities_is_held_to_them() -> None:
    """The reference has no such row, so only a search meets it; with a threshold, any number is a score."""
    rows = loans.people().reset_index(drop=True)
    highest = rows["Income"].max()

    def wild(rows: pd.DataFrame) -> np.ndarray:
        return np.where(rows["Income"] > highest, 2.5, 0.25)

    beyond = rows.iloc[[0]].assign(Income=highest + 5)
    with pytest.raises(InvalidOutput, match=r"from 0 to 1; it returned 2\.5"):
        explainer(wild).explain(beyond)
    assert explainer(wild, at_least=0.5).explain(beyond).status is Status.ACCEPTED
