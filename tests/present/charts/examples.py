"""Make the explanations that the tests of charts draw: ordinary ones, large ones and hostile ones."""

from dataclasses import replace
from typing import Any

import numpy as np

from p2ce.policy.features.display import Display
from p2ce.present.charts.portfolio_data import LeverData, lever_data
from p2ce.present.wording import wording_for
from p2ce.result import Counterfactual, Explanation, Explanations, FeatureMap, Status
from p2ce.result.analysis import LEAST_PEOPLE, Density
from p2ce.result.columns import Categories
from p2ce.result.problem_record import Distribution, Feature, ProblemRecord

OBJECTIVES = ("mean_distance", "max_distance", "changes", "percentile_shift", "my own cost")
HOSTILE = ("<script>alert(1)</script>", "$x^2$", "two\nlines", "🎉 party", "a" * 120, "100 % {x} %{y}")
LOAN: dict[str, Any] = {"LoanAmount": 7500, "Rate": 0.119, "Term": 36}
PERSON = {**LOAN, "HasGuarantor": False, "Housing": "rent", "Income": float("nan"), "Age": 41}
PURPOSES = tuple(f"purpose number {number}" for number in range(20))


def bell(low: float, high: float, bins: int = 24, *, missing: float = 0.0) -> Distribution:
    """A population in one hump."""
    heights = np.exp(-((((np.arange(bins) + 0.5) / bins - 0.4) / 0.22) ** 2))
    shares = (1.0 - missing) * heights / heights.sum()
    edges = np.linspace(low, high, bins + 1)
    return Distribution(edges=tuple(edges.tolist()), shares=tuple(shares.tolist()), missing=missing)


def labels(shares: dict[Any, float], *, other: float = 0.0, missing: float = 0.0) -> Distribution:
    held = tuple(shares.values())
    return Distribution(labels=tuple(shares), shares=held, other=other, missing=missing)


def shown(
    name: Any = "", kind: str = "number", spread: Distribution | None = None, **display: Any
) -> dict[str, Any]:
    return {"kind": kind, "display": Display(name=name, **display), "distribution": spread}


MONTHS, HOMES = {"en": "months", "pt": "meses"}, {"own": "own home", "rent": "rented", "free": "for free"}
FEATURES = {
    "LoanAmount": shown({"en": "loan amount", "pt": "o valor"}, "whole", bell(500, 15_500), unit="EUR"),
    "Rate": shown({"en": "interest rate", "pt": "a taxa de juros"}, spread=bell(0.01, 0.25), style="percent"),
    "Term": shown({"en": "term", "pt": "o prazo"}, "whole", bell(3, 75, 12), unit=MONTHS),
    "HasGuarantor": shown({"en": "guarantor", "pt": "o fiador"}, "binary", labels({False: 0.8, True: 0.2})),
    "Housing": shown("", "category", labels({"own": 0.6, "rent": 0.3, "free": 0.1}), values=HOMES),
    "Income": shown("yearly income", spread=bell(5_000, 95_000, missing=0.1), unit="EUR"),
    "Age": {"kind": "whole", "moves": "fixed", "distribution": bell(18, 80)},
}


def problem(**more: dict[str, Any]) -> ProblemRecord:
    """The policy of a loan office, with more features."""
    features = {name: Feature(name=name, **fields) for name, fields in {**FEATURES, **more}.items()}
    return ProblemRecord(features=features, people=1_000)


def option(
    costs: dict[str, float] | float, person: dict[str, Any] = PERSON, **changes: Any
) -> Counterfactual:
    """An option with these costs, or with this overall change and as many changes as it makes."""
    if isinstance(costs, float):
        costs = {"mean_distance": costs, "changes": float(len(changes))}
    old_and_new = {name: (person.get(name), new) for name, new in changes.items()}
    return Counterfactual(values={**person, **changes}, changes=old_and_new, costs=costs, score=0.53)


def explained(*options: Counterfactual, given: ProblemRecord | None = None, **fields: Any) -> Explanation:
    """An optimal explanation with these options."""
    person = {**PERSON, **fields.pop("person", {})}
    made = Explanation(
        status=Status.OPTIMAL,
        person=person,
        person_score=0.31,
        at_least=0.5,
        target=1,
        counterfactuals=options,
        objectives=tuple(options[0].costs) if options else OBJECTIVES[:2],
        dtypes=dict.fromkeys(person, "object"),
        problem=given or problem(),
    )
    return replace(made, **fields)


def loan() -> Explanation:
    """Three options that a credit officer could meet."""
    changes: list[dict[str, Any]] = [
        {"LoanAmount": 5200, "HasGuarantor": True},
        {"LoanAmount": 2500},
        {"LoanAmount": 6400, "Rate": 0.0875, "Housing": "own", "Income": 32_000.0},
    ]
    costs = ((0.12, 0.9, 2.0), (0.31, 1.4, 1.0), (0.18, 0.4, 4.0))
    named = (dict(zip(OBJECTIVES, mine, strict=False)) for mine in costs)
    return explained(*[option(mine, **new) for mine, new in zip(named, changes, strict=True)])


def front(options: int, objectives: int, *, seed: int = 7) -> Explanation:
    """A front of any size: costs on the part of a sphere that faces the origin."""
    rng = np.random.default_rng(seed)
    points = np.abs(rng.normal(size=(options, max(objectives, 1))))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points = 1.2 - points
    made = []
    for place, costs in enumerate(points):
        changes: dict[str, Any] = {"LoanAmount": 7000 - 100 * place, **({"Term": 24} if place % 2 else {})}
        named = dict(zip(OBJECTIVES[:objectives], costs.tolist(), strict=True))
        if "changes" in named:
            named["changes"] = float(1 + place % 4)
        made.append(option(named, **changes))
    made.sort(key=lambda one: tuple(one.costs.values()))
    return explained(*made)


def hostile() -> Explanation:
    """Names, labels and units that break careless drawings."""
    features = {name: shown(name, spread=bell(0, 100), unit="$") for name in HOSTILE}
    features["label"] = shown(HOSTILE[0] + "$a$", "category", labels(dict.fromkeys(HOSTILE, 0.15), other=0.1))
    person = {**dict.fromkeys(HOSTILE, 10.0), "label": HOSTILE[0]}
    made = [
        option({"$a$ <b>": 1.0 - place / 10, "changes": 1.0 + place}, person, **{name: 90.0, "label": name})
        for place, name in enumerate(HOSTILE)
    ]
    return explained(*made, given=problem(**features), person=person)


def many_labels() -> Explanation:
    """A category of twenty labels, an ordered one, a constant, and values far outside of the population."""
    common = dict(zip(PURPOSES, np.arange(20, 0, -1) / 210 * 0.9, strict=True))
    person = {"Purpose": PURPOSES[17], "Grade": "D", "Constant": 4.0, "Far": -1e6}
    first = {"Purpose": PURPOSES[1], "Grade": "A", "Constant": 5.0, "Far": 1e6}
    made = [option(0.2, person, **first), option(0.4, person, Far=7.5, Purpose=None)]
    given = problem(
        Purpose=shown("", "category", labels(common, other=0.05, missing=0.05)),
        Grade=shown("", "category", labels({"B": 0.4, "A": 0.3, "C": 0.2, "D": 0.1})),
        Constant=shown(spread=Distribution(edges=(2.0, 6.0), shares=(1.0,))),
        Far=shown(spread=bell(0, 10)),
    )
    ordered = {"Grade": Categories(labels=("A", "B", "C", "D"), ordered=True)}
    return explained(*made, given=given, person=person, categories=ordered)


def portfolio(people: int = 400, *, seed: int = 3) -> Explanations:
    """Many people: most have options, some have none, some need none, a few rows were broken."""
    rng = np.random.default_rng(seed)
    shared = problem()
    others = (Status.NO_RECOURSE, Status.TIME_LIMIT, Status.ACCEPTED, Status.ERROR)
    without = [
        explained(given=shared, status=status, objectives=("mean_distance", "changes")) for status in others
    ]
    entries = []
    for kind in rng.choice(5, size=people, p=[0.08, 0.04, 0.08, 0.02, 0.78]):
        new: dict[str, Any] = {
            "LoanAmount": 5000 if rng.random() < 0.8 else 9000,
            "HasGuarantor": True,
            "Term": 48,
        }
        first = dict(list(new.items())[: rng.choice([1, 2, 3], p=[0.5, 0.3, 0.2])])
        cost = float(rng.gamma(2.0, 0.15))
        options = (option(cost, **first), option(cost * 1.5, Rate=0.05))
        entries.append(explained(*options, given=shared) if kind == 4 else without[kind])
    return Explanations(entries)


def loan_map(*, detector: bool = True) -> FeatureMap:
    """Loan amount against term: short and small loans are accepted, and few people have the smallest."""
    amounts = tuple(range(1000, 12_001, 250))
    terms = tuple(range(6, 73, 2))
    across, up = np.meshgrid(np.array(amounts) / 12_000, np.array(terms) / 72)
    scores = 1.0 / (1.0 + np.exp(9.0 * (across + 0.8 * up - 0.75 + 0.12 * np.sin(9 * up))))
    edges = tuple(range(0, 46, 5)), (*range(0, 34, 4), 34)
    middles = np.meshgrid(np.arange(9) - 3.5, np.arange(9) - 4.0)
    people = (80 * np.exp(-(middles[0] ** 2 + middles[1] ** 2) / 8)).astype(np.int64)
    plausible = ((across - 0.47) / 0.42) ** 2 + ((up - 0.48) / 0.4) ** 2 < 1.0
    options = (
        option(0.3, LoanAmount=4750, Term=20),
        option(0.5, LoanAmount=2750),
        option(0.2, LoanAmount=6000, Rate=0.1),
    )
    return FeatureMap(
        explanation=explained(*options),
        columns=("LoanAmount", "Term"),
        values=(amounts, terms),
        scores=scores,
        accepted=scores >= 0.5,
        plausible=plausible if detector else None,
        allowed=(across * 12_000 <= 7500) & (up * 72 <= 48),
        density=Density(edges=edges, people=np.where(people < LEAST_PEOPLE, 0, people)),
    )


def housing_map() -> FeatureMap:
    """A category across and yes or no up."""
    accepted = np.array([[True, False, False], [True, True, False]])
    return FeatureMap(
        explanation=explained(option(0.3, Housing="own"), option(0.3, HasGuarantor=True)),
        columns=("Housing", "HasGuarantor"),
        values=(("own", "rent", "free"), (False, True)),
        scores=accepted * 0.5 + 0.2,
        accepted=accepted,
        plausible=np.array([[True, True, True], [True, True, False]]),
        allowed=np.array([[True, True, False], [True, True, False]]),
        density=Density(edges=((0, 1, 2, 3), (0, 1, 2)), people=np.array([[40, 32, 32], [8, 8, 0]])),
    )


def levers_of_long_names() -> LeverData:
    """State the levers of a portfolio whose names differ in the middle alone."""
    data = lever_data(portfolio(), wording_for(None))
    levers = tuple(
        replace(one, name=f"verified_by_the_applicants_employer_{one.column}_over_the_last_twelve_months")
        for one in data.levers
    )
    return replace(data, levers=levers)
