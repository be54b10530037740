"""Make small problems with many restrictions, and lift restrictions by hand, through the public calls."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import p2ce
from p2ce.result import Restriction
from p2ce.result.rule_data import rule_data
from p2ce.rules import change_at_most_one, forbid, implies, inequality, linked, one_hot, predicate

MODELS = ("forest", "histogram", "function")
THRESHOLD = 0.5
RULES: dict[str, Any] = {
    "change_at_most_one": change_at_most_one("debt", "rate"),
    "if then": implies({"home": "own"}, {"years": (2, 3)}),
    "forbid": forbid("home", {"rent": ["own"], "free": ["own"]}),
    "inequality": inequality("debt <= 2 * years"),
    "predicate": predicate(lambda frame: frame["debt"] > 0.5, name="in debt"),
    "link": linked("years", "age"),
    "group": one_hot("size", ["a", "b"]),
}
# How to impose a restriction on a policy, and what comes in its place.
Change = Callable[[p2ce.Policy], p2ce.Policy]


def texts(restrictions: Iterable[Restriction]) -> frozenset[str]:
    """Return restrictions, which hold dicts, as text that can be compared."""
    return frozenset(map(repr, restrictions))


def as_it_is(policy: p2ce.Policy) -> p2ce.Policy:
    return policy


def with_rule(rule: Any) -> Change:
    return lambda policy: policy.with_rules(rule)


RESTRICTIONS: dict[str, tuple[Restriction, Change, Change]] = {
    "debt up": (
        Restriction(kind="direction", feature="debt", direction="up"),
        lambda a: a.increase_only("debt"),
        as_it_is,
    ),
    "years up": (
        Restriction(kind="direction", feature="years", direction="up"),
        lambda a: a.increase_only("years"),
        as_it_is,
    ),
    "rate": (
        Restriction(kind="range", feature="rate", low=0.4, high=0.6, wider_low=0.0, wider_high=0.7),
        lambda a: a.within(rate=(0.4, 0.6)),
        lambda a: a.within(rate=(0.0, 0.7)),
    ),
    "debt": (
        Restriction(kind="values", feature="debt", values=(1.6, 2.0), wider_low=0.0, wider_high=2.0),
        lambda a: a.candidates(debt=[1.6, 2.0]),
        lambda a: a.candidates(debt=[0.0, 0.5, 1.0, 1.5, 1.6, 2.0]),
    ),
    "home": (
        Restriction(kind="values", feature="home", values=("rent", "free")),
        lambda a: a.candidates(home=["free", "rent"]),
        as_it_is,
    ),
    "income": (Restriction(kind="missing", feature="income"), lambda a: a.keep_missing("income"), as_it_is),
    **{
        name: (Restriction(kind="rule", rule=rule_data(rule)), with_rule(rule), as_it_is)
        for name, rule in RULES.items()
        if name != "group"
    },
    "group": (
        Restriction(kind="rule", rule=rule_data(one_hot("size", ["a", "b"], may_be_none=True))),
        with_rule(RULES["group"]),
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
    """Fit a model that takes text and, if it is a histogram boosting, missing values."""
    columns = make_column_transformer((OneHotEncoder(sparse_output=False), ["home"]), remainder="passthrough")
    boosted = {"max_iter": 8, "learning_rate": 0.4, "max_leaf_nodes": 5, "min_samples_leaf": 4}
    inner = (
        HistGradientBoostingClassifier(**boosted)
        if kind == "histogram"
        else RandomForestClassifier(5, max_depth=4, random_state=0)
    )
    model = make_pipeline(columns, inner).fit(frame, label)
    return model if kind != "function" else lambda rows: model.predict_proba(rows)[:, 1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Infeasible:
    """A person without an option, and everything that keeps them from one."""

    model: Any
    frame: pd.DataFrame
    inferred: p2ce.Policy  # from the frame
    person: dict[str, Any]
    names: tuple[str, ...]  # of RESTRICTIONS
    max_changes: int
    explainers: dict[bool, p2ce.Explainer]  # by whether plausibility is required

    def policy(self, lifted: frozenset[str] = frozenset()) -> p2ce.Policy:
        """Return what the features may do, without some restrictions."""
        policy = self.inferred.step(debt=0.5, rate=0.1, income=10.0, age=1, years=1)
        policy = policy.fix("a", "b") if "group" not in self.names else policy
        policy = policy.fix("income") if "income" not in self.names else policy
        policy = policy.protect("age") if "link" not in self.names else policy
        for name in self.names:
            _, impose, instead = RESTRICTIONS[name]
            policy = (instead if name in lifted else impose)(policy)
        return policy

    def explain(self, lifted: frozenset[str], more: int, plausible: bool) -> p2ce.Explanation:
        """Explain again, with restrictions lifted by hand."""
        return self.explainers[plausible].explain(
            self.person, policy=self.policy(lifted), max_changes=self.max_changes + more
        )

    def liftings(self) -> Iterator[tuple[frozenset[str], int, bool]]:
        """Go through everything that may be lifted together."""
        for chosen, more, plausible in product(
            product([False, True], repeat=len(self.names)), range(3), self.explainers
        ):
            lifted = zip(self.names, chosen, strict=True)
            yield frozenset(name for name, is_lifted in lifted if is_lifted), more, plausible

    def texts(self, lifted: frozenset[str], more: int, plausible: bool) -> frozenset[str]:
        """List what was lifted, as text that can be compared."""
        found = [RESTRICTIONS[name][0] for name in lifted]
        if more:
            most = self.max_changes
            found.append(Restriction(kind="changes", most=most, instead=most + more))
        if not plausible and True in self.explainers:
            found.append(Restriction(kind="plausibility"))
        return texts(found)

    def why(self, **options: Any) -> p2ce.result.Relaxations:
        explainer = self.explainers[True in self.explainers]
        given = explainer.explain(self.person, policy=self.policy(), max_changes=self.max_changes)
        return explainer.relaxations(given, **options)


def find_infeasible(
    kind: str, seed: int, names: tuple[str, ...], plausible: bool, max_changes: int
) -> Infeasible:
    """Look for a person who has no option under these restrictions, in one population after the other."""
    # Where two changes always help, one does not.
    for most, more in product(dict.fromkeys((max_changes, 1)), range(10)):
        frame, label = people(seed + 10_000 * more)
        if kind != "histogram":
            frame = frame.fillna({"income": 10.0})
            names = tuple(name for name in names if name != "income")
        model = fit(kind, frame, label)
        detector = p2ce.PlausibilityForest(n_estimators=10, contamination=0.15)
        arguments: dict[str, Any] = {"at_least": THRESHOLD, "objectives": ["mean_distance", "changes"]}
        explainers = {
            judged: p2ce.Explainer(
                model, frame, plausibility=detector if judged else None, **{"target": 1, **arguments}
            )
            for judged in ([True, False] if plausible else [False])
        }
        inferred = p2ce.Policy.infer(frame, protect=None)
        scores = model(frame) if kind == "function" else model.predict_proba(frame)[:, 1]
        # From the middle of the rejected on, where lifting neither everything nor nothing helps.
        for row in np.argsort(scores)[len(frame) // 5 : len(frame) // 2 : 3]:
            person = frame.iloc[row].to_dict()
            if "income" in names and not np.isnan(person["income"]):
                continue
            found = Infeasible(
                model=model,
                frame=frame,
                inferred=inferred,
                person=person,
                names=names,
                max_changes=most,
                explainers=explainers,
            )
            if found.explain(frozenset(), 0, plausible).status is p2ce.Status.NO_RECOURSE:
                return found
    raise AssertionError("everybody has an option")
