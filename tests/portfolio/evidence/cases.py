"""Problems of many kinds, each small enough for brute force, to save the evidence of their explanations."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression

import p2ce
from p2ce import evidence, rules
from tests.optional import LazyLibrary
from tests.populations import loans

lightgbm = LazyLibrary("lightgbm")

ACTIONS = p2ce.Policy.infer(loans.people(), protect=None)
FEW = (
    ACTIONS.candidates({"Income": [20, 30, 40, 55], "Debt": [-2.0, 0.0, 0.5]}).step({"Years": 3}).fix("Rate")
)
FOREST = p2ce.PlausibilityForest(n_estimators=10, contamination=0.1)


@dataclass(frozen=True)
class Case:
    """An explainer, its model, and a person."""

    model: Any
    explainer: p2ce.Explainer
    person: Any
    given: dict[str, Any] = field(default_factory=dict)  # further arguments of `explain`

    def explained(self) -> p2ce.Explanation:
        return self.explainer.explain(self.person, **self.given)

    def saved(self, path: Path, **more: Any) -> p2ce.Explanation:
        """Explain the person, and save the evidence of it."""
        explanation = self.explained()
        evidence.save(explanation, path, explainer=self.explainer, **more)
        return explanation


def made(model: Any, reference: Any, person: Any, *, explained: Any = None, **arguments: Any) -> Case:
    arguments = {"plausibility": FOREST, **arguments}
    return Case(
        model, p2ce.Explainer(model, reference, **{"target": 1, **arguments}), person, explained or {}
    )


def booster() -> Case:
    """LightGBM over numbers of every width, on an inferred grid."""
    model = lightgbm.LGBMClassifier(n_estimators=8, num_leaves=6, min_child_samples=5, n_jobs=1, verbose=-1)
    return made(model.fit(loans.people(), loans.label()), loans.people(), loans.PERSON, max_changes=2)


def places() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    unknown = rng.random(150) < 0.1
    rooms = pd.array(rng.integers(1, 5, 150), dtype="Int64")
    rooms[unknown] = pd.NA
    known = np.array(["town", "coast", None], dtype=object)
    return pd.DataFrame(
        {
            "Income": np.where(rng.random(150) < 0.2, np.nan, rng.integers(10, 60, 150)),
            "Place": pd.Categorical(rng.choice(known, 150), ["hills", "town", "coast"]),
            "Size": pd.Categorical(rng.choice(["S", "M", "L"], 150), ["S", "M", "L"], ordered=True),
            "Rooms": rooms,
        }
    )


def categories() -> Case:
    """Categories, an order, missing values of every sort, an unseen label."""
    reference = places()
    wanted = (reference["Income"] > 40) & (reference["Size"] != "S") | (reference["Place"] == "coast")
    model = HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=5, categorical_features="from_dtype")
    model.fit(reference, wanted.astype(int))
    policy = (
        p2ce.Policy.infer(reference, protect=None)
        .allow_missing("Place")
        .increase_only("Size")
        .step({"Rooms": 1})
    )
    person = {"Income": 20.0, "Place": "moon", "Size": "M", "Rooms": None}
    return made(model, reference, person, policy=policy)


def forest() -> Case:
    return made(loans.forest(), loans.people(), loans.PERSON, policy=FEW, max_changes=None)


def card(frame: pd.DataFrame) -> Any:
    points = frame["Income"] / 12 - frame["Debt"] + frame["Owns"] * 1.5 - frame["Rate"] + frame["Years"] / 6
    return 1 / (1 + np.exp(4.0 - points.to_numpy(dtype=float)))


def black_box() -> Case:
    return made(card, loans.people(), loans.PERSON, policy=FEW)


def unwanted_class() -> Case:
    """Class 0 is wanted, with its own threshold and margin, by decision values."""
    model = LogisticRegression(max_iter=500).fit(loans.people(), 1 - loans.label())
    settings = {"target": 0, "scale": "decision", "at_least": 0.25, "margin": 0.5}
    return made(model, loans.people(), loans.PERSON, policy=FEW, **settings)


def probability_of_default() -> Case:
    """Class 1 is a default, whose probability must be at most so much."""
    model = LogisticRegression(max_iter=500).fit(loans.people(), 1 - loans.label())
    return made(model, loans.people(), loans.PERSON, policy=FEW, target=1, at_most=0.3, margin=0.05)


def homes() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    home = rng.integers(0, 3, 200)
    return pd.DataFrame(
        {
            "Age": rng.integers(20, 60, 200),
            "Job": rng.integers(0, 20, 200),
            "Own": (home == 0).astype(int),
            "Rent": (home == 1).astype(int),
            "Cards": rng.integers(0, 4, 200),
            "Loans": rng.integers(0, 4, 200),
            "Area": rng.choice(["a", "b", "c"], 200),
            "Income": rng.integers(1, 9, 200) * 10,
        }
    )


def worth(frame: pd.DataFrame) -> Any:
    points = frame["Income"] / 10 + 4 * frame["Own"] + frame["Job"] / 3 - frame["Cards"] - frame["Loans"]
    return 1 / (1 + np.exp(5.0 - (points + 2 * (frame["Area"] == "a")).to_numpy(dtype=float)))


RULES = (
    rules.linked("Job", "Age"),
    rules.one_hot("Home", ["Own", "Rent"], may_be_none=True),
    rules.change_at_most_one("Cards", "Income"),
    rules.inequality("2*Loans - 1 <= 0.1*Income"),
    rules.implies({"Own": 1}, {"Income": (30, None)}),
    rules.implies({"Area": "changes"}, {"Job": [3, 4, 6, 9]}),
    rules.forbid("Area", {"c": ["a"]}),
    rules.allow_only("Cards", {3: [1, 2], 2: 1}),
)
WHO = {"Age": 30, "Job": 3, "Own": 0, "Rent": 1, "Cards": 3, "Loans": 2, "Area": "c", "Income": 20}


def ruled() -> Case:
    policy = (
        p2ce.Policy.infer(homes(), protect=None).step({"Job": 3, "Income": 10}).within({"Income": (10, 60)})
    )
    return made(worth, homes(), WHO, policy=policy.with_rules(*RULES), objectives=["changes", "euclidean"])


def other_rules() -> Case:
    policy = p2ce.Policy.infer(homes(), protect=None).step({"Job": 3, "Income": 10}).fix("Age", "Own", "Rent")
    more = rules.together("Loans", "Income"), rules.at_most_one_nonzero("Cards", "Loans")
    return made(worth, homes(), WHO, policy=policy.with_rules(*more), plausibility=None)


def added_links() -> Case:
    policy = p2ce.Policy.infer(homes(), protect=None).step({"Job": 3}).fix("Own", "Rent", "Area", "Income")
    links = rules.linked("Job", "Age"), rules.linked("Cards", "Age", ratio=-2)
    return made(worth, homes(), WHO, policy=policy.with_rules(*links), plausibility=None)


def special_values() -> Case:
    reference = homes()
    reference.loc[:20, "Job"] = -9
    policy = p2ce.Policy.infer(reference, special_values={"Job": [-9]}, protect=None).leave_special("Job")
    policy = policy.fix("Own", "Rent", "Area").step({"Income": 10, "Job": 2})
    return made(worth, reference, {**WHO, "Job": -9}, policy=policy, max_changes=2)


def no_recourse() -> Case:
    """Nothing is enough, on the finest grid either."""
    return made(loans.forest(), loans.people(), loans.PERSON, policy=ACTIONS.fix("Income", "Debt", "Owns"))


def predicted_number() -> Case:
    income = loans.people()["Income"] * 2.0 - loans.people()["Debt"]
    model = RandomForestRegressor(6, max_depth=4, random_state=0).fit(loans.people(), income)
    return made(model, loans.people(), loans.PERSON, target=(70, 90), margin=1.0, policy=FEW)


def one_of_three() -> Case:
    """One of several classes has to win; options of equal cost are all listed."""
    label = pd.cut(loans.people()["Income"] - 5 * loans.people()["Debt"], 3, labels=["low", "mid", "high"])
    model = RandomForestClassifier(6, max_depth=4, random_state=0).fit(loans.people(), label)
    settings = {"target": "high", "objectives": ["changes", "max_distance"], "ties": True}
    return made(model, loans.people(), loans.PERSON, policy=FEW, **settings)


def personal() -> Case:
    """Actions and a limit for this person only."""
    own = {"policy": FEW.fix("Owns"), "max_changes": 2}
    return made(loans.forest(), loans.people(), loans.PERSON, policy=FEW, explained=own, max_changes=1)


def personal_objectives() -> Case:
    """Objectives for this person only, one with its own arguments."""
    own = {"objectives": ["changes", p2ce.objectives.MeanDistance(unit="own")]}
    return made(loans.forest(), loans.people(), loans.PERSON, policy=FEW, explained=own, max_changes=2)


def rounded() -> Case:
    """A display rounds, so people read other values than the exact ones."""
    policy = ACTIONS.display(Debt={"decimals": 0}).fix("Rate")
    person = loans.rejected().iloc[8].to_dict()
    return made(loans.forest(), loans.people(), person, policy=policy, max_changes=2, plausibility=None)


def favourable() -> Case:
    return made(loans.forest(), loans.people(), {**loans.PERSON, "Income": 59, "Debt": -3.0}, policy=FEW)


CASES: dict[str, Callable[[], Case]] = {
    one.__name__: one
    for one in (
        *(
            booster,
            categories,
            forest,
            black_box,
            unwanted_class,
            probability_of_default,
            ruled,
            other_rules,
            special_values,
            added_links,
        ),
        *(no_recourse, predicted_number, one_of_three, personal, personal_objectives, rounded, favourable),
    )
}
