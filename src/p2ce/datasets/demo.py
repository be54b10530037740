"""Build a small example: a model, the applicants that it rejects, and an explainer."""

from typing import Any, NamedTuple

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from p2ce.datasets.made_up import make_applicants
from p2ce.explainer import Explainer
from p2ce.policy import Policy

REPAID = "repaid"
DISPLAYS: dict[str, dict[str, Any]] = {
    "Age": {
        "name": {"en": "age", "pt": "a idade", "es": "la edad"},
        "unit": {"en": "year|years", "pt": "ano|anos", "es": "año|años"},
    },
    "Income": {
        "name": {"en": "yearly income", "pt": "a renda anual", "es": "los ingresos anuales"},
        "unit": "EUR",
    },
    "LoanAmount": {
        "name": {"en": "loan amount", "pt": "o valor do empréstimo", "es": "el importe del préstamo"},
        "unit": "EUR",
    },
    "LoanMonths": {
        "name": {"en": "loan term", "pt": "o prazo", "es": "el plazo"},
        "unit": {"en": "months", "pt": "meses", "es": "meses"},
    },
    "YearsAtCurrentJob": {
        "name": {
            "en": "time in the present job",
            "pt": "o tempo no emprego atual",
            "es": "la antigüedad en el empleo actual",
        },
        "unit": {"en": "year|years", "pt": "ano|anos", "es": "año|años"},
    },
    "SavingsBalance": {"name": {"en": "savings", "pt": "a poupança", "es": "los ahorros"}, "unit": "EUR"},
    "LatePayments": {"name": {"en": "late payments", "pt": "os atrasos", "es": "los retrasos"}},
    "HasGuarantor": {
        "name": {"en": "guarantor", "pt": "o fiador", "es": "el avalista"},
        "phrases": {
            True: {"en": "get a guarantor", "pt": "consiga um fiador", "es": "consiga un avalista"},
        },
    },
    "OwnsHome": {"name": {"en": "own home", "pt": "a casa própria", "es": "la vivienda propia"}},
}


class Demo(NamedTuple):
    """A trained model, the applicants that it rejects (`rows`), and an explainer of the model."""

    model: HistGradientBoostingClassifier
    rows: pd.DataFrame
    explainer: Explainer


def load_demo(*, random_state: int = 0) -> Demo:
    """Make up applicants, train a model in a moment, and build an explainer with a sensible policy.

    `rows` holds the rejected applicants; all 2,000 are in `explainer.reference`. The policy fixes age, late
    payments and home. Income, savings and time in the job may only rise, and the loan may only shrink.

    >>> model, rows, explainer = load_demo()
    >>> print(explainer.explain(rows.iloc[0]).status)
    OPTIMAL
    """
    applicants = make_applicants(random_state=random_state)
    data = applicants.data
    outcome = applicants.target.map({1: REPAID, 0: "not repaid"})
    model = HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, random_state=random_state)
    model.fit(data, outcome)
    explainer = Explainer(model, data, policy=_policy(data), target=REPAID, random_state=random_state)
    assert explainer.at_least is not None, "the target is the favourable class"
    return Demo(model, data[explainer.scores(data) < explainer.at_least], explainer)


def _policy(data: pd.DataFrame) -> Policy:
    return (
        Policy.infer(data, protect=None)  # what may change is stated here
        .fix("Age", "LatePayments", "OwnsHome")
        .increase_only("YearsAtCurrentJob", "SavingsBalance", "Income", "HasGuarantor")
        .decrease_only("LoanAmount")
        .step(LoanAmount=100, LoanMonths=6)
        .display(DISPLAYS)
    )
