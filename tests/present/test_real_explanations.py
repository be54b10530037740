"""Texts about real explanations are true of the model, in every language."""

import re

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from p2ce import Explainer, Policy, rules, to_html, to_text
from p2ce.policy.features.display import Display
from p2ce.present.languages import LANGUAGES
from p2ce.result import Explanation, Explanations, Status

ONLY_WAY = re.compile(
    r"(?i)there is one way|h[áa] um caminho|hay una manera|the only option|única opci?[çc]?[aã]?o?n?\b"
)


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    half = pd.DataFrame({"A": rng.integers(0, 10, 200), "B": rng.integers(0, 10, 200)})
    turned = half.rename(columns={"A": "B", "B": "A"})[["A", "B"]]
    return pd.concat([half, turned], ignore_index=True)


def either(rows: pd.DataFrame) -> np.ndarray:
    return np.where((np.asarray(rows["A"]) >= 5) | (np.asarray(rows["B"]) >= 5), 0.9, 0.1)


def tie(*, ties: bool) -> Explanation:
    return Explainer(
        either, people(), target=1, plausibility=None, max_changes=1, ties=ties, refine=False
    ).explain({"A": 3, "B": 3})


def test_one_of_two_equal_options_is_not_called_the_only_one() -> None:
    one, both = tie(ties=False), tie(ties=True)
    assert (len(one), len(both)) == (1, 2)
    officer = to_text(one, audience="officer")
    assert (
        "the only Pareto-optimal option among 18 possible combinations of at most 1 change (of options with "
        "equal costs, only one is listed)" in officer
    )
    assert "these are all the Pareto-optimal options among 18" in to_text(both, audience="officer")
    assert "in between" not in to_text(both)
    for language in LANGUAGES:
        for written in (to_text(one, language=language), to_html(one, language=language)):
            assert not ONLY_WAY.search(written)


def income(count: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"Inc": rng.uniform(0, 100, count).round(1), "Debt": rng.integers(0, 10, count)})


def test_a_person_below_the_margin_is_not_called_rejected() -> None:
    frame = income()
    model = LogisticRegression().fit(frame, (frame.Inc - 5 * frame.Debt > 30).astype(int))
    scores = model.predict_proba(frame)[:, 1]
    least = int(np.where(scores >= 0.5, scores, 1.0).argmin())
    near, margin = frame.iloc[least], float(scores[least]) - 0.46
    found = Explainer(model, frame, target=1, plausibility=None, margin=margin).explain(near)
    assert found.status is Status.OPTIMAL
    assert model.predict(near.to_frame().T)[0] == 1
    assert "accepts your application, but without the margin" in to_text(found)
    assert "com margem suficiente" in to_text(found, language="pt")
    assert "con margen suficiente" in to_html(found, language="es")
    assert "(with a margin of 0." in to_text(found, audience="officer")
    assert "leads with enough margin to the required result" in to_text(found)


def test_a_range_is_written_with_its_margin() -> None:
    frame = income()
    model = LinearRegression().fit(frame, 10 * frame.Inc - 20 * frame.Debt)
    near = frame.iloc[int(np.argmin(abs(model.predict(frame) - 502)))]
    found = Explainer(model, frame, target=(500, 600), margin=5, plausibility=None).explain(near)
    wanted = "between 505 and 595 (between 500 and 600, with a margin of 5)"
    assert f"it must be {wanted}. " in to_text(found)
    assert f"must be {wanted}. " in to_text(found, audience="officer")
    assert f"must be {wanted}. " in str(found)
    assert "entre 505 y 595 (entre 500 y 600, con un margen de 5)" in to_text(found, language="es")


def test_two_regressors_are_written_by_their_range() -> None:
    frame = income()
    wanted = 10 * frame.Inc - 20 * frame.Debt
    models = [DecisionTreeRegressor(max_depth=4).fit(frame, wanted), LinearRegression().fit(frame, wanted)]
    found = Explainer(models, frame, target=(500, 600), plausibility=None).explain({"Inc": 90.0, "Debt": 0})
    written = to_text(found, audience="officer")
    assert "The predictions of both models must be between 500 and 600; the worst one is " in written
    assert "threshold" not in written
    inside = re.findall(r"are then at least ([\d.,]+) inside", written)
    assert len(inside) == len(found)
    for text, option in zip(inside, found, strict=True):
        assert float(text.replace(",", "")) <= option.score


def forbidden() -> Explainer:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"G": rng.integers(0, 2, 100).astype(bool), "Inc": rng.integers(0, 50, 100)})
    policy = Policy.infer(frame).fix("Inc").with_rules(rules.implies({"G": True}, {"Inc": (20, None)}))
    policy = policy.display(
        G=Display(name={"en": "guarantor", "pt": "o fiador", "es": "el avalista"}),
        Inc=Display(name={"en": "income", "pt": "a renda", "es": "el ingreso"}, unit="EUR"),
    )

    def model(rows: pd.DataFrame) -> np.ndarray:
        return np.where(np.asarray(rows["G"]), 0.9, 0.1)

    return Explainer(model, frame, target=1, policy=policy, plausibility=None)


def test_a_change_that_a_rule_forbids_is_not_called_too_little() -> None:
    explainer = forbidden()
    found = explainer.explain({"G": False, "Inc": 5})
    why = explainer.relaxations(found)
    assert found.certificate is not None
    assert (found.status, found.certificate.cells) == (Status.NO_RECOURSE, 1)
    person = to_text(found, relaxations=why)
    assert "not enough" not in person
    assert "It does not lead to the required result while also being within the rules." in person
    assert 'Without the rule "if guarantor: yes, then income: at least €20": change' in person
    assert "Sem a regra “se fiador: sim, então renda: no mínimo €\N{NO-BREAK SPACE}20”: mude" in to_text(
        found, relaxations=why, language="pt"
    )
    assert "Sin la regla «si avalista: sí, entonces ingreso: como mínimo 20\N{NO-BREAK SPACE}€»" in to_html(
        found, relaxations=why, language="es"
    )
    assert "1 possible combination" not in to_text(found, audience="officer")


def housing() -> Explainer:
    rng = np.random.default_rng(1)
    home = rng.choice(["own", "rent", "free"], 200)
    frame = pd.DataFrame({f"H_{level}": (home == level).astype(int) for level in ("own", "rent", "free")})
    frame["Amount"] = rng.integers(10, 100, 200) * 100.0
    frame["Monthly"] = frame.Amount / 10
    policy = Policy.infer(frame).with_rules(
        rules.one_hot("Housing", ["H_own", "H_rent", "H_free"]),
        rules.linked(driver="Amount", follower="Monthly", ratio=0.1),
    )

    def model(rows: pd.DataFrame) -> np.ndarray:
        return np.where((np.asarray(rows["H_own"]) == 1) | (np.asarray(rows["Monthly"]) < 300), 0.9, 0.1)

    return Explainer(model, frame, target=1, policy=policy, plausibility=None)


def test_a_category_of_several_columns_is_one_change() -> None:
    explainer = housing()
    found = explainer.explain({"H_own": 0, "H_rent": 0, "H_free": 1, "Amount": 9000.0, "Monthly": 900.0})
    for audience in ("applicant", "officer"):
        assert "Change Housing from free to own" in to_text(found, audience=audience)
        assert "H_own" not in to_text(found, audience=audience).split("Rules")[0]
    assert "Mude Housing: de “free” para “own”" in to_html(found, language="pt")
    assert "Housing: free →" in found._repr_html_()
    page = to_html(Explanations([found]), audience="officer")
    levers = page.split("What changes most often")[1].split("<section")[0]
    assert "Housing" in levers
    assert "Monthly" not in levers


def test_a_missing_value_is_stated_only_if_it_is_so() -> None:
    frame = income()
    frame.loc[::5, "Inc"] = np.nan

    def model(rows: pd.DataFrame) -> np.ndarray:
        return np.where(np.asarray(rows["Inc"]) >= 40, 0.9, 0.1)

    policy = Policy.infer(frame).fix("Debt").display(Inc=Display(name={"en": "income", "es": "el ingreso"}))
    found = Explainer(model, frame, target=1, policy=policy, plausibility=None).explain(
        {"Inc": np.nan, "Debt": 3}
    )
    assert "Tell us the income (only if the true value is " in to_text(found)
    assert "Indíquenos el ingreso (solo si el valor verdadero es " in to_text(found, language="es")
