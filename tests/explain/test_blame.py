"""An error is blamed on an unseen label only where the label is what fails; anything else stays as it is."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from p2ce import Explainer, Status
from p2ce.errors import InvalidOutput, InvalidPerson
from p2ce.solver.branch_and_bound import Progress

QUESTION: dict[str, Any] = {"target": 1, "plausibility": None}


def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 70, 200), "job": rng.choice(["clerk", "cook", "smith"], 200)}
    )
    return frame, (frame["age"] + 20 * (frame["job"] == "cook") > 50).to_numpy().astype(int)


def score(rows: pd.DataFrame) -> np.ndarray:
    """A black box that takes any label, and fails for people over a hundred."""
    if (rows["age"] > 100).any():
        raise RuntimeError("nobody is that old")
    return (rows["age"] + 20 * (rows["job"] == "cook")).to_numpy() / 150.0


def strict_score(rows: pd.DataFrame) -> np.ndarray:
    """The same, but it refuses labels that it does not know."""
    if not set(rows["job"]) <= {"clerk", "cook", "smith"}:
        raise RuntimeError("this job is unknown")
    return score(rows)


def test_an_error_that_has_another_reason_is_not_blamed_on_the_label() -> None:
    frame, _ = table()
    explainer = Explainer(score, frame, threshold=0.4, **QUESTION)
    assert explainer.explain({"age": 30, "job": "pilot"}).status is Status.OPTIMAL
    with pytest.raises(InvalidOutput, match="nobody is that old") as caught:
        explainer.explain({"age": 101, "job": "pilot"})
    assert "not in the reference" not in str(caught.value)


def test_a_listener_that_fails_is_not_blamed_on_the_label() -> None:
    frame, _ = table()
    explainer = Explainer(score, frame, threshold=0.4, **QUESTION)

    def listener(progress: Progress) -> bool:
        raise ZeroDivisionError("of the listener")

    with pytest.raises(ZeroDivisionError, match="of the listener"):
        explainer.explain({"age": 30, "job": "pilot"}, listener=listener)


def test_a_label_that_the_model_refuses_is_named() -> None:
    frame, _ = table()
    explainer = Explainer(strict_score, frame, threshold=0.4, **QUESTION)
    with pytest.raises(InvalidPerson, match=r"this job is unknown.*'job' holds 'pilot'"):
        explainer.explain({"age": 30, "job": "pilot"})


def test_each_person_of_a_batch_has_their_own_reason_and_the_others_are_answered() -> None:
    frame, _ = table()
    explainer = Explainer(strict_score, frame, threshold=0.4, **QUESTION)
    rows = [(30, "clerk"), (30, "pilot"), (101, "cook"), (101, "pilot"), (25, "smith")]
    found = explainer.explain_many(pd.DataFrame(rows, columns=["age", "job"]))
    assert [one.status for one in found] == [
        Status.OPTIMAL,
        Status.ERROR,
        Status.ERROR,
        Status.ERROR,
        Status.OPTIMAL,
    ]
    assert "'job' holds 'pilot'" in found[1].message
    assert "nobody is that old" in found[2].message
    assert "not in the reference" not in found[2].message
    # Two things are wrong with this one: that the label is to blame is not established.
    assert "not in the reference" not in found[3].message
    for at in (0, 4):
        assert list(found[at]) == list(explainer.explain({"age": rows[at][0], "job": rows[at][1]}))


def test_an_unseen_label_that_is_taken_does_not_get_the_blame_of_a_neighbour() -> None:
    frame, _ = table()
    found = Explainer(score, frame, threshold=0.4, **QUESTION).explain_many(
        pd.DataFrame({"age": [30, 101], "job": ["pilot", "cook"]})
    )
    assert [one.status for one in found] == [Status.OPTIMAL, Status.ERROR]
    assert "nobody is that old" in found[1].message
    assert "pilot" not in found[1].message


def test_a_pipeline_that_refuses_the_label_is_still_explained() -> None:
    frame, label = table()
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame[["job"]], label)
    explainer = Explainer(model, frame[["job"]], **QUESTION)
    with pytest.raises(InvalidPerson, match="'job' holds 'pilot', which is not in the reference"):
        explainer.explain({"job": "pilot"})
