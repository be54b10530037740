"""Draw problems as a user states them: a table, a fitted model, policy, rules, rejected applicants."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import p2ce
from p2ce.errors import InvalidPolicy
from tests.oracle import Accepts, Link, StatedRule, Truth, brute_force_front, plain_row, typed_rows
from tests.populations.random_tables import GROUP, random_table
from tests.populations.small_models import COMPILED, OF_TABLES, Family, score_of, threshold_of
from tests.properties.stated_rules import LINKABLE, MAKERS, make_group, make_link, with_added_links

# Libraries that every installation has; the others are compared with brute force elsewhere.
CORE = {
    name: COMPILED[name]
    for name in ("decision tree", "random forest", "gradient boosting", "logistic regression")
}
OBJECTIVES = ["mean_distance", "max_distance", "changes", "percentile_shift", "euclidean"]
MOST_PEOPLE = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatedProblem:
    """All arguments of an explainer, some applicants, and what the oracle needs of the same problem."""

    family: str
    model: Any
    frame: pd.DataFrame
    label: np.ndarray
    threshold: float | None = None  # None: the model's own
    policy: p2ce.Policy  # without the rules
    stated: tuple[StatedRule, ...] = ()
    people: tuple[dict[str, Any], ...]  # some who are rejected, in plain values, None where missing
    objectives: tuple[str, ...]
    max_changes: int | None = 3
    detector: Any = None
    plausibility: Accepts | None = None  # decision values by the detector's own library
    today: str = "counts"  # whether the plausibility of today does
    seed: int

    @property
    def person(self) -> dict[str, Any]:
        return self.people[0]

    @property
    def row(self) -> pd.DataFrame:
        """Return the first person as a frame of one row, in the reference's own types."""
        return typed_rows([self.person], self.frame)

    def explainer(self, **changed: Any) -> p2ce.Explainer:
        """Make the explainer of the problem, except for the arguments given."""
        arguments: dict[str, Any] = {
            "policy": self.policy.with_rules(*(one.rule for one in self.stated)),
            "at_least": self.threshold,
            "objectives": self.objectives,
            "max_changes": self.max_changes,
            "plausibility": self.detector,
            "plausibility_of_today": self.today,
        }
        frame = changed.pop("frame", self.frame)
        return p2ce.Explainer(
            changed.pop("model", self.model), frame, **{"target": 1, **arguments, **changed}
        )

    def explain(self, **changed: Any) -> p2ce.Explanation:
        return self.explainer(**changed).explain(self.row)

    def explain_all(self, **changed: Any) -> p2ce.Explanations:
        return self.explainer(**changed).explain_many(typed_rows(self.people, self.frame))

    def accepts(self, rows: pd.DataFrame) -> Any:
        """Evaluate the user's own model and detector."""
        threshold = threshold_of(self.model) if self.threshold is None else self.threshold
        accepted = score_of(self.model)(rows) >= threshold
        return accepted if self.plausibility is None else accepted & (self.plausibility(rows) >= self.least)

    @property
    def least(self) -> float:
        """What the decision value of an option must reach."""
        if self.plausibility is None or self.today == "ignore":
            return 0.0
        return min(0.0, float(self.plausibility(self.row)[0]))

    def truth(self, found: p2ce.Explanation, **changed: Any) -> Truth:
        """Find the front by brute force, except for the arguments given."""
        arguments: dict[str, Any] = {
            "accepts": self.accepts,
            "objectives": found.objectives,
            "max_changes": self.max_changes,
            "stated": self.stated,
        }
        policy = changed.pop("policy", self.policy)
        return brute_force_front(self.person, self.frame, policy, **{**arguments, **changed})


def state_problem(
    name: str,
    family: Family,
    seed: int,
    *,
    columns: int,
    objectives: Sequence[str],
    max_changes: int | None = 3,
    constrained: bool = False,
    rule_count: int = 0,
    group: bool = False,
    detector: bool = False,
    link: bool | None = None,
    must: Sequence[str] = (),
) -> StatedProblem:
    """Make the problem of a seed; the sizes are given, so hypothesis can shrink them.

    ``constrained`` constrains some features. ``link`` says whether a rule of that kind is there; None leaves
    it to chance. ``must`` names columns.
    """
    draw = np.random.default_rng(seed)
    if link:
        must = [*must, *draw.choice([name for name in LINKABLE if name not in must], 2, False).tolist()]
    table = random_table(seed, columns=columns, kinds=family.columns, must=must, group=group)
    frame = table.frame
    model = family.fit(frame, table.label, seed)
    policy = random_actions(frame, draw, free=LINKABLE if link else ()) if constrained else few_values(frame)
    scores = score_of(model)(frame)
    rejected = draw.permutation(np.flatnonzero(scores < threshold_of(model)))[:MOST_PEOPLE].tolist()
    rare = frame.iloc[:, 0].value_counts().index[-1]
    return StatedProblem(
        family=name,
        model=model,
        frame=frame,
        label=table.label,
        threshold=threshold_of(model),
        policy=policy,
        stated=_rules(frame, policy, draw, rule_count, group=group, link=link),
        people=tuple(plain_row(frame, place) for place in rejected or [int(np.argmin(scores))]),
        objectives=tuple(objectives),
        max_changes=max_changes,
        # A function of the user's that takes the rarest value of a column for an outlier.
        detector=(lambda rows: np.where(rows.iloc[:, 0].isin([rare]), -1.0, 1.0)) if detector else None,
        plausibility=(lambda rows: np.where(rows.iloc[:, 0].isin([rare]), -1.0, 1.0)) if detector else None,
        seed=seed,
    )


def few_values(frame: pd.DataFrame, most: int = 5) -> p2ce.Policy:
    """Let every column of numbers move to a few values only: evaluating every cell has to stay possible."""
    policy = p2ce.Policy.infer(frame, grid="paper", protect=None)
    for name in frame.columns:
        known = np.unique(frame[name])
        if len(known) > most:
            few = known[np.linspace(0, len(known) - 1, most).astype(int)]
            policy = policy.candidates({name: [value.item() for value in few]})
    return policy


def random_actions(
    frame: pd.DataFrame, draw: np.random.Generator, *, free: Collection[str] = ()
) -> p2ce.Policy:
    """Take few candidates per feature, and constrain some features; ``free`` ones are not fixed."""
    policy = p2ce.Policy.infer(frame, grid="paper", protect=None)
    for name in frame.columns:
        feature = policy[name]
        if feature.kind in ("number", "whole"):
            known = np.unique(frame[name].dropna().to_numpy())
            policy = policy.candidates(
                {name: [v.item() for v in draw.choice(known, min(4, len(known)), False)]}
            )
        kind = draw.random()
        if name in GROUP:
            continue
        if kind < 0.15 and (not feature.is_category or feature.order):
            policy = policy.increase_only(name) if kind < 0.08 else policy.decrease_only(name)
        elif kind < 0.25 and frame.shape[1] > 2:
            policy = policy if name in free else policy.fix(name)
        elif kind < 0.45 and frame[name].isna().any():
            policy = policy.keep_missing(name) if kind < 0.35 else policy.allow_missing(name)
    return policy


def _rules(
    frame: pd.DataFrame,
    policy: p2ce.Policy,
    draw: np.random.Generator,
    count: int,
    *,
    group: bool,
    link: bool | None,
) -> tuple[StatedRule, ...]:
    """State so many rules in addition to the group, unless there is one column only."""
    stated: list[StatedRule] = [make_group(frame, draw)] if group else []
    makers = [maker for maker in MAKERS if link is not False or maker is not make_link]
    wanted = len(stated) + (count if frame.shape[1] > 1 else 0)
    # A predicate contradicts nothing, so this comes to an end.
    while len(stated) < wanted:
        names = [str(name) for name in draw.permutation(list(map(str, frame)))]
        is_first = len(stated) == int(group)
        made = (make_link if link and is_first else makers[int(draw.integers(len(makers)))])(
            frame, names, draw
        )
        if made is None or (isinstance(made, Link) and set(made.rule.columns) & set(GROUP)):
            continue
        if made.rule in [one.rule for one in stated]:
            continue  # once is enough: the oracle would count it twice
        try:
            policy.with_rules(*(one.rule for one in [*stated, made]))
        except InvalidPolicy:
            continue  # rejected before any search, which other tests look at
        stated.append(made)
    return with_added_links(stated)


def _stated(families: Mapping[str, Family], arguments: Mapping[str, Any]) -> st.SearchStrategy[StatedProblem]:
    def state(name: str, seed: int, **drawn: Any) -> StatedProblem:
        return state_problem(name, families[name], seed, **drawn)

    return st.builds(state, st.sampled_from(list(families)), st.integers(0, 10_000), **arguments)


def numeric_problems(
    families: Mapping[str, Family] = CORE, **fixed: st.SearchStrategy[Any]
) -> st.SearchStrategy[StatedProblem]:
    """Draw problems with complete numbers only, without constraints; what is named stays as it is."""
    drawn: dict[str, Any] = {
        "columns": st.integers(2, 5),
        "objectives": st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=4, unique=True),
    }
    return _stated(families, {**drawn, **fixed})


def table_problems(
    families: Collection[str] = tuple(OF_TABLES), **fixed: st.SearchStrategy[Any]
) -> st.SearchStrategy[StatedProblem]:
    """Draw problems with columns of every kind, constraints and rules; what is named stays as it is."""
    drawn: dict[str, Any] = {
        "columns": st.integers(1, 5),
        "constrained": st.just(True),
        "rule_count": st.integers(0, 3),
        "group": st.sampled_from([False, False, True]),
        "objectives": st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=3, unique=True),
        "max_changes": st.sampled_from([None, 1, 2, 2, 3]),
        "detector": st.sampled_from([False, False, True]),
    }
    return _stated({name: OF_TABLES[name] for name in families}, {**drawn, **fixed})


def results_of(found: p2ce.Explanation) -> tuple[Any, ...]:
    """Return status and counterfactuals, without what the search took."""
    options = [(option.changes, option.costs, option.score, option.plausibility) for option in found]
    return found.status, options
