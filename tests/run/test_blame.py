"""An error is blamed on an unseen label only where the label is what fails; anything else stays as it is."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from p2ce import Explainer, Policy, Status
from p2ce.errors import InvalidOutput, InvalidRow

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.integers(20, 70, 200), "job": RNG.choice(["clerk", "cook", "smith"], 200)})
ARGUMENTS: dict[str, Any] = {"target": 1, "plausibility": None, "at_least": 0.4}


def score(rows: pd.DataFrame) -> np.ndarray:
    """A black box that takes any label, and fails for people over a hundred."""
    if (rows["age"] > 100).any():
        raise RuntimeError("nobody is that old")
    return (rows["age"] + 20 * (rows["job"] == "cook")).to_numpy() / 150.0


def strict_score(rows: pd.DataFrame) -> np.ndarray:
    """The same, but it raises at labels that it does not know."""
    if not set(rows["job"]) <= {"clerk", "cook", "smith"}:
        raise RuntimeError("this job is unknown")
    return score(rows)


@pytest.mark.parametrize("model", [score, strict_score])
def test_each_row_has_its_own_reason_alone_and_in_a_batch(model: Any) -> None:
    explainer = Explainer(
        model, FRAME, policy=Policy.infer(FRAME, protect=None), **{"target": 1, **ARGUMENTS}
    )
    rows = [(30, "clerk"), (30, "pilot"), (101, "cook"), (101, "pilot"), (25, "smith")]
    found = explainer.explain_many(pd.DataFrame(rows, columns=["age", "job"]))
    strict = model is strict_score
    fails = [False, strict, True, True, False]
    assert [one.status for one in found] == [Status.ERROR if failed else Status.OPTIMAL for failed in fails]
    for (age, job), one, failed in zip(rows, found, fails, strict=True):
        if not failed:
            assert list(one) == list(explainer.explain({"age": age, "job": job}))
            continue
        # Where two things are wrong with a row, it is not established that the label is to blame.
        blamed = strict and (age, job) == (30, "pilot")
        assert ("'job' holds 'pilot', which is not in the reference" in one.message) == blamed
        assert ("nobody is that old" in one.message) == (age > 100 and not (strict and job == "pilot"))
        with pytest.raises(InvalidRow if blamed else InvalidOutput) as caught:
            explainer.explain({"age": age, "job": job})
        assert ("not in the reference" in str(caught.value)) == blamed


def test_a_listener_that_fails_is_not_blamed_on_the_label() -> None:
    def listener(progress: object) -> bool:
        raise ZeroDivisionError("of the listener")

    with pytest.raises(ZeroDivisionError, match="of the listener"):
        Explainer(score, FRAME, **{"target": 1, **ARGUMENTS}).explain(
            {"age": 30, "job": "pilot"}, listener=listener
        )


def test_a_pipeline_that_rejects_the_label_names_it() -> None:
    jobs = FRAME[["job"]]
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(jobs, (jobs["job"] == "cook") * 1)
    with pytest.raises(InvalidRow, match="'job' holds 'pilot', which is not in the reference"):
        Explainer(model, jobs, **{"target": 1, **ARGUMENTS}).explain({"job": "pilot"})
