"""Models and detectors that fail, early or late: the call is named, and nothing is left half-done."""

import re
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.base.calls.checked_calls import REBATCHED
from p2ce.base.calls.model_call import evaluate, require_steady
from p2ce.errors import InvalidOutput
from p2ce.result.certificate import Status
from tests.populations import loans

Scorer = Callable[[pd.DataFrame], np.ndarray]
# How cells are pruned: by nothing, by our estimate, or as the paper does it.
SEARCHES: dict[str, dict[str, Any]] = {
    "auto": {},
    "none": {"bound": None},
    "shap": {"bound": p2ce.ShapEstimate(sample_size=5, background=4, rows_per_candidate=2)},
    "paper": {"method": p2ce.paper.P2CE(background=20)},
}
NOISE = 10 * REBATCHED  # more than rounding in another batch


def kind(rows: pd.DataFrame) -> np.ndarray:
    """Score rows as a good model does."""
    margin = rows["Income"] / 12.0 - rows["Debt"] + rows["Owns"] * 1.5 - 4.0
    return np.asarray(1.0 / (1.0 + np.exp(-margin.to_numpy(dtype=np.float64))))


def plausible(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(3.0 - rows["Debt"].abs(), dtype=np.float64)


def few() -> p2ce.Policy:
    choices = {"Income": [15, 25, 35, 45, 55], "Debt": [-2.5, -1.0, 0.5, 2.0]}
    return p2ce.Policy.infer(loans.people(), protect=None).candidates(choices).fix("Rate", "Years")


def explainer(model: Any, **changed: Any) -> p2ce.Explainer:
    return p2ce.Explainer(
        model, loans.people(), **{"target": 1, "policy": few(), "plausibility": None, **changed}
    )


def refused() -> pd.DataFrame:
    people = loans.people()
    return people[kind(people) < 0.5]


@cache
def known_rows() -> set[tuple[Any, ...]]:
    return set(loans.people().itertuples(index=False, name=None))


def is_new(rows: pd.DataFrame) -> np.ndarray:
    """Mark rows that the reference does not hold: what a model need not have seen."""
    return np.array([row not in known_rows() for row in rows.itertuples(index=False, name=None)], dtype=bool)


class Moody:
    """Behaves until told otherwise; ``mood`` makes bad results of rows and good ones."""

    def __init__(self, score: Scorer, mood: Callable[[pd.DataFrame, np.ndarray], Any]) -> None:
        self.score, self.mood, self.bad = score, mood, False

    def __call__(self, rows: pd.DataFrame) -> Any:
        good = self.score(rows)
        return self.mood(rows, good) if self.bad else good


def _raise(rows: pd.DataFrame, good: np.ndarray) -> np.ndarray:
    raise RuntimeError("the server is away")


def drifting() -> Callable[[pd.DataFrame, np.ndarray], np.ndarray]:
    """Add more with every call, to rows that are not known."""
    calls: list[int] = []

    def drift(rows: pd.DataFrame, good: np.ndarray) -> np.ndarray:
        calls.append(len(good))
        return good + np.where(is_new(rows), NOISE * len(calls), 0.0)

    return drift


MOODS: dict[str, tuple[Callable[[pd.DataFrame, np.ndarray], Any], str]] = {
    "raises": (_raise, r"raised RuntimeError: the server is away when called with \d+ rows"),
    "is missing": (lambda rows, good: np.full(len(good), np.nan), r"NaN for \d+ of \d+ rows"),
    "is missing once": (
        lambda rows, good: np.where(np.arange(len(good)) == 0, np.nan, good),
        r"NaN for 1 of \d+ rows",
    ),
    "is short": (lambda rows, good: good[:-1], r"one number per row"),
    "is wide": (lambda rows, good: np.stack([1 - good, good], axis=1), r"one number per row"),
    "is one number": (lambda rows, good: 0.7, r"one number per row"),
    "is nothing": (lambda rows, good: None, r"must return numbers"),
    "is words": (lambda rows, good: np.full(len(good), "yes"), r"must return numbers"),
}


@pytest.mark.parametrize(
    ("name", "search", "who"),
    [
        *((name, "auto", "model") for name in MOODS),
        *(("is missing once", search, who) for search in ("shap", "paper") for who in ("model", "detector")),
        ("raises", "auto", "detector"),
    ],
)
def test_a_bad_answer_later_names_the_call_and_is_forgotten_when_the_model_is_back(
    name: str, search: str, who: str
) -> None:
    mood, message = MOODS[name]
    moody = Moody(kind if who == "model" else plausible, mood)
    given = {"model": moody} if who == "model" else {"model": kind, "plausibility": moody}
    asking = explainer(given.pop("model"), **SEARCHES[search], **given)
    asking.warm_up()
    people = refused().iloc[:4]
    before = asking.explain_many(people)
    moody.bad = True
    with pytest.raises(InvalidOutput, match=rf"{who}\(rows\) .*{message}"):
        asking.explain(people.iloc[0])
    broken = asking.explain_many(people)
    assert {one.status for one in broken} == {Status.ERROR}
    for one in broken:
        assert f"InvalidOutput: {who}(rows)" in one.message
        assert len(one) == 0
        assert one.certificate is None
    moody.bad = False
    after = asking.explain_many(people)
    assert [one.to_dict() | TIMES for one in after] == [one.to_dict() | TIMES for one in before]


TIMES = {"elapsed": 0, "timings": {}}


def test_a_failure_while_calibrating_leaves_the_explainer_as_it_was() -> None:
    moody = Moody(kind, _raise)
    asking = explainer(moody, bound=p2ce.ShapEstimate(sample_size=5, background=4, rows_per_candidate=2))
    moody.bad = True
    person = refused().iloc[0]
    with pytest.raises(InvalidOutput, match=r"model\(rows\) raised RuntimeError: the server is away"):
        asking.explain(person)
    with pytest.raises(InvalidOutput, match=r"model\(rows\) raised RuntimeError: the server is away"):
        asking.explain_many(refused())
    moody.bad = False
    found = asking.explain(person)
    assert found.status is Status.HEURISTIC
    assert found.certificate.estimate.sample_size == 5


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("who", ["model", "detector"])
def test_outputs_that_begin_to_differ_are_never_shown(who: str, search: str) -> None:
    """Steady on known rows, so nothing shows until cells are looked at."""
    moody = Moody(kind if who == "model" else plausible, drifting())
    given = {"model": moody} if who == "model" else {"model": kind, "plausibility": moody}
    # With a threshold, what drifts beyond 1 is still a score.
    asking = explainer(given.pop("model"), at_least=0.5, **SEARCHES[search], **given)
    asking.warm_up()
    moody.bad = True
    people = refused().iloc[:6]
    found = asking.explain_many(people)
    assert {one.status for one in found} == {Status.ERROR}
    message = re.compile(rf"The {who} returned .* for a row and .* when called again")
    assert all(message.search(one.message) and len(one) == 0 for one in found)


@pytest.mark.parametrize("search", SEARCHES)
def test_rounding_of_threads_is_no_difference(search: str) -> None:
    rng = np.random.default_rng(3)
    asking = explainer(
        lambda rows: kind(rows) + 1e-16 * rng.random(len(rows)),
        plausibility=lambda rows: plausible(rows) + 1e-16 * rng.random(len(rows)),
        **SEARCHES[search],
    )
    assert Status.ERROR not in asking.explain_many(refused().iloc[:6]).statuses


@pytest.mark.parametrize("size", [512, 3])
def test_a_model_that_refuses_to_speak_about_some_concerns_only_them(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("p2ce.run.many.explain_many.LARGEST_BATCH", size)

    def shy(rows: pd.DataFrame, good: np.ndarray) -> np.ndarray:
        if (rows["Years"] == 11).any():
            raise ValueError("not about those who stayed for 11 years")
        return np.where(rows["Years"] == 10, np.nan, good)

    moody = Moody(kind, shy)
    asking = explainer(moody)  # years are fixed, so everyone's cells share them
    asking.warm_up()
    people = refused()
    expected = asking.explain_many(people)
    moody.bad = True
    found = asking.explain_many(people)
    years = people["Years"].tolist()
    assert {10, 11} < set(years)
    for one, whole, stayed in zip(found, expected, years, strict=True):
        if stayed == 11:
            assert one.status is Status.ERROR
            assert "ValueError: not about those who stayed for 11 years" in one.message
        elif stayed == 10:
            assert one.status is Status.ERROR
            assert "NaN" in one.message
        else:
            assert one.status is whole.status
            assert one.counterfactuals == whole.counterfactuals


def test_a_model_that_refuses_to_speak_about_some_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only whoever could reach such a cell cheaply enough is concerned; a proof skips nothing."""
    # Few cells at a time, so dear ones are ruled out before anyone is asked about them.
    for constant, value in {"SMALL_BOX_CELLS": 2, "BATCH_CELLS": 2, "LEAST_QUOTA": 1}.items():
        monkeypatch.setattr(f"p2ce.engine.solver.search_driver.{constant}", value)

    def shy(rows: pd.DataFrame) -> np.ndarray:
        # Two values that go together: each alone is fine, which is tried before any search.
        if (is_new(rows) & (rows["Income"] == 55) & (rows["Debt"] == 2.0)).any():
            raise ValueError("too rich to be true")
        return kind(rows)

    asking = explainer(shy)
    honest = explainer(kind)
    people = refused().iloc[:40]
    found = asking.explain_many(people)
    statuses = [one.status for one in found]
    assert {Status.ERROR, Status.OPTIMAL} <= set(statuses)
    for one, (_, person) in zip(found, people.iterrows(), strict=True):
        if one.status is Status.ERROR:
            assert "too rich to be true" in one.message
            with pytest.raises(InvalidOutput, match="too rich to be true"):
                asking.explain(person)
        else:
            assert one.counterfactuals == honest.explain(person).counterfactuals


def test_nobody_is_asked_about_no_rows() -> None:
    def never(rows: pd.DataFrame) -> np.ndarray:
        raise AssertionError("there are no rows")

    assert evaluate(never, loans.people().iloc[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("then", "now", "steady"),
    [
        (0.5, 0.5 + 0.9 * REBATCHED, True),
        (0.5, 0.5 + 1.1 * REBATCHED, False),
        (1e6, 1e6 * (1.0 + 0.9 * REBATCHED), True),
        (1e6, 1e6 * (1.0 + 1.1 * REBATCHED), False),
        (np.inf, np.inf, True),
        (np.inf, 5.0, False),
        (5.0, np.inf, False),
        (-np.inf, np.inf, False),
    ],
)
def test_values_that_differ_by_more_than_rounding_are_reported_with_both(
    then: float, now: float, steady: bool
) -> None:
    both = rf"The model returned {re.escape(repr(then))} .* and {re.escape(repr(now))} when called again"
    with nullcontext() if steady else pytest.raises(InvalidOutput, match=both):
        require_steady(np.array([0.1, then]), np.array([0.1, now]), "model", tolerance=REBATCHED)
