"""Make answers of every kind for the tests of reports."""

from dataclasses import replace
from typing import Any

from p2ce.problem.display import Display
from p2ce.result import (
    Certificate,
    Counterfactual,
    Distribution,
    Explanation,
    Explanations,
    Feature,
    Relaxation,
    Question,
    Status,
    WhyNone,
)

PERSON: dict[str, Any] = {
    "Age": 41,
    "Sex": "female",
    "LoanAmount": 7500,
    "LoanDuration": 36,
    "LoanRateAsPercentOfIncome": 0.34,
    "HasGuarantor": False,
    "Housing": "rent",
    "Savings": None,
}
DTYPES = {
    "Age": "int64",
    "Sex": "object",
    "LoanAmount": "int64",
    "LoanDuration": "int64",
    "LoanRateAsPercentOfIncome": "float64",
    "HasGuarantor": "bool",
    "Housing": "object",
    "Savings": "float64",
}
POLICY = """\
version: 1
features:
  Sex: {protected: true}
  LoanAmount: {direction: down, step: 100}
  HasGuarantor: {allowed: [true]}
rules:
  - LoanAmount <= 250 * LoanDuration
"""
CERTIFICATE = Certificate(
    proven=True,
    method="exact",
    model_family="LightGBM",
    detector_family="isolation forest",
    bound="tree leaves",
    cells=1_234_567,
    axes=6,
    max_changes=3,
    boxes=431,
    scored=2_000,
    pruned={"dominated": 400, "model bound": 12},
    verified=3,
    rules=("LoanAmount <= 250*LoanDuration",),
)


def _bell(low: float, high: float, bins: int = 24) -> Distribution:
    width = (high - low) / bins
    heights = [2.0 ** (-(((place - bins / 3) / (bins / 6)) ** 2)) for place in range(bins)]
    return Distribution(
        edges=tuple(low + width * place for place in range(bins + 1)),
        shares=tuple(height / sum(heights) for height in heights),
    )


FEATURES = [
    Feature(name="Age", kind="whole", moves="fixed", display=Display(name="age", unit="years")),
    Feature(
        name="Sex",
        kind="category",
        moves="protected",
        display=Display(name={"en": "sex", "pt": "o sexo", "es": "el sexo"}),
    ),
    Feature(
        name="LoanAmount",
        kind="whole",
        moves="down",
        candidates="74: 200–7500, every 100",
        display=Display(
            name={"en": "loan amount", "pt": "o valor do empréstimo", "es": "el importe del préstamo"},
            unit="EUR",
        ),
        distribution=_bell(250, 18_000),
    ),
    Feature(
        name="LoanDuration",
        kind="whole",
        moves="either",
        candidates="30: 6–72",
        display=Display(
            name={"en": "loan duration", "pt": "a duração do empréstimo", "es": "el plazo del préstamo"},
            unit={"en": "months", "pt": "meses", "es": "meses"},
        ),
        distribution=_bell(4, 72),
    ),
    Feature(
        name="LoanRateAsPercentOfIncome",
        kind="number",
        moves="down",
        candidates="12: 0.05–0.34",
        display=Display(
            name={
                "en": "instalment as a share of income",
                "pt": "a parcela em relação à renda",
                "es": "la cuota en relación con los ingresos",
            },
            style="percent",
        ),
        distribution=_bell(0.02, 0.6),
    ),
    Feature(
        name="HasGuarantor",
        kind="binary",
        moves="up",
        candidates="no, yes",
        display=Display(
            name={"en": "guarantor", "pt": "o fiador", "es": "el aval"},
            phrases={True: {"en": "have a guarantor", "pt": "apresente um fiador", "es": "presente un aval"}},
        ),
        distribution=Distribution(labels=(False, True), shares=(0.88, 0.12)),
    ),
    Feature(
        name="Housing",
        kind="category",
        moves="either",
        candidates="own, rent, free",
        display=Display(
            name={"en": "housing", "pt": "a moradia", "es": "la vivienda"},
            values={
                "own": {"en": "own home", "pt": "casa própria", "es": "casa propia"},
                "rent": {"en": "rented", "pt": "alugada", "es": "alquilada"},
                "free": {"en": "free of charge", "pt": "cedida", "es": "cedida"},
            },
        ),
        distribution=Distribution(labels=("own", "rent", "free"), shares=(0.71, 0.18, 0.11)),
    ),
    Feature(
        name="Savings",
        kind="number",
        moves="up",
        candidates="9: 0–4000, every 500",
        display=Display(name={"en": "savings", "pt": "a poupança", "es": "los ahorros"}, unit="EUR"),
        distribution=replace(_bell(0, 9_000), missing=0.18),
    ),
]
QUESTION = Question(
    features={feature.name: feature for feature in FEATURES},
    rules=("LoanAmount <= 250*LoanDuration",),
    policy=POLICY,
    people=1000,
    versions={"p2ce": "0.1.0", "lightgbm": "4.6.0", "numpy": "2.3.1", "python": "3.12.3"},
    hashes={"model": "3f" * 32, "reference": "a0" * 32, "policy": "9c" * 32},
    settings={"seed": 0, "contamination": 0.1},
)
OBJECTIVES = ("mean_distance", "changes")
ACTIONS: list[dict[str, Any]] = [
    {"LoanAmount": 6100, "HasGuarantor": True, "LoanDuration": 30},
    {"LoanAmount": 5200, "HasGuarantor": True},
    {"LoanAmount": 5600, "LoanRateAsPercentOfIncome": 0.21},
    {"Housing": "own", "LoanDuration": 24},
    {"Savings": 1500.0, "LoanDuration": 30},
    {"LoanAmount": 2400},
]


def option(place: int, actions: dict[str, Any], **costs: float) -> Counterfactual:
    return Counterfactual(
        values={**PERSON, **actions},
        changes={name: (PERSON[name], new) for name, new in actions.items()},
        costs={"mean_distance": 0.08 + 0.043 * place, "changes": float(len(actions)), **costs},
        score=0.531 + 0.004 * place,
        plausibility=0.021 + 0.01 * place,
    )


OPTIONS = tuple(option(place, actions) for place, actions in enumerate(ACTIONS))


def answer(**fields: Any) -> Explanation:
    """An optimal answer with a few options, except for the fields given."""
    made = Explanation(
        status=Status.OPTIMAL,
        person=PERSON,
        person_score=0.31,
        threshold=0.5,
        target=1,
        counterfactuals=OPTIONS,
        certificate=CERTIFICATE,
        objectives=OBJECTIVES,
        dtypes=DTYPES,
        question=QUESTION,
    )
    return replace(made, **fields)


def three_objectives(count: int = 6) -> Explanation:
    """A front in three objectives, of any size."""
    options = tuple(
        option(
            place % 7,
            {"LoanAmount": 7400 - 50 * place, **({"HasGuarantor": True} if place % 3 else {})},
            mean_distance=0.05 + place / 100,
            max_distance=1.0 / (place + 1),
            percentile_shift=0.2 + (place * 7 % 11) / 20,
        )
        for place in range(count)
    )
    return answer(
        counterfactuals=options,
        objectives=("mean_distance", "max_distance", "percentile_shift"),
    )


def no_recourse() -> Explanation:
    return answer(status=Status.NO_RECOURSE, counterfactuals=())


WHY = WhyNone(
    person=PERSON,
    relaxations=(
        Relaxation(
            restrictions=("LoanAmount stays at 7,000 or more",),
            kinds=("range",),
            counterfactual=OPTIONS[5],
            proven=True,
        ),
        Relaxation(
            restrictions=("at most 1 change", "HasGuarantor stays as it is"),
            kinds=("changes", "fixed"),
            counterfactual=OPTIONS[1],
            proven=False,
        ),
    ),
    undecided=(("Housing stays as it is",),),
    considered=("a", "b", "c", "d"),
    complete=False,
    objectives=OBJECTIVES,
    dtypes=DTYPES,
)


def regression() -> Explanation:
    """A wanted range of a number."""
    options = tuple(
        replace(one, score=3.5 + place, prediction=1203.5 + place) for place, one in enumerate(OPTIONS[:2])
    )
    return answer(
        scale="lead",
        threshold=0.0,
        target=(1200, 1500),
        person_score=-88.25,
        person_prediction=1111.75,
        counterfactuals=options,
    )


def classes() -> Explanation:
    """One of several classes has to win."""
    options = tuple(replace(one, score=0.08, prediction=0.41) for one in OPTIONS[:2])
    return answer(
        scale="lead",
        threshold=0.0,
        target="good & <well>",
        person_score=-0.2,
        person_prediction=0.3,
        counterfactuals=options,
    )


def every_status() -> dict[str, Explanation]:
    """One answer for each way in which a search ends, and for each kind of model."""
    open_ended = replace(
        CERTIFICATE, proven=False, open_boxes=12, open_costs={"mean_distance": 0.05, "changes": 1.0}
    )
    estimated = replace(
        CERTIFICATE,
        proven=False,
        unproven_because="estimate",
        bound="shap",
        explainer="tree",
        miss_rate=0.0234,
        sample_size=300,
        residual=0.01,
    )
    return {
        "optimal": answer(),
        "one option": answer(counterfactuals=OPTIONS[:1]),
        "two options": answer(counterfactuals=OPTIONS[:2]),
        "ties": answer(counterfactuals=tuple(replace(one, costs=OPTIONS[0].costs) for one in OPTIONS)),
        "three objectives": three_objectives(),
        "sixty options": three_objectives(64),
        "one objective": answer(objectives=("changes",)),
        "no recourse": no_recourse(),
        "heuristic": answer(status=Status.HEURISTIC, certificate=estimated),
        "time limit": answer(status=Status.TIME_LIMIT, certificate=open_ended),
        "time limit, nothing": answer(status=Status.TIME_LIMIT, certificate=open_ended, counterfactuals=()),
        "favourable": answer(
            status=Status.ALREADY_FAVOURABLE, counterfactuals=(), person_score=0.8, certificate=None
        ),
        "error": answer(
            status=Status.ERROR,
            counterfactuals=(),
            person_score=None,
            certificate=None,
            message="Age is 'x' & more",
        ),
        "no question": answer(question=None),
        "no certificate": answer(certificate=None),
        "regression": regression(),
        "classes": classes(),
        "models": answer(scale="lead", models=3, threshold=0.0, person_score=-0.2),
    }


def many(count: int, **fields: Any) -> Explanations:
    """Many people of all kinds, each built when looked at."""
    kinds = [
        one for name, one in every_status().items() if one.objectives == OBJECTIVES and "no q" not in name
    ]
    kinds = [one for one in kinds if one.scale == "probability"]
    return Explanations(count, lambda place: kinds[place % len(kinds)], **fields)
