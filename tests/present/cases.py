"""Make the explanations that words and pages are tried on."""

import datetime
from dataclasses import replace
from typing import Any

from p2ce.policy.features.display import Display
from p2ce.result import (
    Candidates,
    Certificate,
    Counterfactual,
    Distribution,
    Estimate,
    Explanation,
    Explanations,
    Feature,
    PersonPoints,
    PriceOfPlausibility,
    ProblemRecord,
    Relaxation,
    Relaxations,
    Restriction,
    Status,
)
from p2ce.result.certificate import GridName
from p2ce.result.problem_record import FeatureKind, FeatureMoves
from p2ce.tables.json_values import Value

PERSON: dict[str, Value] = {
    "Age": 41,
    "Sex": "f",
    "LoanAmount": 7512.4,
    "Rate": 0.075,
    "HasGuarantor": 0,
    "Housing": "rent",
    "Savings": None,
    "YearsInTown": 3,
}
DTYPES = {
    "Age": "int64",
    "Sex": "category",
    "LoanAmount": "float64",
    "Rate": "float64",
    "HasGuarantor": "int64",
    "Housing": "category",
    "Savings": "Int64",
    "YearsInTown": "int64",
}
OBJECTIVES = ("mean_distance", "changes")
LINKED = {"rule": "linked", "driver": "Age", "follower": "YearsInTown", "ratio": 1}
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
    pruned={"dominated": 400, "model bound": 12, "rules": 3},
    verified=2,
    rules=(LINKED,),
)
WORDS: dict[str, Display] = {
    "Age": Display(name={"en": "age", "pt": "a idade", "es": "la edad"}),
    "Sex": Display(name={"en": "sex", "pt": "o sexo", "es": "el sexo"}),
    "LoanAmount": Display(
        name={"en": "loan amount", "pt": "o valor do empréstimo", "es": "el importe del préstamo"},
        unit="EUR",
        decimals=0,
    ),
    "Rate": Display(
        name={"en": "interest rate", "pt": "a taxa de juros", "es": "el tipo de interés"}, style="percent"
    ),
    "HasGuarantor": Display(
        name={"en": "guarantor", "pt": "fiador", "es": "avalista"},
        phrases={
            True: {"en": "have a guarantor", "pt": "apresente um fiador", "es": "presente un avalista"},
        },
    ),
    "Housing": Display(
        name={"en": "housing", "pt": "a moradia", "es": "la vivienda"},
        values={
            "rent": {"en": "rented", "pt": "alugada", "es": "alquilada"},
            "own": {"en": "owned", "pt": "própria", "es": "propia"},
        },
    ),
    "Savings": Display(
        name={"en": "savings", "pt": "a poupança", "es": "los ahorros"}, unit="$", unit_first=True
    ),
    "YearsInTown": Display(
        name={"en": "time in town", "pt": "o tempo na cidade", "es": "el tiempo en la ciudad"},
        unit={"en": "years", "pt": "anos", "es": "años"},
    ),
}
KINDS: dict[str, FeatureKind] = {
    "HasGuarantor": "binary",
    "Housing": "category",
    "Sex": "category",
    "Age": "whole",
}
CANDIDATES = {
    "LoanAmount": Candidates(count=96, low=500.0, high=7500.0, steps=(10.0, 500.0)),
    "Rate": Candidates(count=21, low=0.05, high=0.1, steps=(0.0025, 0.0025), may_go_missing=True),
    "Savings": Candidates(count=13, low=0, high=1200, steps=(100, 100), missing_stays=True, special=(-9,)),
    "HasGuarantor": Candidates(count=2, low=0, high=1, values=(0, 1)),
    "Housing": Candidates(count=2, values=("own", "rent")),
}
DISTRIBUTIONS = {
    "LoanAmount": Distribution(edges=(250.0, 2_000.0, 6_000.0, 18_000.0), shares=(0.3, 0.5, 0.2)),
    "Rate": Distribution(edges=(0.02, 0.05, 0.08, 0.2), shares=(0.3, 0.5, 0.2)),
    "HasGuarantor": Distribution(labels=(0, 1), shares=(0.88, 0.12)),
    "Housing": Distribution(labels=("own", "rent"), shares=(0.71, 0.18), other=0.11),
    "Savings": Distribution(edges=(0.0, 1_000.0, 9_000.0), shares=(0.62, 0.2), missing=0.18),
}
MOVES: dict[str, FeatureMoves] = {
    "Age": "fixed",
    "Sex": "protected",
    "LoanAmount": "down",
    "YearsInTown": "along",
}
PROBLEM = ProblemRecord(
    features={
        name: Feature(
            name=name,
            kind=KINDS.get(name, "number"),
            moves=MOVES.get(name, "either"),
            candidates=CANDIDATES.get(name),
            display=WORDS[name],
            distribution=DISTRIBUTIONS.get(name),
        )
        for name in PERSON
    },
    rules=(LINKED,),
    policy="version: 1\nfeatures:\n  Sex: {protected: true}\n",
    people=2_000,
    versions={"p2ce": "1.2.3", "numpy": "2.1.0"},
    hashes={"model": "ab12", "reference": "cd34", "policy": "ef56"},
    settings={"seed": 0, "contamination": 0.05},
)


def option(distance: float, *, rounded: dict[str, Any] | None = None, **changes: Any) -> Counterfactual:
    return Counterfactual(
        values={**PERSON, **changes},
        changes={name: (PERSON[name], new) for name, new in changes.items()},
        costs={"mean_distance": distance, "changes": float(len(changes))},
        score=0.53142,
        plausibility=0.0213,
        rounded=rounded or {},
    )


OPTIONS = (
    option(0.1025, LoanAmount=6199.9999, rounded={"LoanAmount": 6200.0}, HasGuarantor=1),
    option(0.4, LoanAmount=2500.25),
)


def an_explanation(**fields: Any) -> Explanation:
    """An optimal explanation with two options and a problem, except for the fields given."""
    usual = Explanation(
        status=Status.OPTIMAL,
        person=PERSON,
        person_score=0.3104,
        at_least=0.5,
        target=1,
        counterfactuals=OPTIONS,
        certificate=CERTIFICATE,
        objectives=OBJECTIVES,
        dtypes=DTYPES,
        problem=PROBLEM,
    )
    return replace(usual, **fields)


def scored(score: float) -> tuple[Counterfactual, ...]:
    return tuple(replace(one, score=score) for one in OPTIONS)


def large_front() -> Explanation:
    options = (
        option(0.05, Savings=1200, Housing="own", Rate=0.0525, HasGuarantor=1),
        option(0.1, LoanAmount=7000.0, Savings=1200, HasGuarantor=1),
        option(0.15, Housing="own", YearsInTown=5),
        option(0.3, LoanAmount=6000.0, Rate=0.05),
        option(0.9, LoanAmount=1000.0),
    )
    return an_explanation(
        counterfactuals=options, certificate=replace(CERTIFICATE, cells=3 * 10**40, verified=5)
    )


CONSIDERED = (
    Restriction(kind="changes", most=1, instead=2),
    Restriction(kind="direction", feature="LoanAmount", direction="down"),
    Restriction(kind="rule", rule=LINKED),
    Restriction(kind="plausibility"),
)


def front(count: int) -> Explanation:
    """A front in three objectives, of any size."""
    options = (
        replace(
            option(0.05, LoanAmount=7_400.0 - 50 * place),
            costs={
                "mean_distance": 0.05 + place / 100,
                "max_distance": 1.0 / (place + 1),
                "percentile_shift": 0.2 + (place * 7 % 11) / 20,
            },
        )
        for place in range(count)
    )
    return an_explanation(
        counterfactuals=tuple(options), objectives=("mean_distance", "max_distance", "percentile_shift")
    )


WHY = Relaxations(
    person=PERSON,
    relaxations=(
        Relaxation(
            restrictions=(CONSIDERED[0],),
            counterfactual=OPTIONS[0],
            proven=True,
        ),
        Relaxation(
            restrictions=(CONSIDERED[1], CONSIDERED[3]),
            counterfactual=option(0.7, LoanAmount=9000.0),
            proven=False,
        ),
    ),
    undecided=((CONSIDERED[2],),),
    considered=CONSIDERED,
    complete=False,
    objectives=OBJECTIVES,
    dtypes=DTYPES,
)
UNPROVEN = replace(CERTIFICATE, proven=False)
ESTIMATED = replace(
    UNPROVEN,
    unproven_because="estimate",
    bound="shap",
    estimate=Estimate(method="tree paths", residual=0.0125, miss_rate=0.0101, sample_size=199),
)


def with_predictions(*predictions: float | None, **fields: Any) -> Explanation:
    written = an_explanation(scale="lead", at_least=0.0, **fields)
    options = (replace(found, prediction=number) for found, number in zip(written, predictions, strict=True))
    return replace(written, counterfactuals=tuple(options))


def housed() -> Explanation:
    """Housing is three columns of 0 and 1 here; one level has a name, one its own phrase."""
    levels = {
        "Home_own": Display(
            phrases={1: {"en": "buy a home", "pt": "compre um imóvel", "es": "compre una casa"}}
        ),
        "Home_rent": Display(name={"en": "rented", "pt": "alugado", "es": "de alquiler"}),
        "Home_free": Display(),
    }
    features = {
        name: Feature(name=name, kind="binary", group="Home", display=display)
        for name, display in levels.items()
    }
    here: dict[str, Value] = {**PERSON, "Home_own": 0, "Home_rent": 1, "Home_free": 0}
    free: dict[str, Value] = {**here, "Home_rent": 0, "Home_free": 1}
    own: dict[str, Value] = {**here, "Home_rent": 0, "Home_own": 1, "LoanAmount": 7000.0}
    options = (
        replace(OPTIONS[1], values=free, changes={"Home_rent": (1, 0), "Home_free": (0, 1)}),
        replace(
            OPTIONS[0],
            values=own,
            changes={"LoanAmount": (7512.4, 7000.0), "Home_own": (0, 1), "Home_rent": (1, 0)},
            rounded={},
        ),
    )
    return an_explanation(
        counterfactuals=options,
        person=here,
        dtypes={**DTYPES, **dict.fromkeys(levels, "int64")},
        problem=replace(PROBLEM, features={**PROBLEM.features, **features}),
    )


def none_on(grid: GridName, status: Status = Status.NO_RECOURSE, **fields: Any) -> Explanation:
    """Make the explanation of a person without an option."""
    return an_explanation(
        status=status,
        counterfactuals=(),
        certificate=replace(CERTIFICATE, rules=(), cells=90_210, verified=0, grid=grid, **fields),
    )


# Name → the explanation, and why there is none.
CASES: dict[str, tuple[Explanation, Relaxations | None]] = {
    "two options": (
        an_explanation(
            as_of=datetime.date(2026, 11, 18),
            price_of_plausibility=PriceOfPlausibility(
                with_plausibility={"mean_distance": 0.0625, "changes": 1.0},
                with_proven=True,
                without_plausibility={"mean_distance": 0.03125, "changes": 1.0},
                without_proven=False,
            ),
        ),
        None,
    ),
    "many options": (large_front(), None),
    "one option of several models": (
        an_explanation(
            counterfactuals=OPTIONS[:1], models=3, certificate=replace(CERTIFICATE, verified=1, rules=())
        ),
        None,
    ),
    "no option": (
        an_explanation(
            status=Status.NO_RECOURSE,
            counterfactuals=(),
            certificate=replace(CERTIFICATE, max_changes=1, cells=1_061, verified=0),
        ),
        WHY,
    ),
    "stopped early": (
        an_explanation(
            status=Status.TIME_LIMIT,
            certificate=replace(
                UNPROVEN, open_boxes=1_200, open_costs={"mean_distance": 0.025, "changes": 1.0}
            ),
        ),
        None,
    ),
    "by an estimate": (an_explanation(status=Status.HEURISTIC, certificate=ESTIMATED), None),
    "accepted already": (
        an_explanation(status=Status.ACCEPTED, counterfactuals=(), certificate=None, person_score=0.50001),
        None,
    ),
    "failed": (
        an_explanation(
            status=Status.ERROR,
            counterfactuals=(),
            certificate=None,
            person_score=None,
            message="'Age' is missing. Add it to the row.",
        ),
        None,
    ),
    "a range": (
        with_predictions(
            1234.5678, 1300.0, target=(1200.5, None), person_prediction=1150.25, person_score=-50.25
        ),
        None,
    ),
    "one of several classes": (
        with_predictions(0.45, 0.61, target="B", person_score=-0.12, person_prediction=0.31),
        None,
    ),
    "nothing known of the problem": (an_explanation(problem=None), None),
    "a margin": (an_explanation(at_least=0.55, margin=0.05, person_score=0.512), None),
    "a probability of default": (
        an_explanation(
            at_least=None,
            at_most=0.08,
            person_score=0.5514,
            counterfactuals=scored(0.0751),
            problem=replace(PROBLEM, outcome="default"),
        ),
        None,
    ),
    "a probability of a class with a margin": (
        an_explanation(
            at_least=None,
            at_most=0.06,
            margin=0.02,
            person_score=0.071,
            target="bad",
            models=2,
            counterfactuals=scored(0.0599996),
        ),
        None,
    ),
    "a decision value from above": (
        an_explanation(
            at_least=None,
            at_most=-0.5,
            scale="decision",
            person_score=-0.49996,
            counterfactuals=scored(-0.75),
        ),
        None,
    ),
    "several models with their own limits": (
        an_explanation(at_least=0.0, scale="lead", models=3, person_score=-0.21),
        None,
    ),
    "points": (
        an_explanation(
            at_least=None,
            at_most=0.08,
            person_score=0.5514,
            points=PersonPoints(person=481.16, at_least=557.591, decimals=0),
            counterfactuals=tuple(replace(one, points=557.5911) for one in scored(0.0799)),
        ),
        None,
    ),
    "a range with a margin": (
        with_predictions(
            510.0, 580.25, target=(500, 600), margin=5, person_prediction=502.0, person_score=-3.0
        ),
        None,
    ),
    "two regressors": (
        with_predictions(None, None, target=(500, None), models=2, person_score=-12.5),
        None,
    ),
    "the only combination breaks a rule": (
        an_explanation(
            status=Status.NO_RECOURSE,
            counterfactuals=(),
            certificate=replace(CERTIFICATE, cells=1, axes=1, verified=0, detector_family=None),
        ),
        None,
    ),
    "a category of several columns": (housed(), None),
    "no option on the grid of the data, the finest one left open": (
        none_on("inferred", Status.TIME_LIMIT, finest_open=True, proven=False),
        None,
    ),
    "no option on the finest grid": (none_on("finest"), None),
    **{
        f"no option because of {reason}": (none_on("finest", none_because=reason), None)
        for reason in ("model", "plausibility", "rules", "max_changes")
    },
    "as plausible as today": (
        an_explanation(
            counterfactuals=tuple(
                replace(one, plausibility=-0.01, admitted_by="as plausible as today")
                if place
                else replace(one, admitted_by="plausible")
                for place, one in enumerate(OPTIONS)
            ),
            certificate=replace(CERTIFICATE, plausibility_today=-0.0125),
        ),
        None,
    ),
    "options on the finest grid only": (
        an_explanation(certificate=replace(CERTIFICATE, rules=(), grid="finest")),
        None,
    ),
    "sixty options in three objectives": (front(60), None),
    "options of equal cost": (
        an_explanation(
            counterfactuals=tuple(replace(one, costs=OPTIONS[0].costs) for one in OPTIONS),
            certificate=replace(CERTIFICATE, ties=True),
        ),
        None,
    ),
    "options between the values of an inferred grid": (
        an_explanation(certificate=replace(CERTIFICATE, rules=(), grid="inferred", refined=431)),
        None,
    ),
    "one option between the values of an inferred grid": (
        an_explanation(
            counterfactuals=OPTIONS[:1],
            certificate=replace(CERTIFICATE, rules=(), grid="inferred", refined=1),
        ),
        None,
    ),
    "no certificate": (an_explanation(certificate=None), None),
    "stopped early on the finest grid": (
        an_explanation(
            status=Status.TIME_LIMIT,
            certificate=replace(UNPROVEN, rules=(), grid="finest", open_boxes=3, open_costs={"changes": 1.0}),
        ),
        None,
    ),
    "stopped early without an option": (
        an_explanation(
            status=Status.TIME_LIMIT,
            counterfactuals=(),
            certificate=replace(UNPROVEN, open_boxes=1_200, open_costs={"mean_distance": 0.025}),
        ),
        None,
    ),
    "no option by an estimate": (
        an_explanation(status=Status.HEURISTIC, counterfactuals=(), certificate=ESTIMATED),
        None,
    ),
    "nothing may change": (
        an_explanation(
            status=Status.NO_RECOURSE,
            counterfactuals=(),
            problem=None,
            certificate=replace(CERTIFICATE, cells=0, axes=0, verified=0),
        ),
        None,
    ),
}


def many(count: int, **fields: Any) -> Explanations:
    """Many people with the same objectives and every status, each built when it is looked at."""
    kinds = [one for one, _ in CASES.values() if one.scale == "probability" and one.problem is not None]
    return Explanations._lazy(count, lambda place: kinds[place % len(kinds)], **fields)
