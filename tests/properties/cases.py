"""Put together ordinary questions about small fitted models, for laws that compare two answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import p2ce
from tests.properties.families import FAMILIES, random_people

# Libraries that every installation has; the others are compared with brute force elsewhere.
CORE = ["decision tree", "random forest", "gradient boosting", "logistic regression"]
OBJECTIVES = ["mean_distance", "max_distance", "changes", "percentile_shift", "euclidean"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """A fitted model, its people, and one of them who is rejected."""

    model: Any
    frame: pd.DataFrame
    label: np.ndarray
    actions: p2ce.ActionSet
    person: dict[str, Any]
    objectives: tuple[str, ...]
    seed: int

    def explainer(self, **changed: Any) -> p2ce.Explainer:
        """Ask as usual, except for what is named."""
        arguments: dict[str, Any] = {
            "actions": self.actions,
            "objectives": self.objectives,
            "plausibility": None,
            "max_changes": 3,
        }
        return p2ce.Explainer(self.model, self.frame, **{**arguments, **changed})

    def explain(self, **changed: Any) -> p2ce.Explanation:
        return self.explainer(**changed).explain(self.person)


def make_case(family: str, seed: int, columns: int, objectives: list[str]) -> Case:
    """Fit a model and choose the person it rejects most clearly; candidates are few."""
    frame, label = random_people(seed, columns=columns)
    model = FAMILIES[family](frame, label, seed)
    actions = p2ce.ActionSet.infer(frame, grid="paper")
    for name in frame.columns:
        known = np.unique(frame[name])
        if len(known) > 5:
            few = known[np.linspace(0, len(known) - 1, 5).astype(int)]
            actions = actions.values({name: [value.item() for value in few]})
    rejected = int(np.argmin(model.predict_proba(frame)[:, 1]))
    return Case(
        model=model,
        frame=frame,
        label=label,
        actions=actions,
        person=frame.iloc[rejected].to_dict(),
        objectives=tuple(objectives),
        seed=seed,
    )


cases = st.builds(
    make_case,
    st.sampled_from(CORE),
    st.integers(0, 10_000),
    columns=st.integers(2, 5),
    objectives=st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=4, unique=True),
)


def no_cheaper(after: p2ce.Explanation, before: p2ce.Explanation) -> bool:
    """Return whether for every option of ``after`` some option of ``before`` costs no more in anything."""

    def reaches(cheap: p2ce.Counterfactual, expensive: p2ce.Counterfactual) -> bool:
        return all(cheap.costs[name] <= expensive.costs[name] * (1.0 + 4e-9) for name in cheap.costs)

    return all(any(reaches(cheap, expensive) for cheap in before) for expensive in after)


def answers_of(explanation: p2ce.Explanation) -> tuple[Any, ...]:
    """Give what was answered, without what it took."""
    options = [(option.changes, option.costs, option.score, option.plausibility) for option in explanation]
    return explanation.status, options
