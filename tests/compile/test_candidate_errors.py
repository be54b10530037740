"""Are candidates that the model rejects named before a search meets them?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Policy
from p2ce.compile import candidate_errors as candidates
from p2ce.compile.candidate_errors import require_candidates
from p2ce.compile.lay_out import lay_out_again, with_policy
from p2ce.errors import InvalidPolicy
from p2ce.explainer import problems_of

PEOPLE = pd.DataFrame({"age": [20, 30, 40, 50], "home": ["own", "rent", "own", "free"]})


class Picky:
    """Takes only some homes, and counts the rows that it is asked about."""

    def __init__(self, *known: str) -> None:
        self.known, self.rows = set(known), 0

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.rows += len(frame)
        strange = sorted(set(frame["home"]) - self.known)
        if strange:
            raise ValueError(f"unknown home {strange}")
        return (frame["age"] > 35).to_numpy(dtype=np.float64)


def setup_of(model: Any, policy: Policy) -> Any:
    return problems_of(p2ce.Explainer(model, PEOPLE, target=1, policy=policy, plausibility=None)).own


def test_labels_that_the_model_rejects_are_named_with_advice() -> None:
    model = Picky("own", "rent", "free")
    problem = setup_of(model, Policy.infer(PEOPLE, protect=None))
    model.known -= {"free"}
    row = problem.codebook.encode(PEOPLE)[0]
    with pytest.raises(InvalidPolicy, match=r"fails if 'home' is 'free' \(.*policy\.candidates\(\{'home'"):
        require_candidates(problem, row)
    fine = lay_out_again(
        problem,
        with_policy(problem, Policy.infer(PEOPLE, protect=None).candidates(home=["own", "rent"])),
    )
    require_candidates(fine, row)


def test_of_many_candidates_some_of_every_feature_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Picky("own", "rent", "free")
    problem = setup_of(model, Policy.infer(PEOPLE, protect=None).candidates(age=list(range(20, 90))))
    row = problem.codebook.encode(PEOPLE)[0]
    model.rows = 0
    require_candidates(problem, row)
    assert model.rows == 70 + 3
    monkeypatch.setattr(candidates, "MOST_TRIED", 13)
    model.rows = 0
    require_candidates(problem, row)
    assert model.rows == 10 + 3  # the short list leaves its share to the long one
    model.known -= {"free"}
    with pytest.raises(InvalidPolicy, match="fails if 'home' is 'free'"):
        require_candidates(problem, row)
    model.known |= {"free"}
    monkeypatch.setattr(candidates, "MOST_TRIED", 1)
    model.rows = 0
    require_candidates(problem, row)
    assert model.rows == 1  # also where there are more axes than may be tried


def test_a_category_with_too_many_labels_is_rejected_before_anything_learns_from_it() -> None:
    people = pd.DataFrame(
        {"age": np.arange(30_002) % 60, "home": [f"home {i % 30_001}" for i in range(30_002)]}
    )
    model = Picky(*people["home"])
    with pytest.raises(InvalidPolicy, match="'home' has 30,001 labels, more than the 30,000 allowed"):
        p2ce.Explainer(model, people, target=1)
    assert model.rows == 0
    fixed = Policy.infer(people).fix("home")  # which has no candidates to list
    p2ce.Explainer(model, people, target=1, policy=fixed, plausibility=None)
    assert model.rows > 0
