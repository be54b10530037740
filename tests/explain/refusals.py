"""Make small problems with many restrictions, and lift restrictions by hand, through the public calls."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import p2ce
from p2ce.rules import exclusive, forbid, if_then, inequality, linked, one_hot, predicate

MODELS = ("forest", "logistic", "histogram", "function")
THRESHOLD = 0.5
NUMBERS = ["age", "years", "debt", "rate", "income", "a", "b"]
RULES: dict[str, Any] = {
    "exclusive": exclusive("debt", "rate"),
    "if then": if_then(if_={"home": "own"}, then={"years": (2, 3)}),
    "forbid": forbid("home", {"rent": ["own"], "free": ["own"]}),
    "inequality": inequality("debt <= 2 * years"),
    "predicate": predicate(lambda frame: frame["debt"] > 0.5, name="in debt"),
    "link": linked("years", "age"),
    "group": one_hot("size", ["a", "b"]),
}
# How to impose a restriction on an action set, and how to ask for what comes in its place.
Change = Callable[[p2ce.ActionSet], p2ce.ActionSet]


def as_it_is(actions: p2ce.ActionSet) -> p2ce.ActionSet:
    return actions


RESTRICTIONS: dict[str, tuple[str, Change, Change]] = {
    "debt up": ("debt only increases", lambda a: a.increase_only("debt"), as_it_is),
    "years up": ("years only increases", lambda a: a.increase_only("years"), as_it_is),
    "rate": (
        "rate within 0.4–0.6 (instead 0–0.7, as far as the data go)",
        lambda a: a.within(rate=(0.4, 0.6)),
        lambda a: a.within(rate=(0.0, 0.7)),
    ),
    "debt": (
        "debt one of 1.6, 2 (instead 0–2, as far as the data go)",
        lambda a: a.values(debt=[1.6, 2.0]),
        lambda a: a.values(debt=[0.0, 0.5, 1.0, 1.5, 1.6, 2.0]),
    ),
    "home": (
        "home one of rent, free (instead any label of the data)",
        lambda a: a.values(home=["free", "rent"]),
        as_it_is,
    ),
    "income": ("income stays missing", lambda a: a.keep_missing("income"), as_it_is),
    **{
        name: (rule.text(), lambda a, rule=rule: a.rule(rule), as_it_is)
        for name, rule in RULES.items()
        if name != "group"
    },
    "group": (
        one_hot("size", ["a", "b"], may_be_none=True).text(),
        lambda a: a.rule(RULES["group"]),
        as_it_is,
    ),
}


def people(seed: int, rows: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = rng.integers(0, 3, rows)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 26, rows),
            "years": rng.integers(0, 5, rows),
            "debt": rng.integers(0, 9, rows) / 4.0,
            "rate": (rng.integers(0, 8, rows) / 10.0).astype(np.float32),
            "income": np.where(rng.random(rows) < 0.3, np.nan, rng.integers(1, 4, rows) * 10.0),
            "home": rng.choice(["rent", "own", "free"], rows, p=[0.5, 0.2, 0.3]),
            "a": (size == 0).astype(int),
            "b": (size == 1).astype(int),
        }
    )
    # The ends of the data, whatever the dice say, and the commonest label.
    frame.loc[:1, ["debt", "rate"]] = [[0.0, 0.0], [2.0, 0.7]]
    frame.loc[:5, "home"] = "rent"
    # What the restrictions forbid is what helps most.
    weights = np.array([0.3, 0.8, -1.5, -1.2, 1.0, 1.2, 0.8, -0.5]) * rng.uniform(0.3, 1.5, 8)
    columns = frame.assign(home=(frame["home"] == "own") * 1.0, income=frame["income"].fillna(0.0))
    values = columns.to_numpy(dtype=float)
    margin = ((values - values.mean(axis=0)) / values.std(axis=0)) @ weights + rng.normal(0.0, 0.3, rows)
    return frame, (margin > np.quantile(margin, 0.7)).astype(int)


def fit(kind: str, frame: pd.DataFrame, label: np.ndarray) -> Any:
    """Fit a model that takes text and, for some kinds, missing values."""
    numbers = StandardScaler() if kind == "logistic" else "passthrough"
    columns = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["home"]), (numbers, NUMBERS), verbose_feature_names_out=False
    )
    inner = {
        "forest": RandomForestClassifier(6, max_depth=4, random_state=0),
        "logistic": LogisticRegression(),
        "histogram": HistGradientBoostingClassifier(
            max_iter=8, learning_rate=0.4, max_leaf_nodes=5, min_samples_leaf=4
        ),
        "function": RandomForestClassifier(3, max_depth=3, random_state=0),
    }[kind]
    model = make_pipeline(columns, inner).fit(frame, label)
    if kind != "function":
        return model
    return lambda rows: model.predict_proba(rows)[:, 1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refusal:
    """A person without an option, and everything that keeps them from one."""

    model: Any
    frame: pd.DataFrame
    label: np.ndarray
    inferred: p2ce.ActionSet  # from the frame
    person: dict[str, Any]
    names: tuple[str, ...]  # of RESTRICTIONS
    max_changes: int
    explainers: dict[bool, p2ce.Explainer]  # by whether plausibility is asked for

    def actions(self, lifted: frozenset[str] = frozenset()) -> p2ce.ActionSet:
        """Say what the features may do, without some restrictions."""
        actions = self.inferred.step(debt=0.5, rate=0.1, income=10.0, age=1, years=1)
        actions = actions.fix("a", "b") if "group" not in self.names else actions
        actions = actions.fix("income") if "income" not in self.names else actions
        actions = actions.protect("age") if "link" not in self.names else actions
        for name in self.names:
            _, impose, instead = RESTRICTIONS[name]
            actions = (instead if name in lifted else impose)(actions)
        return actions

    def explain(self, lifted: frozenset[str], more: int, plausible: bool) -> p2ce.Explanation:
        """Explain again, with restrictions lifted by hand."""
        return self.explainers[plausible].explain(
            self.person, actions=self.actions(lifted), max_changes=self.max_changes + more
        )

    def liftings(self) -> Iterator[tuple[frozenset[str], int, bool]]:
        """Go through everything that may be lifted together."""
        judged = [True, False] if len(self.explainers) == 2 else [False]
        for chosen, more, plausible in product(
            product([False, True], repeat=len(self.names)), range(3), judged
        ):
            lifted = frozenset(name for name, is_lifted in zip(self.names, chosen, strict=True) if is_lifted)
            yield lifted, more, plausible

    def texts(self, lifted: frozenset[str], more: int, plausible: bool) -> frozenset[str]:
        """Say in words what was lifted."""
        words = {RESTRICTIONS[name][0] for name in lifted}
        if more:
            s = "s" * (self.max_changes != 1)
            words.add(f"at most {self.max_changes} change{s} (instead {self.max_changes + more})")
        return frozenset(words | ({"plausibility"} if not plausible and len(self.explainers) == 2 else set()))

    def why(self, **options: Any) -> p2ce.WhyNone:
        explainer = self.explainers[len(self.explainers) == 2]
        given = explainer.explain(self.person, actions=self.actions(), max_changes=self.max_changes)
        return explainer.why_none(given, actions=self.actions(), **options)


def find_refusal(kind: str, seed: int, names: tuple[str, ...], plausible: bool, max_changes: int) -> Refusal:
    """Look for a person who has no option under these restrictions, in one population after the other."""
    # Where two changes always help, one does not.
    tried = (
        _among_people(kind, seed + 10_000 * i, names, plausible, most)
        for most in dict.fromkeys((max_changes, 1))
        for i in range(10)
    )
    return next(refusal for refusal in tried if refusal is not None)


def _among_people(
    kind: str, seed: int, names: tuple[str, ...], plausible: bool, max_changes: int
) -> Refusal | None:
    frame, label = people(seed)
    if kind != "histogram":
        frame = frame.fillna({"income": 10.0})
        names = tuple(name for name in names if name != "income")
    model = fit(kind, frame, label)
    inferred = p2ce.ActionSet.infer(frame)
    detector = p2ce.IsolationForest(n_estimators=10, contamination=0.15)
    explainers = {
        judged: p2ce.Explainer(
            model,
            frame,
            threshold=THRESHOLD,
            plausibility=detector if judged else None,
            objectives=["mean_distance", "changes"],
        )
        for judged in ([True, False] if plausible else [False])
    }
    scores = model(frame) if kind == "function" else model.predict_proba(frame)[:, 1]
    # From the middle of the refused on, where neither everything nor nothing opens a way.
    for row in np.argsort(scores)[len(frame) // 5 : len(frame) // 2 : 3]:
        person = frame.iloc[row].to_dict()
        if "income" in names and not np.isnan(person["income"]):
            continue
        refusal = Refusal(
            model=model,
            frame=frame,
            label=label,
            inferred=inferred,
            person=person,
            names=names,
            max_changes=max_changes,
            explainers=explainers,
        )
        if refusal.explain(frozenset(), 0, plausible).status is p2ce.Status.NO_RECOURSE:
            return refusal
    return None
