"""Make the answers that the tests of charts draw: ordinary ones, large ones and hostile ones."""

from dataclasses import replace
from typing import Any

import numpy as np

from p2ce.problem.display import Display
from p2ce.result import Counterfactual, Explanation, Explanations, FeatureMap, Status
from p2ce.result.categories import Categories
from p2ce.result.distribution import Distribution
from p2ce.result.question import Feature, Question

OBJECTIVES = ("mean_distance", "max_distance", "changes", "percentile_shift", "my own cost")
HOSTILE = ("<script>alert(1)</script>", "$x^2$", "two\nlines", "🎉 party", "a" * 120, "100 % {x} %{y}")
PERSON: dict[str, Any] = {
    "LoanAmount": 7500,
    "Rate": 0.119,
    "Term": 36,
    "HasGuarantor": False,
    "Housing": "rent",
    "Income": float("nan"),
    "Age": 41,
}
PURPOSES = tuple(f"purpose number {number}" for number in range(20))


def bell(low: float, high: float, bins: int = 24, *, middle: float = 0.4) -> Distribution:
    """A population in one hump."""
    places = (np.arange(bins) + 0.5) / bins
    heights = np.exp(-(((places - middle) / 0.22) ** 2))
    edges = np.linspace(low, high, bins + 1)
    return Distribution(edges=tuple(edges.tolist()), shares=tuple((heights / heights.sum()).tolist()))


def question(**features: Feature) -> Question:
    """The request of a loan office; features given replace or add some."""
    usual = {
        "LoanAmount": Feature(
            name="LoanAmount",
            kind="whole",
            display=Display(
                name={"en": "loan amount", "pt": "o valor do empréstimo", "es": "el importe del préstamo"},
                unit="EUR",
            ),
            distribution=bell(500, 15_500),
        ),
        "Rate": Feature(
            name="Rate",
            kind="number",
            display=Display(name={"en": "interest rate", "pt": "a taxa de juros"}, style="percent"),
            distribution=bell(0.01, 0.25),
        ),
        "Term": Feature(
            name="Term",
            kind="whole",
            display=Display(name={"en": "term", "pt": "o prazo"}, unit={"en": "months", "pt": "meses"}),
            distribution=bell(3, 75, 12),
        ),
        "HasGuarantor": Feature(
            name="HasGuarantor",
            kind="binary",
            display=Display(name={"en": "guarantor", "pt": "o fiador"}),
            distribution=Distribution(labels=(False, True), shares=(0.8, 0.2)),
        ),
        "Housing": Feature(
            name="Housing",
            kind="category",
            display=Display(values={"own": "own home", "rent": "rented", "free": "for free"}),
            distribution=Distribution(labels=("own", "rent", "free"), shares=(0.6, 0.3, 0.1)),
        ),
        "Income": Feature(
            name="Income",
            kind="number",
            display=Display(name="yearly income", unit="EUR"),
            distribution=replace(
                bell(5_000, 95_000), shares=tuple(0.9 * one for one in bell(0, 1).shares), missing=0.1
            ),
        ),
        "Age": Feature(name="Age", kind="whole", moves="fixed", distribution=bell(18, 80)),
    }
    return Question(features={**usual, **features}, people=1_000)


def option(costs: dict[str, float], **changes: Any) -> Counterfactual:
    return Counterfactual(
        values={**PERSON, **changes},
        changes={name: (PERSON.get(name), new) for name, new in changes.items()},
        costs=costs,
        score=0.53,
        plausibility=0.02,
    )


def answer(*options: Counterfactual, given: Question | None = None, **fields: Any) -> Explanation:
    """An optimal answer with these options."""
    objectives = tuple(options[0].costs) if options else OBJECTIVES[:2]
    person = {**PERSON, **fields.pop("person", {})}
    made = Explanation(
        status=Status.OPTIMAL,
        person=person,
        person_score=0.31,
        threshold=0.5,
        target=1,
        counterfactuals=options,
        objectives=objectives,
        dtypes=dict.fromkeys(person, "object"),
        question=given or question(),
    )
    return replace(made, **fields)


def loan() -> Explanation:
    """Three options that a credit officer could meet."""
    return answer(
        option(
            {"mean_distance": 0.12, "max_distance": 0.9, "changes": 2.0}, LoanAmount=5200, HasGuarantor=True
        ),
        option({"mean_distance": 0.31, "max_distance": 1.4, "changes": 1.0}, LoanAmount=2500),
        option(
            {"mean_distance": 0.18, "max_distance": 0.4, "changes": 4.0},
            LoanAmount=6400,
            Rate=0.0875,
            Housing="own",
            Income=32_000.0,
        ),
    )


def front(options: int, objectives: int, *, seed: int = 7) -> Explanation:
    """A front of any size: costs on the part of a sphere that faces the origin."""
    rng = np.random.default_rng(seed)
    points = np.abs(rng.normal(size=(options, max(objectives, 1))))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points = 1.2 - points
    made = []
    for place, costs in enumerate(points):
        changes = {"LoanAmount": 7000 - 100 * place, **({"Term": 24} if place % 2 else {})}
        named = dict(zip(OBJECTIVES[:objectives], costs.tolist(), strict=True))
        if "changes" in named:
            named["changes"] = float(1 + place % 4)
        made.append(option(named, **changes))
    made.sort(key=lambda one: tuple(one.costs.values()))
    return answer(*made)


def hostile() -> Explanation:
    """Names, labels and units that break careless drawings."""
    features = {
        name: Feature(
            name=name, kind="number", display=Display(name=name, unit="$"), distribution=bell(0, 100)
        )
        for name in HOSTILE
    }
    features["label"] = Feature(
        name="label",
        kind="category",
        display=Display(name=HOSTILE[0] + "$a$"),
        distribution=Distribution(labels=HOSTILE, shares=(0.3, 0.2, 0.2, 0.1, 0.1, 0.1)),
    )
    person = {**dict.fromkeys(HOSTILE, 10.0), "label": HOSTILE[0]}
    made = [
        Counterfactual(
            values={**person, name: 90.0},
            changes={name: (10.0, 90.0), "label": (HOSTILE[0], HOSTILE[place])},
            costs={"$a$ <b>": 1.0 - place / 10, "changes": 1.0 + place},
            score=0.6,
        )
        for place, name in enumerate(HOSTILE)
    ]
    return answer(*made, given=Question(features=features), person=person)


def many_labels() -> Explanation:
    """A category of twenty labels, an ordered one, a constant, and values far outside of the population."""
    extra = {
        "Purpose": Feature(
            name="Purpose",
            kind="category",
            distribution=Distribution(
                labels=PURPOSES,
                shares=tuple((np.arange(20, 0, -1) / 210 * 0.9).tolist()),
                other=0.05,
                missing=0.05,
            ),
        ),
        "Grade": Feature(
            name="Grade",
            kind="category",
            distribution=Distribution(labels=("B", "A", "C", "D"), shares=(0.4, 0.3, 0.2, 0.1)),
        ),
        "Constant": Feature(
            name="Constant", kind="number", distribution=Distribution(edges=(2.0, 6.0), shares=(1.0,))
        ),
        "Far": Feature(name="Far", kind="number", distribution=bell(0, 10)),
    }
    person = {"Purpose": PURPOSES[17], "Grade": "D", "Constant": 4.0, "Far": -1e6}
    costs = {"mean_distance": 0.2, "changes": 4.0}
    changes = {"Purpose": PURPOSES[1], "Grade": "A", "Constant": 5.0, "Far": 1e6}
    made = Counterfactual(
        values={**PERSON, **person, **changes},
        changes={name: (person[name], new) for name, new in changes.items()},
        costs=costs,
        score=0.6,
    )
    second = Counterfactual(
        values={**PERSON, **person, "Far": 7.5, "Purpose": None},
        changes={"Far": (-1e6, 7.5), "Purpose": (PURPOSES[17], None)},
        costs={"mean_distance": 0.4, "changes": 2.0},
        score=0.6,
    )
    return answer(
        made,
        second,
        given=question(**extra),
        person=person,
        categories={"Grade": Categories(labels=("A", "B", "C", "D"), ordered=True)},
    )


def portfolio(people: int = 400, *, seed: int = 3) -> Explanations:
    """Many people: most have options, some have none, some need none, a few rows were broken."""
    rng = np.random.default_rng(seed)
    shared = question()
    entries = []
    for _ in range(people):
        kind = rng.choice(5, p=[0.78, 0.08, 0.04, 0.08, 0.02])
        if kind:
            statuses = (Status.NO_RECOURSE, Status.TIME_LIMIT, Status.ALREADY_FAVOURABLE, Status.ERROR)
            entries.append(
                answer(given=shared, status=statuses[kind - 1], objectives=("mean_distance", "changes"))
            )
            continue
        cost = float(rng.gamma(2.0, 0.15))
        first: dict[str, Any] = {"LoanAmount": 5000 if rng.random() < 0.8 else 9000}
        if rng.random() < 0.4:
            first["HasGuarantor"] = True
        if rng.random() < 0.3:
            first["Term"] = 48
        entries.append(
            answer(
                option({"mean_distance": cost, "changes": float(len(first))}, **first),
                option({"mean_distance": cost * 1.5, "changes": 1.0}, Rate=0.05),
                given=shared,
            )
        )
    return Explanations(entries)


def loan_map(*, detector: bool = True) -> FeatureMap:
    """Loan amount against term: short and small loans are accepted, and few people have the smallest."""
    amounts = tuple(range(1000, 12_001, 250))
    terms = tuple(range(6, 73, 2))
    across, up = np.meshgrid(np.array(amounts) / 12_000, np.array(terms) / 72)
    scores = 1.0 / (1.0 + np.exp(9.0 * (across + 0.8 * up - 0.75 + 0.12 * np.sin(9 * up))))
    rng = np.random.default_rng(5)
    population = np.column_stack(
        [rng.normal(5500, 2200, 500).clip(500, 14_000), rng.normal(34, 13, 500).clip(6, 72)]
    )
    plausible = ((across - 0.47) / 0.42) ** 2 + ((up - 0.48) / 0.4) ** 2 < 1.0
    costs = ({"mean_distance": 0.3, "changes": 2.0}, {"mean_distance": 0.5, "changes": 1.0})
    explanation = answer(
        option(costs[0], LoanAmount=4750, Term=20),
        option(costs[1], LoanAmount=2750),
        option({"mean_distance": 0.2, "changes": 3.0}, LoanAmount=6000, HasGuarantor=True, Rate=0.1),
    )
    return FeatureMap(
        explanation=explanation,
        columns=("LoanAmount", "Term"),
        values=(amounts, terms),
        scores=scores,
        accepted=scores >= 0.5,
        plausible=plausible if detector else None,
        allowed=(across * 12_000 <= 7500) & (up * 72 <= 48),
        population=population,
    )


def housing_map() -> FeatureMap:
    """A category across and yes or no up."""
    accepted = np.array([[True, False, False], [True, True, False]])
    return FeatureMap(
        explanation=answer(
            option({"mean_distance": 0.3}, Housing="own"), option({"mean_distance": 0.3}, HasGuarantor=True)
        ),
        columns=("Housing", "HasGuarantor"),
        values=(("own", "rent", "free"), (False, True)),
        scores=accepted * 0.5 + 0.2,
        accepted=accepted,
        plausible=np.array([[True, True, True], [True, True, False]]),
        allowed=np.array([[True, True, False], [True, True, False]]),
        population=np.column_stack([np.arange(120) % 3, (np.arange(120) % 5 == 0).astype(float)]),
    )
