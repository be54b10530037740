"""The price of plausibility: the least costs with the requirement and without it, and only what is proven."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce.errors import InvalidArgument
from p2ce.present.languages import LANGUAGES
from p2ce.result import PriceOfPlausibility, SampledPrice
from p2ce.run import price_plausibility
from p2ce.run.analysis import sample_price
from p2ce.run.analysis.sample_price import sampled_price
from tests.oracle import Truth, quanta
from tests.populations.small_models import score_of
from tests.portfolio.evidence.cases import booster
from tests.portfolio.written_runs import write_run
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems

RNG = np.random.default_rng(3)
PEOPLE = pd.DataFrame({"Income": RNG.integers(0, 100, 400), "Debt": RNG.integers(0, 50, 400)})
PERSON = {"Income": 20, "Debt": 30}
ACTIONS = p2ce.Policy.infer(PEOPLE).step(Income=10, Debt=10)


def accepts(rows: pd.DataFrame) -> np.ndarray:
    """Accept an income of 60 or more, or debts of at most 20, which are nearer."""
    return ((rows["Income"] >= 60) | (rows["Debt"] <= 20)).astype(float)


def plausible(*, debt_from: int = 0, income_to: int = 1_000) -> Any:
    """Call plausible who has at least this debt, and at most this income."""
    return lambda rows: np.where((rows["Debt"] >= debt_from) & (rows["Income"] <= income_to), 1.0, -1.0)


def explainer(**given: Any) -> p2ce.Explainer:
    arguments = {
        "policy": ACTIONS,
        "target": 1,
        "objectives": ["mean_distance", "changes"],
        "price_of_plausibility": True,
        "plausibility_of_today": "ignore",
        **given,
    }
    return p2ce.Explainer(accepts, PEOPLE, **arguments)


def priced(**given: Any) -> PriceOfPlausibility:
    price = explainer(**given).explain(PERSON).price_of_plausibility
    assert price is not None
    return price


def least(found: p2ce.Explanation) -> dict[str, float]:
    return {name: min(option.costs[name] for option in found) for name in found.objectives}


def test_the_price_is_that_of_an_explainer_without_a_detector() -> None:
    free = explainer(plausibility=None).explain(PERSON)
    assert free.price_of_plausibility is None
    price = priced(plausibility=plausible(debt_from=25))
    strict = explainer(plausibility=plausible(debt_from=25)).explain(PERSON)
    assert price.with_plausibility == least(strict)
    assert price.without_plausibility == least(free)
    assert price.with_proven
    assert price.without_proven
    assert price.ratio["mean_distance"] > 1.0
    assert not price.leaves_no_option


def test_a_person_whom_plausibility_leaves_without_an_option_has_a_price_anyway() -> None:
    for asks in (False, True):
        price = priced(plausibility=plausible(debt_from=25, income_to=50), price_of_plausibility=asks)
        assert price.leaves_no_option
        assert price.ratio == {}
        assert price.without_plausibility == least(explainer(plausibility=None).explain(PERSON))


def test_others_have_none_unless_it_is_requested() -> None:
    found = explainer(plausibility=plausible(), price_of_plausibility=False).explain(PERSON)
    assert found.status is p2ce.Status.OPTIMAL
    assert found.price_of_plausibility is None
    assert (
        explainer(plausibility=plausible()).explain({"Income": 90, "Debt": 5}).price_of_plausibility is None
    )
    literal = explainer(
        plausibility=p2ce.PlausibilityForest(), method=p2ce.paper.P2CE(), plausibility_of_today="counts"
    )
    assert literal.explain(PERSON).price_of_plausibility is None
    with pytest.raises(InvalidArgument, match="price_of_plausibility must be True or False; got 1"):
        explainer(price_of_plausibility=1)


def test_requesting_it_changes_nothing_else() -> None:
    people = PEOPLE[accepts(PEOPLE) == 0].head(12)
    with_it = explainer(plausibility=plausible(debt_from=25)).explain_many(people)
    without = explainer(plausibility=plausible(debt_from=25), price_of_plausibility=False).explain_many(
        people
    )
    assert [replace(one, price_of_plausibility=None) for one in with_it] == [
        replace(one, price_of_plausibility=None) for one in without
    ]
    alone = explainer(plausibility=plausible(debt_from=25))
    assert list(with_it) == [alone.explain(row) for row in people.to_dict("records")]


def test_a_search_that_is_cut_claims_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = priced(plausibility=plausible(debt_from=25))
    for most in range(0, 40, 4):
        monkeypatch.setattr(price_plausibility, "MOST_EVALUATIONS", most)
        price = priced(plausibility=plausible(debt_from=25))
        assert price.with_plausibility == whole.with_plausibility
        assert price.without_plausibility is not None
        assert whole.without_plausibility is not None
        if price.without_proven:
            assert price == whole
        for name, cost in price.without_plausibility.items():
            assert whole.without_plausibility[name] <= cost <= whole.with_plausibility[name]  # type: ignore[index]
    monkeypatch.setattr(price_plausibility, "MOST_EVALUATIONS", 0)
    assert not priced(plausibility=plausible(debt_from=25)).without_proven


def test_a_model_that_fails_in_the_second_search_leaves_the_price_open() -> None:
    calls = 0
    most: int | None = None

    def score(rows: pd.DataFrame) -> np.ndarray:
        nonlocal calls
        calls += 1
        if most is not None and calls > most:
            raise ValueError("the service is down")
        return accepts(rows)

    def explained(limit: int | None = None, **given: Any) -> p2ce.Explanation:
        nonlocal calls, most
        made = p2ce.Explainer(score, PEOPLE, target=1, policy=ACTIONS, plausibility=plausible(), **given)
        calls, most = 0, limit
        return made.explain(PERSON)

    expected = explained()
    needed = calls
    found = explained(limit=needed, price_of_plausibility=True)
    assert calls > needed
    assert found == expected
    assert found.price_of_plausibility is None


@examples(60)
@given(
    problem=table_problems(
        ["histogram boosting", "forest behind an ordinal encoder"],
        columns=st.integers(2, 4),
        rule_count=st.integers(0, 2),
        group=st.just(False),
        link=st.just(False),
        detector=st.just(True),
        max_changes=st.integers(1, 2),
    )
)
def test_the_price_is_that_of_evaluating_every_row(problem: StatedProblem) -> None:
    found = problem.explain(price_of_plausibility=True)
    if found.status is p2ce.Status.ACCEPTED:
        return
    price = found.price_of_plausibility
    assert price is not None
    assert price.with_proven
    assert price.without_proven
    threshold = problem.threshold
    strict: Truth = problem.truth(found)
    free: Truth = problem.truth(found, accepts=lambda rows: score_of(problem.model)(rows) >= threshold)
    for costs, truth in ((price.with_plausibility, strict), (price.without_plausibility, free)):
        assert (costs is None) is (truth.valid == 0)
        if costs is not None:
            assert list(costs) == list(found.objectives)
            # The oracle compares squares.
            held = tuple(
                quanta(np.array([cost**2 if name == "euclidean" else cost]))[0]
                for name, cost in costs.items()
            )
            assert held == tuple(min(column) for column in zip(*truth.costs, strict=True))
    for name, cost in (price.with_plausibility or {}).items():
        assert price.without_plausibility is not None
        assert price.without_plausibility[name] <= cost
    assert p2ce.Explanation.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@cache
def loans_case() -> Any:
    case = booster()
    return p2ce.Explainer(
        case.model,
        case.explainer.reference,
        target=1,
        contamination=0.3,
        plausibility_of_today="ignore",
        price_of_plausibility=True,
    )


def test_a_portfolio_keeps_it(tmp_path: Any) -> None:
    written = write_run(tmp_path / "run", loans_case(), loans_case().reference.head(60))
    prices = [one.price_of_plausibility for one in written.explanations]
    assert len({None if one is None else one.leaves_no_option for one in prices}) > 1
    results = p2ce.portfolio.PortfolioResults(written.folder)
    assert [results.explanation(place) for place in range(60)] == list(written.explanations)


def test_an_archive_keeps_the_setting(tmp_path: Any) -> None:
    case = booster()
    loans_case().save(tmp_path / "loans.p2ce")
    again = p2ce.Explainer.load(tmp_path / "loans.p2ce", case.model)
    row = loans_case().reference.iloc[3]
    assert again.explain(row) == loans_case().explain(row)
    assert again.problem.settings["price_of_plausibility"] is True


PRICES = {
    "free": PriceOfPlausibility(
        with_plausibility={"a": 1.0}, with_proven=True, without_plausibility={"a": 1.0}, without_proven=True
    ),
    "twice": PriceOfPlausibility(
        with_plausibility={"a": 2.0}, with_proven=True, without_plausibility={"a": 1.0}, without_proven=True
    ),
    "perhaps": PriceOfPlausibility(
        with_plausibility={"a": 9.0}, with_proven=True, without_plausibility={"a": 1.0}, without_proven=False
    ),
    "left": PriceOfPlausibility(
        with_plausibility=None, with_proven=True, without_plausibility={"a": 1.0}, without_proven=False
    ),
    "neither": PriceOfPlausibility(
        with_plausibility=None, with_proven=True, without_plausibility=None, without_proven=True
    ),
    "open": PriceOfPlausibility(
        with_plausibility=None, with_proven=False, without_plausibility={"a": 1.0}, without_proven=True
    ),
}


def test_a_sample_counts_only_what_is_proven() -> None:
    assert sampled_price([*PRICES.values(), None], ["a"]) == SampledPrice(
        people=7, left_without=1, undecided=2, compared=2, median_ratio={"a": 1.5}
    )
    assert sampled_price([], ["a"]).median_ratio == {}


def test_the_sample_of_an_explainer_is_of_rejected_people() -> None:
    found = explainer(plausibility=plausible(debt_from=25, income_to=50)).sample_price_of_plausibility()
    assert found is not None
    assert found.people == sample_price.SAMPLED_OUTSIDE
    assert found.left_without + found.undecided + found.compared == found.people
    assert found.left_without > 0
    assert explainer(plausibility=None).sample_price_of_plausibility() is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_officers_and_auditors_see_it_and_applicants_do_not(language: str) -> None:
    found = explainer(plausibility=plausible(debt_from=25)).explain(PERSON)
    price = found.price_of_plausibility
    assert price is not None
    variants = [
        price,
        replace(price, without_proven=False),
        replace(price, with_proven=False),
        replace(price, with_plausibility=None),
        replace(price, with_plausibility=None, without_proven=False),
        replace(price, with_plausibility=price.without_plausibility),
        replace(price, with_plausibility=price.without_plausibility, without_proven=False),
        None,
    ]
    shown = [replace(found, price_of_plausibility=one) for one in variants]
    for audience in ("officer", "auditor"):
        texts = {p2ce.to_text(one, audience=audience, language=language) for one in shown}
        assert len(texts) == len(variants)
        assert len({p2ce.to_html(one, audience=audience, language=language) for one in shown}) == len(
            variants
        )
    assert len({p2ce.to_text(one, language=language) for one in shown}) == 1
