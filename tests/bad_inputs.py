"""One table of bad inputs: where a value is passed, the value, its error, and the words of the message.

A row is ``(place, value, error, words)``. A place is a call that takes the value. The words name what was
expected, what came instead and what to do; ``|`` separates them.
"""

import gzip
import io
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce import Explanation, Explanations, Policy, rules
from p2ce.base.limits import read_limits
from p2ce.errors import (
    InvalidArgument,
    InvalidObjective,
    InvalidOutput,
    InvalidPolicy,
    InvalidReference,
    InvalidRow,
    InvalidTarget,
    NotFitted,
    UnsupportedDetector,
    UnsupportedModel,
)
from p2ce.tables import as_kind, as_pandas, as_row
from p2ce.tables.table_files import read_table
from tests.optional import LazyLibrary
from tests.populations import households, loans

pa = LazyLibrary("pyarrow")

pl = LazyLibrary("polars")

Place = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Made:
    """A value that a test makes itself, since it needs a library that may be missing."""

    make: Callable[[], Any]


Row = tuple[str, Any, type[p2ce.P2CEError], str]
POLICY = """\
version: 1
features:
  age: {kind: whole, seen: [20, 29], step: 1}
  debt: {kind: number, seen: [0, 1.75], step: 0.25}
  job: {kind: category, labels: [boss, clerk, cook]}
  home:
    kind: category
    labels: [own, rent]
rules:
  - rule: forbid
    column: job
    transitions:
      - {from: boss, to: [clerk]}
"""


def loan(**changed: Any) -> dict[str, Any]:
    """Return a rejected applicant of the loans, except for what is named."""
    return {**cast(dict[str, Any], loans.rejected().iloc[0].to_dict()), **changed}


def loan_actions() -> Policy:
    return Policy.infer(loans.people(), protect=None)


def household_actions() -> Policy:
    return Policy.infer(households.people(), protect=None)


@cache
def loan_explainer() -> p2ce.Explainer:
    """Return the one explainer that all rows share, so a row that spoils it is noticed."""
    return loans.explainer(plausibility=None)


class OwnForest(SklearnForest):  # type: ignore[misc]  # which has no types
    """A forest that may fit otherwise than scikit-learn's own."""


@cache
def linear() -> Any:
    return LogisticRegression(max_iter=1000).fit(loans.people(), loans.label())


@cache
def regressor() -> Any:
    return RandomForestRegressor(2, random_state=0).fit(households.numbers(), households.people()["debt"])


@cache
def boosting() -> Any:
    model = HistGradientBoostingClassifier(max_iter=5)
    return model.fit(households.numbers(gaps=True), households.people()["debt"] < 1.0)


@cache
def explanation() -> Explanation:
    return loan_explainer().explain(loan())


def argument(name: str) -> Place:
    """Pass a value as an argument of the constructor."""
    plain = {} if name in ("plausibility", "contamination", "random_state") else {"plausibility": None}
    return lambda bad: loans.explainer(**{**plain, name: bad})


def household_explainer(model: Any, frame: Any, **arguments: Any) -> p2ce.Explainer:
    return p2ce.Explainer(model, frame, **{"target": 1, "plausibility": None, **arguments})


def load_policy(text: Any) -> Policy:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "policy.yaml")
        path.write_text(text, encoding="utf-8")
        return Policy.load(path)


def of_text(place: Place) -> Place:
    """Pass nothing but text, since types are checked by others."""
    return lambda bad: place(bad) if isinstance(bad, str) else None


ARGUMENTS = (
    *("model", "reference", "policy", "objectives", "target", "at_least", "margin", "scale", "method"),
    *("bound", "max_changes", "plausibility", "plausibility_of_today", "contamination", "random_state"),
)
PLACES: dict[str, Place] = {
    **{name: argument(name) for name in ARGUMENTS},
    "one objective": lambda bad: loans.explainer(objectives=[bad], plausibility=None),
    "range": lambda bad: household_explainer(regressor(), households.numbers(), target=bad),
    "range and at_least": lambda bad: household_explainer(
        regressor(), households.numbers(), target=(1, 2), at_least=bad
    ),
    "scale of a pipeline": lambda bad: household_explainer(
        households.pipeline(), households.people(), scale=bad
    ),
    "scale of votes": lambda bad: household_explainer(
        RandomForestClassifier(2).fit(households.numbers(), households.people()["debt"] < 1),
        households.numbers(),
        scale=bad,
    ),
    "ties of the paper": lambda bad: loans.explainer(method=p2ce.paper.P2CE(), ties=bad),
    "bound of the paper": lambda bad: loans.explainer(method=p2ce.paper.Mapocam(), bound=bad),
    "policy of the paper": lambda bad: loans.explainer(method=p2ce.paper.P2CE(), policy=bad),
    "method of a function": lambda bad: loans.explainer(model=lambda rows: rows["Rate"], method=bad),
    "P2CE bound": lambda bad: p2ce.paper.P2CE(bound=bad),
    "P2CE order": lambda bad: p2ce.paper.P2CE(order=bad),
    "P2CE background": lambda bad: p2ce.paper.P2CE(background=bad),
    "P2CE partial_plausibility": lambda bad: p2ce.paper.P2CE(partial_plausibility=bad),
    "Mapocam random_state": lambda bad: p2ce.paper.Mapocam(random_state=bad),
    "contamination of a forest": lambda bad: loans.explainer(
        plausibility=p2ce.PlausibilityForest(contamination=0.1), contamination=bad
    ),
    "PlausibilityForest contamination": lambda bad: p2ce.PlausibilityForest(contamination=bad),
    "PlausibilityForest n_estimators": lambda bad: loans.explainer(
        plausibility=p2ce.PlausibilityForest(n_estimators=bad)
    ),
    # The reference, for models that decide themselves what they take.
    "reference of a linear model": lambda bad: loans.explainer(model=linear(), reference=bad),
    "reference of a pipeline": lambda bad: household_explainer(households.pipeline(), bad),
    "detector of missing values": lambda bad: household_explainer(
        boosting(), households.numbers(gaps=True), plausibility=bad
    ),
    "table": as_pandas,
    "one row": as_row,
    "kind": lambda bad: as_kind(pd.DataFrame(), bad),
    # Rows.
    "explain": lambda bad: loan_explainer().explain(bad),
    "Debt": lambda bad: loan_explainer().explain(loan(Debt=bad)),
    "Years": lambda bad: loan_explainer().explain(loan(Years=bad)),
    "one more value": lambda bad: loan_explainer().explain(loan(**{bad if isinstance(bad, str) else "x": 1})),
    "Debt of a linear model": lambda bad: loans.explainer(model=linear()).explain(loan(Debt=bad)),
    "household": lambda bad: households.explainer().explain(households.person(**bad)),
    "strict household": lambda bad: households.explainer("error").explain(households.person(**bad)),
    "explain policy": lambda bad: loan_explainer().explain(loan(), policy=bad),
    "household policy": lambda bad: households.explainer().explain(households.person(), policy=bad),
    "explain max_changes": lambda bad: loan_explainer().explain(loan(), max_changes=bad),
    "time_limit": lambda bad: loan_explainer().explain(loan(), time_limit=bad),
    "time_limit of many": lambda bad: loan_explainer().explain_many(loans.people(), time_limit=bad),
    "n_jobs": lambda bad: loan_explainer().explain_many(loans.rejected().head(1), n_jobs=bad),
    "check": lambda bad: loan_explainer().evaluate(loan(), bad),
    "check Income": lambda bad: loan_explainer().evaluate(loan(), {"Income": bad}),
    # Policy and rules.
    "infer": Policy.infer,
    "special_values": lambda bad: Policy.infer(loans.people(), special_values=bad),
    "special Income": lambda bad: Policy.infer(loans.people(), special_values={"Income": bad}),
    "policy[]": lambda bad: loan_actions()[bad],
    "fix": lambda bad: loan_actions().fix(bad),
    "increase_only": lambda bad: loan_actions().increase_only(bad),
    "decrease_only": lambda bad: loan_actions().decrease_only(bad),
    "within": lambda bad: loan_actions().within(bad),
    "within Income": lambda bad: loan_actions().within({"Income": bad}),
    "within Income, ends": lambda bad: loan_actions().within({"Income": (bad, bad)}),
    "step": lambda bad: loan_actions().step(bad),
    "step Income": lambda bad: loan_actions().step({"Income": bad}),
    "candidates": lambda bad: loan_actions().candidates(bad),
    "candidates Income": lambda bad: loan_actions().candidates({"Income": bad}),
    "one value of Income": lambda bad: loan_actions().candidates({"Income": [bad]}),
    "display": lambda bad: loan_actions().display({"Income": bad}),
    "Display name": lambda bad: p2ce.Display(name=bad),
    "Display style": lambda bad: p2ce.Display(style=bad),
    "Display decimals": lambda bad: p2ce.Display(decimals=bad),
    "Display values": lambda bad: p2ce.Display(values=bad),
    "rule": lambda bad: loan_actions().with_rules(bad),
    "linked": lambda bad: loan_actions().with_rules(rules.linked("Income", bad)),
    "ratio": lambda bad: rules.linked("Income", "Debt", ratio=bad),
    "inequality": rules.inequality,
    "implies": lambda bad: loan_actions().with_rules(rules.implies({"Income": bad}, {"Debt": 1})),
    "one_hot": lambda bad: loan_actions().with_rules(rules.one_hot(bad, bad)),
    "calls of policy": lambda bad: bad(loan_actions()),
    "calls of household policy": lambda bad: bad(household_actions()),
    "rules": lambda bad: households.explainer().explain(
        households.person(), policy=household_actions().with_rules(*bad)
    ),
    # Files and texts.
    "policy file": of_text(load_policy),
    "policy path": of_text(Policy.load),
    "archive path": of_text(lambda bad: p2ce.Explainer.load(bad, loans.forest())),
    "table path": of_text(lambda bad: read_table(Path(bad), "--data")),
    "--limit": of_text(lambda bad: read_limits([bad])),
    "table_rows": lambda bad: p2ce.Limits(table_rows=bad),
    "Explanation.from_dict": Explanation.from_dict,
    "format": lambda bad: Explanation.from_dict({"format": bad}),
    "Explanations.from_json": Explanations.from_json,
    # What is done with an explanation.
    "audience": lambda bad: p2ce.to_text(explanation(), audience=bad),
    "language": lambda bad: p2ce.to_text(explanation(), language=bad),
    "title": lambda bad: p2ce.to_html(explanation(), title=bad),
    "pick": lambda bad: explanation().pick(bad),
    "to_frame kind": lambda bad: explanation().to_frame(kind=bad),
    # Audits.
    "audit results": lambda bad: p2ce.audit(bad, {"sex": ["f"]}),
    "audit groups": lambda bad: p2ce.audit(Explanations([explanation()]), bad),
    "audit group": lambda bad: p2ce.audit(Explanations([explanation()]), {"sex": [bad]}),
    "audit data": lambda bad: p2ce.audit(Explanations([explanation()]), "sex", data=bad),
    "audit confidence": lambda bad: p2ce.audit(Explanations([explanation()]), {"sex": ["f"]}, confidence=bad),
    "Audit.from_dict": p2ce.Audit.from_dict,
    "metric of groups": lambda bad: p2ce.plot_groups(
        p2ce.audit(Explanations([explanation()]), {"sex": ["f"]}), metric=bad
    ),
}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in loan().items() if key != name}


def typo(right: str, wrong: str) -> str:
    assert POLICY.count(right)
    return POLICY.replace(right, wrong, 1)


HOMES = loans.people().assign(Rents=~loans.people()["Owns"])
ONE_HOT = Policy.infer(HOMES).with_rules(rules.one_hot("home", ["Owns", "Rents"]))
RENAMED = households.people().assign(job=households.people()["job"].replace("boss", "chief"))
RECORDS = np.array([(41, 0.5), (23, 1.5)], dtype=[("Age", "i4"), ("Rate", "f4")])
DAY, HOUR = date(2024, 5, 1), timedelta(hours=1)


# fmt: off
ROWS: list[Row] = [
    # Names that are not a column, with the nearest ones.
    ("fix", "Incme", InvalidPolicy, "'Incme' | 'Income'"),
    ("increase_only", "income", InvalidPolicy, "'income' | 'Income'"),
    ("decrease_only", "Dbt", InvalidPolicy, "'Dbt' | 'Debt'"),
    ("within", {"Rats": (0, 1)}, InvalidPolicy, "'Rats' | 'Rate'"),
    ("step", {"Rats": 1}, InvalidPolicy, "'Rats' | 'Rate'"),
    ("candidates", {"Rats": [1]}, InvalidPolicy, "'Rats' | 'Rate'"),
    ("check", {"Incme": 3}, InvalidRow, "'Incme' | 'Income'"),
    ("rule", rules.together("Income", "Dept"), InvalidPolicy, "'Dept' | 'Debt' | change together"),
    ("rule", rules.inequality("Incme <= Debt"), InvalidPolicy, "'Incme' | 'Income'"),
    ("rules", [rules.linked("years", "age")], InvalidPolicy, "'years'"),
    # Rows.
    ("explain", without("Debt"), InvalidRow, "'Debt' | missing"),
    ("explain", {**without("Debt"), "Dept": 1.0}, InvalidRow, "'Debt' | 'Dept'"),
    ("explain", loan(Incomes=3), InvalidRow, "'Incomes' | 'Income' | Drop"),
    ("explain", [1, 2], InvalidRow, "5 values | (2,) | dict"),
    ("explain", loans.rejected().iloc[:2], InvalidRow, "2 rows | explain_many()"),
    ("explain", "me", InvalidRow, "str | Series"),
    ("Debt", -np.inf, InvalidRow, "'Debt' | infinite | finite number"),
    ("Debt", "low", InvalidRow, "'Debt' | 'low' | not a number | Write a plain number"),
    ("Debt", 1j, InvalidRow, "'Debt' | not a number"),
    ("Debt", 1e39, InvalidRow, "'Debt' | 1e+39"),
    ("Years", 2.5, InvalidRow, "'Years' | int8 | 2.5 | own type"),
    ("Years", 300, InvalidRow, "'Years' | int8 | 300"),
    ("household", {"job": 3}, InvalidRow, "'job' | 'clerk' | 3 | own type"),
    ("household", {"age": "old"}, InvalidRow, "'age' | 'old' | not a number"),
    ("household", {"age": "24"}, InvalidRow, "'age' | '24' | not a number"),
    ("household", {"age": 24.5}, InvalidRow, "'age' | int64 | 24.5"),
    ("strict household", {"job": "pilot"}, InvalidRow,
     "unknown categories ['pilot'] | 'job' holds 'pilot' | not in the reference"),
    ("strict household", {"home": "boat"}, InvalidRow,
     "unknown categories ['boat'] | 'home' holds 'boat'"),
    ("one row", Made(lambda: pl.DataFrame({"when": [HOUR]})), InvalidRow, "'when'"),
    ("one row", Made(lambda: pl.DataFrame({"Age": [1, 2]})), InvalidRow,
     "a table of 2 rows | Use explain_many()"),
    ("one row", pa.table({"Age": [1, 2]}), InvalidRow, "a table of 2 rows | Use explain_many()"),
    ("one row", RECORDS, InvalidRow, "a table of 2 rows | Use explain_many()"),
    ("one row", [{"Age": 1}] * 3, InvalidRow, "a table of 3 rows | Use explain_many()"),
    # What the model or the detector does not take shows only when it is called.
    ("Debt of a linear model", np.nan, InvalidOutput, "'Debt' | missing values | imputer"),
    ("household", {"debt": np.nan}, InvalidOutput, "contains NaN | 'debt' | imputer"),
    ("household", {"age": None}, InvalidOutput, "contains NaN | 'age'"),
    ("reference of a linear model", loans.people().assign(Debt=[np.nan, 1.0] * 120), InvalidOutput,
     "'Debt' | missing values | imputer"),
    ("reference of a pipeline", households.people().assign(debt=households.numbers(gaps=True)["debt"]),
     InvalidOutput, "contains NaN | 'debt' | imputer"),
    ("reference", loans.people().assign(Debt="low"), InvalidOutput, "'Debt' | 'low' | encoder"),
    ("detector of missing values", LocalOutlierFactor(novelty=True).fit(households.numbers()), InvalidOutput,
     "detector | contains NaN | 'age', 'debt'"),
    ("rules", [rules.predicate(lambda _: [True], name="sure")], InvalidOutput, "'sure' | bools | each row"),
    ("rules", [rules.predicate(lambda rows: rows["dept"] > 1, name="low debt")], InvalidOutput,
     "'low debt' | KeyError: 'dept'"),
    # The reference.
    ("reference", loans.people().drop(columns="Debt"), InvalidReference, "'Debt' | fitted on"),
    ("reference", loans.people().assign(debts=1), InvalidReference, "'debts' | Drop"),
    ("reference", loans.people().iloc[:0], InvalidReference, "no rows | fitted on"),
    ("reference", loans.people()[[]], InvalidReference, "no columns"),
    ("reference", loans.people().to_numpy(), InvalidReference, "DataFrame | (240, 5) | (array, names)"),
    ("reference", pd.concat([loans.people(), loans.people()[["Debt"]]], axis=1), InvalidReference,
     "'Debt' | Rename or drop"),
    ("reference", loans.people().assign(Debt=[np.nan, np.inf] * 120), InvalidReference,
     "'Debt' (120) | missing | drop the rows"),
    ("reference", loans.people().assign(Debt=pd.Timestamp("2020-01-01T00:00:00.000000001")), InvalidReference,
     "'Debt' | fractions of a microsecond | dt.floor('us')"),
    ("reference", loans.people().assign(Debt=pd.Timedelta(days=1)), InvalidReference,
     "'Debt' | timedelta64 | days"),
    # Tables of other libraries.
    ("table", np.zeros((3, 2)), InvalidReference, "shape (3, 2) without names. Pass (array, names)"),
    ("table", (np.zeros((3, 2)), ["a"]), InvalidReference, "2 different names"),
    ("table", (np.zeros((3, 2)), ["a", "a"]), InvalidReference, "2 different names"),
    ("table", (np.zeros((3, 2)), "ab"), InvalidReference, "2 different names"),
    ("table", [], InvalidReference, "an empty list"),
    ("table", [[1, 2]], InvalidReference, "a list of list"),
    ("table", "data.csv", InvalidReference, "got str. Convert it to a pandas DataFrame"),
    ("table", None, InvalidReference, "got NoneType"),
    ("table", pd.Series([1]), InvalidReference, "got Series"),
    ("table", Made(lambda: pl.Series([1])), InvalidReference, "got Series. Pass its .to_pandas()"),
    ("table", pd.Series([1]), InvalidReference, "got Series. Use explain() for one row"),
    ("table", loans.forest(), InvalidReference, "got RandomForestClassifier. Pass the model first"),
    ("table", p2ce.datasets.make_applicants(20), InvalidReference, "got Dataset. Pass its .data"),
    ("table", {"Age": 41}, InvalidReference, "a list or an array for 'Age', got 41. | explain()"),
    ("table", {"Age": "41"}, InvalidReference, "for 'Age', got '41'"),
    ("table", {"Age": [41], "Job": ["a", "b"]}, InvalidReference, "'Age' has 1 values and 'Job' has 2"),
    ("table", [{"Age": 41}, {"Agee": 41}], InvalidReference, "Row 1 lacks the key 'Age', which row 0 has"),
    ("table", [{"Age": 41}, {"Age": 41, "Job": 1}], InvalidReference, "Row 1 has the key 'Job', which row 0"),
    ("table", RECORDS.reshape(1, 2), InvalidReference, "one dimension, got shape (1, 2)"),
    ("table", pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]), InvalidReference,
     "more than once"),
    ("table", Made(lambda: pl.DataFrame({"when": [HOUR]})), InvalidReference, "'when' (Duration | days"),
    ("table", Made(lambda: pl.DataFrame({"parts": [[1, 2]]})), InvalidReference, "'parts' (List"),
    ("table", Made(lambda: pl.DataFrame({"price": [Decimal("1.5")]})), InvalidReference, "'price' (Decimal"),
    ("table", pa.table({"when": pa.array([HOUR])}), InvalidReference, "'when' (duration"),
    ("table", {"when": [DAY, 1]}, InvalidReference, "'when' (it holds date"),
    ("table", {"when": [DAY, datetime(2024, 5, 1, tzinfo=UTC)]}, InvalidReference,
     "'when' (its dates do not fit together"),
    ("table", {"when": np.array([1], "timedelta64[D]")}, InvalidReference, "'when' (timedelta64"),
    ("table", {"when": [np.timedelta64(1, "D")]}, InvalidReference, "'when' (it holds timedelta64"),
    ("table", {"price": [Decimal("1.5")]}, InvalidReference, "'price' (it holds Decimal"),
    ("table", [{"parts": [1, 2]}], InvalidReference, "'parts' (it holds list"),
    ("table", {"matrix": np.zeros((2, 2))}, InvalidReference, "'matrix' (2 dimensions"),
    ("kind", "polar", InvalidArgument, "Did you mean 'polars'"),
    # Actions.
    ("within Income", (50, 20), InvalidPolicy, "'Income' | empty range | (20, 50)"),
    ("within Income", (np.nan, 30), InvalidPolicy, "'Income' | finite"),
    ("candidates Income", [], InvalidPolicy, "'Income' | fix('Income')"),
    ("step Income", 0, InvalidPolicy, "'Income' | above 0"),
    ("policy", {"Income": (1, 2)}, InvalidPolicy, "Policy | dict | infer"),
    ("explain policy", {"Income": (1, 2)}, InvalidPolicy, "Policy | dict | infer"),
    ("policy", Policy.infer(loans.people().drop(columns="Debt")), InvalidPolicy,
     "'Debt' | Infer the policy"),
    ("explain policy", Policy.infer(loans.people().assign(z=1)), InvalidPolicy, "'z' | Infer the policy"),
    ("household policy", Policy.infer(households.people().assign(job=range(households.ROWS))),
     InvalidPolicy, "'job' | numbers | category | Policy.infer"),
    ("household policy", Policy.infer(RENAMED), InvalidPolicy, "'job' | 'chief' | not in the reference"),
    ("calls of policy", lambda policy: policy.increase_only("Debt").decrease_only("Debt"),
     InvalidPolicy, "'Debt' | fix('Debt')"),
    ("calls of household policy", lambda policy: policy.increase_only("job"), InvalidPolicy,
     "'job' | without an order | ordered=True | candidates("),
    ("calls of household policy", lambda policy: policy.candidates(job=["boss", "clrk"]), InvalidPolicy,
     "'job' | 'clrk' | 'clerk'"),
    ("calls of household policy", lambda policy: policy.allow_missing("age"), InvalidPolicy,
     "'age' | int64 | Int64"),
    # Rules.
    ("rules", [rules.forbid("job", {"clrk": ["boss"]})], InvalidPolicy, "'clrk' | 'job' | 'clerk'"),
    ("rules", [rules.linked("job", "age")], InvalidPolicy, "'job' | categories | implies()"),
    ("rules", [rules.one_hot("group", ["age", "debt"])], InvalidPolicy, "0 and 1 | 'age' | 'group'"),
    ("rules", [rules.implies({"job": ("boss", "cook")}, {"age": 25})], InvalidPolicy,
     "'job' | no order | List the values"),
    ("rules", [rules.linked("age", "debt"), rules.linked("debt", "age")], InvalidPolicy,
     "cycle | age | debt | Remove one"),
    ("rules", [rules.together("age", "debt"), rules.change_at_most_one("age", "debt")],
     InvalidPolicy,
     "'age' | 'debt' | Remove one"),
    ("calls of household policy", lambda policy: policy.fix("age").with_rules(rules.linked("debt", "age")),
     InvalidPolicy, "'age' is fixed | Remove the rule"),
    ("calls of household policy", lambda policy: policy.with_rules(rules.linked("debt", "age")).fix("age"),
     InvalidPolicy, "'age' is fixed"),
    # Models and what they are to predict.
    ("model", RandomForestClassifier(), NotFitted, "RandomForestClassifier | .fit(X, y)"),
    ("model", LogisticRegression(), NotFitted, "LogisticRegression | .fit(X, y)"),
    ("model", make_pipeline(StandardScaler(), LogisticRegression()), NotFitted, ".fit(X, y)"),
    ("model", None, UnsupportedModel, "None | fitted model"),
    ("target", "good", InvalidTarget, "0, 1 | 'good'"),
    ("target", np.array([0, 1]), InvalidTarget, "0, 1"),
    ("target", (0, 1), InvalidTarget, "classes 0, 1 | (0, 1)"),
    ("range", None, InvalidTarget, "is a regressor | target=(low, high) | None for an open end"),
    ("range", 1, InvalidTarget, "regressor | target=(low, high) | None for an open end | got 1"),
    ("range", (None, None), InvalidTarget, "target=(None, None) | excludes nothing | at least one end"),
    ("range", (5, 2), InvalidTarget, "ascending | (5, 2) | low"),
    ("range", (np.nan, 1), InvalidTarget, "nan | None for an open end"),
    ("range and at_least", 0.5, InvalidArgument, "regressor | at_least=0.5 | target=(low, high)"),
    ("at_least", 1.2, InvalidArgument, "[0, 1] | 1.2"),
    ("at_least", -0.1, InvalidArgument, "[0, 1] | -0.1"),
    ("at_least", np.nan, InvalidArgument, "[0, 1] | nan"),
    ("at_least", "half", InvalidArgument, "number | 'half'"),
    ("at_least", "0.5", InvalidArgument, "number | '0.5'"),
    ("scale of a pipeline", "decisions", InvalidArgument, "scale='decisions' | scale='decision'"),
    ("scale of votes", "decision", InvalidArgument, "scale='decision' | scale='probability'"),
    # Objectives, detectors, methods and limits.
    ("objectives", ["mean_distnce"], InvalidObjective,
     "'mean_distnce' | Did you mean 'mean_distance' | 'max_distance' | 'changes' | 'percentile_shift'"),
    ("objectives", [], InvalidObjective, "at least one objective"),
    ("objectives", {"changes"}, InvalidObjective, "list | {'changes'}"),
    ("objectives", ["changes", p2ce.objectives.Changes()], InvalidObjective, "'changes' | Remove one"),
    ("plausibility", OwnForest(), NotFitted, "OwnForest | .fit(X) | p2ce.PlausibilityForest()"),
    ("plausibility", p2ce.PlausibilityForest, UnsupportedDetector, "PlausibilityForest()"),
    ("plausibility", SklearnForest(max_features=0.5), InvalidArgument, "max_features=0.5 | 1.0 | .fit(X)"),
    ("plausibility", SklearnForest(bootstrap=True), InvalidArgument, "bootstrap=True | False | .fit(X)"),
    ("plausibility", SklearnForest(max_samples=0.5), InvalidArgument, "max_samples | whole | 0.5"),
    ("plausibility", "isolation", UnsupportedDetector, "str | None"),
    ("contamination of a forest", 0.2, InvalidArgument, "=0.2 | =0.1 | State it once"),
    ("PlausibilityForest contamination", 0.7, InvalidArgument, "0.5 | 0.7"),
    ("plausibility_of_today", "count", InvalidArgument, "'counts' | 'ignore' | 'count'"),
    ("plausibility_of_today", None, InvalidArgument, "'counts' | 'ignore' | None"),
    ("random_state", "lucky", InvalidArgument, "random_state | 'lucky'"),
    ("method", "p2c", InvalidArgument, "'p2c' | 'exact' | p2ce.paper.P2CE(...) | p2ce.paper.Mapocam(...)"),
    ("method", "p2ce", InvalidArgument, "'p2ce' | method=p2ce.paper.P2CE()"),
    ("method", "mapocam", InvalidArgument, "'mapocam' | method=p2ce.paper.Mapocam()"),
    ("method", "p2ce-ablation", InvalidArgument, "method=p2ce.paper.P2CE(partial_plausibility=False)"),
    ("method", p2ce.paper.P2CE, InvalidArgument, "method=p2ce.paper.P2CE()"),
    ("method", p2ce.paper.Mapocam(bound="monotone"), InvalidArgument, "monotone | linear | random forest"),
    ("method of a function", p2ce.paper.P2CE(bound="tree"), InvalidArgument, '"tree" | "shap" | bound=None'),
    ("ties of the paper", True, InvalidArgument, "ties=True | method='exact'"),
    ("bound of the paper", None, InvalidArgument, "bound=None | exact search | method=Mapocam(bound=...)"),
    ("bound of the paper", "none", InvalidArgument, "'none' | Pass bound=None"),
    ("policy of the paper", loan_actions().with_rules(rules.linked("Income", "Debt")), InvalidArgument,
     "linked() | method='exact'"),
    ("P2CE bound", "shapp", InvalidArgument, "'shapp' | Did you mean 'shap'?"),
    ("P2CE bound", "none", InvalidArgument, "'none' | Pass bound=None."),
    ("P2CE order", 3, InvalidArgument, "'importance' | 3"),
    ("P2CE background", 0, InvalidArgument, "at least 1 | 0"),
    ("P2CE partial_plausibility", 0.5, InvalidArgument, "True or False | 0.5"),
    ("Mapocam random_state", -1, InvalidArgument, "random_state | -1"),
    ("bound", "shapp", InvalidArgument, "'auto' | None | 'shapp' | 'shap'"),
    ("bound", "none", InvalidArgument, "'auto' | None | 'none' | Pass bound=None."),
    ("max_changes", 0, InvalidArgument, "from 1 to | None | 0"),
    ("max_changes", 1.5, InvalidArgument, "whole | 1.5"),
    ("max_changes", True, InvalidArgument, "whole | True"),
    ("explain max_changes", "many", InvalidArgument, "whole | 'many'"),
    ("time_limit", -1, InvalidArgument, "time_limit | 0 or more | -1"),
    ("time_limit of many", np.nan, InvalidArgument, "time_limit | nan"),
    ("n_jobs", 0, InvalidArgument, "n_jobs | -1 | 0"),
    *(
        ("--limit", text, InvalidArgument, "limit")
        for text in ("", "table-rows", "table-rows=", "rows=3", "table-rows=many", "table-rows=0")
    ),
    *(("--limit", f"table-rows={text}", InvalidArgument, "limit") for text in ("-1", "nan", "1e999")),
    *(
        ("table_rows", amount, InvalidArgument, "table_rows must be a number")
        for amount in (0, -1, np.nan, np.inf, "3", None, True)
    ),
    # Policy files: the line and the nearest name.
    ("policy file", typo("kind: whole", "kind: hole"), InvalidPolicy, "policy.yaml:3: | 'hole' | 'whole'"),
    ("policy file", typo("step: 0.25", "stepp: 0.25"), InvalidPolicy, "policy.yaml:4: | 'stepp' | 'step'"),
    ("policy file", typo("  labels: [own", "  lables: [own"), InvalidPolicy,
     "policy.yaml:8: | 'lables' | 'labels'"),
    ("policy file", typo("rule: forbid", "rule: forbd"), InvalidPolicy,
     "policy.yaml:10: | 'forbd' | 'forbid'"),
    ("policy file", typo("column: job", "column: jobb"), InvalidPolicy, "policy.yaml:10: | 'jobb' | 'job'"),
    ("policy file", typo("transitions:", "transition:"), InvalidPolicy, "policy.yaml:12: | 'transitions'"),
    ("policy file", typo("from: boss", "from: bos"), InvalidPolicy, "policy.yaml:10: | 'bos' | 'boss'"),
    ("policy file", typo("features:", "featurs:"), InvalidPolicy, "policy.yaml:2: | 'featurs' | 'features'"),
    ("policy file", typo("rules:", "ruls:"), InvalidPolicy, "policy.yaml:9: | 'ruls' | 'rules'"),
]
# fmt: on


def zip_of_version(version: int) -> bytes:
    """Write a zip file with an empty schema, which needs a version of zip to be unpacked."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo("schéma.json" if version == 20 else "schema.json"), "{}")
    found = content.getvalue()
    at = found.index(b"PK\x01\x02") + 6
    return found[:at] + version.to_bytes(2, "little") + found[at + 2 :]


def long_listing() -> bytes:
    """State at the end of a zip file that its list of names has gigabytes."""
    found = zip_of_version(20)
    at = found.index(b"PK\x05\x06") + 12
    return found[:at] + (2**31).to_bytes(4, "little") + found[at + 4 :]


def column(name: str, cell: str, *, rows: int | None = None) -> Callable[[bytes], bytes]:
    """Write a cell into the first rows of a column of a CSV file, or into all of them."""

    def change(content: bytes) -> bytes:
        frame = pd.read_csv(io.BytesIO(content), dtype=object)
        frame.loc[frame.index[:rows], name] = cell
        return frame.to_csv(index=False).encode()

    return change


def replaced(old: str, new: str, coding: str = "utf-8") -> Callable[[bytes], bytes]:
    """Edit the text of a file."""
    return lambda content: content.decode().replace(old, new).encode(coding)


AGE = "version: 1\nfeatures:\n  Age: {kind: whole, seen: [1, 9], step: 1}\n"
PREDICATE = 'rules:\n  - {rule: predicate, function: "this:s"}\n'
PIPE = None  # a named pipe
# Files that are written or edited, arguments of a command that works otherwise (None leaves one out), words.
Files = dict[str, bytes | str | Callable[[bytes], bytes] | None]
# fmt: off
COMMANDS: list[tuple[Files, dict[str, Any], str]] = [
    ({}, {"model": "modle.txt"}, "'modle.txt' does not exist | 'model.txt'"),
    ({}, {"data": "poeple.csv"}, "--data 'poeple.csv' does not exist | 'people.csv'"),
    ({}, {"policy": "p.yml"}, "--policy 'p.yml' does not exist"),
    ({}, {"reference": "data/t.csv"}, "There is no folder 'data'"),
    ({}, {"data": "."}, "is a folder | Name a file"),
    ({}, {"id": "30"}, "--id 30 | 30 rows are numbered from 0 to 29 | --id-column"),
    ({}, {"id": "p3"}, "--id 'p3' is not a number | --id-column"),
    ({}, {"id": "p99", "id_column": "id"}, "is not in the column 'id' of 30 rows. | 'p"),
    ({}, {"id_column": "ID"}, "--id-column 'ID' | Did you mean 'id'?"),
    ({}, {"rejected": True}, "--id and --rejected"),
    ({}, {"out": "out.xlsx"}, "'.xlsx' | .html, .md, .json, .csv, .parquet"),
    ({}, {"out": "out"}, "has no ending | .html, .md"),
    ({}, {"out": "new/out.html"}, "'new', which does not exist | mkdir -p new"),
    ({}, {"out": "model.txt/x.html"}, "'model.txt', which is a file"),
    ({"out.json": "mine"}, {"out": "out.json"}, "--force"),
    ({}, {"target": "2"}, "2 | 0, 1"),
    ({}, {"target": "a:b"}, "low:high"),
    ({}, {"at_least": "1.5"}, "[0, 1] | 1.5"),
    ({}, {"at_least": "half"}, "--at-least must be a number, got 'half'. | p2ce explain --help"),
    ({}, {"max_changes": "two"}, "--max-changes must be a whole number, got 'two'."),
    ({}, {"contamination": "1.5"}, "contamination | 1.5"),
    ({}, {"contamination": "0.1", "no_plausibility": True},
     "--contamination | --no-plausibility | Use only one of them"),
    ({}, {"objective": "mean_distanc"}, "'mean_distance'"),
    ({}, {"objective": "cost"}, "Known names are changes, | Custom costs need Python."),
    ({}, {"max_changes": "-1"}, "max_changes | -1"),
    ({}, {"jobs": "0"}, "--jobs | -1 for one per core | 0"),
    ({}, {"time_limit": "-3"}, "--time-limit | 0 or more | -3"),
    ({}, {"drop": "Age"}, "--drop 'Age' | that the model needs"),
    ({}, {"drop": "Repayed"}, "--drop 'Repayed' | Did you mean 'Repaid'?"),
    ({}, {"language": "pr"}, "'pr' | 'pt'"),
    ({}, {"audience": "aplicant"}, "'aplicant' | 'applicant'"),
    ({}, {"thresold": "1"}, "--thresold | p2ce explain --help"),
    ({}, {"model": None}, "--model | p2ce explain --help"),
    ({}, {"weights": "people.csv"}, "--weights | my_module:make_network"),
    ({}, {"model": "nets:make"}, "module 'nets'"),
    ({}, {"model": "people.csv"}, "not a model file | LightGBM text"),
    # Tables.
    ({"people.csv": replaced("Income", "income ")}, {},
     "--data 'people.csv' has no column 'Income' | income"),
    ({"train.csv": replaced("Income", "income ")}, {}, "--reference 'train.csv' has no column 'Income'"),
    ({"people.csv": ""}, {}, "'people.csv' is empty"),
    ({"people.csv": "\n\n"}, {}, "'people.csv' is empty"),
    ({"people.csv": "Age,Income\n"}, {}, "no rows"),
    ({"people.csv": column("Income", "1,234")}, {}, "'Income' of people.csv | '1,234' | without separators"),
    ({"people.csv": column("Income", "much")}, {}, "'Income' of people.csv holds 'much'"),
    ({"train.csv": column("Income", "much", rows=1)}, {}, "'Income' of train.csv holds 'much' in row 0"),
    ({"train.csv": column("Income", "inf", rows=1)}, {}, "infinite | 'Income'"),
    ({"people.csv": column("Has guarantor", "yes")}, {},
     "holds 'yes', where the reference has True and False"),
    ({"people.csv": replaced("Age,", "Rate,")}, {}, "more than one column called 'Rate'"),
    ({"people.csv": replaced("rent", "miété", "latin-1")}, {}, "not text in UTF-8 | iconv"),
    ({"people.csv": replaced("", "", "utf-16")}, {}, "is text in UTF-16. Save it as UTF-8: iconv -f utf-16"),
    ({"people.csv": lambda content: content + b"1,2,3,4,5,6,7,8,9\n"}, {}, "not a table | line"),
    ({"people.csv": b"PK\x03\x04abc"}, {}, "Excel | Save it as CSV"),
    ({"people.csv": b"\x00\x01\x02" * 50}, {}, "binary file"),
    ({"people.csv": gzip.compress(b"Age,Income\n1,2\n")[:-9]}, {}, "damaged"),
    ({"people.csv": b"PAR1xxxxPAR1"}, {}, "damaged"),
    ({"p.yaml": "version: 1\n"}, {"data": "p.yaml"}, "'p.yaml' has the name of a policy"),
    ({"p.parquet": "Age\n1\n"}, {"data": "p.parquet"}, "the name of a Parquet file"),
    ({"p.csv": PIPE}, {"data": "p.csv"}, "is a pipe or a device"),
    # Models.
    ({"model.txt": b""}, {}, "'model.txt' is empty"),
    ({"model.txt": lambda content: content[:2000]}, {}, "is incomplete"),
    ({"model.txt": "tree\nversion=v4\nnonsense\nend of trees\n"}, {}, "loaded as LightGBM | damaged"),
    ({"model.txt": "hello"}, {}, "has the name of a LightGBM model but not its content"),
    ({"m.txt": PIPE}, {"model": "m.txt"}, "is a pipe or a device"),
    ({"m.json": '{"learner": {'}, {"model": "m.json"}, "XGBoost"),
    ({"m.json": '{"a": 1}'}, {"model": "m.json"}, "not a model file"),
    ({"m.json": '{"tree_info": []}'}, {"model": "m.json"}, "save_model"),
    ({"m.cbm": b"CBM1" + b"\x00" * 40}, {"model": "m.cbm"}, "CatBoost"),
    ({"m.skops": b"PK\x03\x04"}, {"model": "m.skops"}, "damaged"),
    ({"m.skops": zip_of_version(99)}, {"model": "m.skops"}, "damaged"),
    ({"m.skops": zip_of_version(20).replace("é".encode(), b"\xff\xff")}, {"model": "m.skops"}, "damaged"),
    ({"m.skops": long_listing()}, {"model": "m.skops"}, "damaged"),
    ({"m.onnx": b"\x08\x07\x12abc"}, {"model": "m.onnx"}, "ONNX"),
    ({"m.pkl": b"\x80\x04N."}, {"model": "m.pkl"}, "runs any code | --trust-model | ONNX"),
    ({"m.skops": zip_of_version(10)}, {"model": "m.skops"}, "is a skops file | --trust-model | ONNX"),
    ({"m.skops": zip_of_version(10)}, {"model": "m.skops", "trust_model": True},
     "is a skops file that cannot be loaded"),
    ({"m.pkl": b"\x80\x04N."}, {"model": "m.pkl", "trust_model": True},
     "contains a NoneType, which is not a model"),
    ({"m.pkl": b"\x80\x04"}, {"model": "m.pkl", "trust_model": True},
     "is a pickle file that cannot be loaded"),
    ({"raises_here.py": "def make():\n    raise KeyError('weights')\n"}, {"model": "raises_here:make"},
     "raises_here:make raised KeyError"),
    ({"lacks_it.py": "def make_net(): ...\n"}, {"model": "lacks_it:make_nt"}, "no 'make_nt' | 'make_net'"),
    ({"gives_none.py": "def make(): ...\n"}, {"model": "gives_none:make"}, "returned None"),
    ({"exits.py": "import sys\nsys.exit(0)\n"}, {"model": "exits:make"}, "exit"),
    # Policies.
    ({"p.yaml": AGE + PREDICATE}, {"policy": "p.yaml"}, "predicate 'this:s' | --trust-predicates"),
    ({"p.yaml": AGE.replace("whole", "whol")}, {"policy": "p.yaml"}, "p.yaml:3: | whole"),
    ({"p.yaml": AGE}, {"policy": "p.yaml"}, "--policy 'p.yaml' lacks the feature 'Income'"),
]
# fmt: on
