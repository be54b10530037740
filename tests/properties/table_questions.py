"""Draw questions about random tables: a fitted model, a person, actions, and rules said twice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import p2ce
from p2ce.errors import ContradictoryConstraints
from tests.properties.random_tables import (
    FITS,
    GROUP,
    KINDS,
    accepted_by,
    few_candidates,
    plain_row,
    random_table,
)
from tests.properties.rules_in_pandas import LINKABLE, MAKERS, Link, Spoken, make_group, make_link
from tests.properties.whole_tables import Truth, brute_force_front

MOST_PEOPLE = 6
OBJECTIVES = ["mean_distance", "max_distance", "changes", "percentile_shift", "euclidean"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """All arguments of an explainer, and the user's own verdicts."""

    family: str
    model: Any
    frame: pd.DataFrame
    threshold: float
    actions: p2ce.ActionSet  # without rules
    spoken: tuple[Spoken, ...]
    people: tuple[dict[str, Any], ...]  # some who are rejected, in plain values, None where missing
    objectives: tuple[str, ...]
    max_changes: int | None
    is_plausible: Callable[[pd.DataFrame], np.ndarray] | None

    @property
    def person(self) -> dict[str, Any]:
        return self.people[0]

    @property
    def ruled(self) -> p2ce.ActionSet:
        return self.actions.rule(*(one.rule for one in self.spoken))

    def explainer(self, **changed: Any) -> p2ce.Explainer:
        """Ask as drawn, except for what is named."""
        arguments: dict[str, Any] = {
            "actions": self.ruled,
            "threshold": self.threshold,
            "objectives": self.objectives,
            "max_changes": self.max_changes,
            "plausibility": self.is_plausible,
        }
        frame = changed.pop("frame", self.frame)
        return p2ce.Explainer(changed.pop("model", self.model), frame, **{**arguments, **changed})

    def accepts(self, rows: pd.DataFrame) -> np.ndarray:
        """Give the verdict of the user's own model and detector."""
        fine = accepted_by(self.model, self.threshold)(rows)
        return fine if self.is_plausible is None else fine & (self.is_plausible(rows) >= 0)

    def truth(self, found: p2ce.Explanation) -> Truth:
        """Ask about every row."""
        return brute_force_front(
            self.person,
            self.frame,
            self.actions,
            accepts=self.accepts,
            spoken=self.spoken,
            max_changes=self.max_changes,
            objectives=found.objectives,
        )


def make_question(
    family: str,
    seed: int,
    *,
    columns: int,
    rule_count: int,
    group: bool,
    objectives: list[str],
    max_changes: int | None,
    detector: bool,
    link: bool | None = None,
    must: Sequence[str] = (),
) -> Question:
    """Make the question of a seed; the sizes are given, so that hypothesis can shrink them.

    ``link`` says whether a rule of that kind is there; None leaves it to chance. ``must`` names columns.
    """
    draw = np.random.default_rng(seed)
    if link:
        must = [*must, *draw.choice([name for name in LINKABLE if name not in must], 2, False).tolist()]
    table = random_table(seed, columns=columns, kinds=KINDS[family], must=must, group=group)
    model = FITS[family](table.frame, table.label, seed)
    actions = few_candidates(table.frame, draw, free=LINKABLE if link else ())
    threshold = 0.5 if hasattr(model, "predict_proba") else float(np.quantile(model(table.frame), 0.8))
    rejected = np.flatnonzero(~accepted_by(model, threshold)(table.frame))
    some = draw.permutation(rejected)[:MOST_PEOPLE].tolist() if len(rejected) else [0]
    seen = table.frame.iloc[:, 0]
    rare = seen.value_counts().index[-1]
    return Question(
        family=family,
        model=model,
        frame=table.frame,
        threshold=threshold,
        actions=actions,
        spoken=_rules(table.frame, actions, draw, rule_count, group=group, link=link),
        people=tuple(plain_row(table.frame, place) for place in some),
        objectives=tuple(objectives),
        max_changes=max_changes,
        # A function of the user's that takes the rarest value of a column for an outlier.
        is_plausible=(lambda rows: np.where(rows.iloc[:, 0].isin([rare]), -1.0, 1.0)) if detector else None,
    )


def _rules(
    frame: pd.DataFrame,
    actions: p2ce.ActionSet,
    draw: np.random.Generator,
    count: int,
    *,
    group: bool,
    link: bool | None,
) -> tuple[Spoken, ...]:
    """Say so many rules beside the group, unless there is one column only."""
    spoken: list[Spoken] = [make_group(frame, draw)] if group else []
    makers = [maker for maker in MAKERS if link is not False or maker is not make_link]
    wanted = len(spoken) + (count if frame.shape[1] > 1 else 0)
    # A predicate contradicts nothing, so that this comes to an end.
    while len(spoken) < wanted:
        names = [str(name) for name in draw.permutation(list(frame))]
        is_first = len(spoken) == int(group)
        made = (make_link if link and is_first else makers[int(draw.integers(len(makers)))])(
            frame, names, draw
        )
        if made is None or (isinstance(made, Link) and set(made.rule.columns) & set(GROUP)):
            continue
        if made.rule in [one.rule for one in spoken]:
            continue  # said once is enough: the truth would count it twice
        try:
            actions.rule(*(one.rule for one in [*spoken, made]))
        except ContradictoryConstraints:
            continue  # rejected before any search, which other tests look at
        spoken.append(made)
    return tuple(spoken)


def questions(families: Sequence[str] = tuple(KINDS), **fixed: Any) -> st.SearchStrategy[Question]:
    """Draw questions about these families; what is named stays as it is."""
    drawn: dict[str, Any] = {
        "columns": st.integers(1, 5),
        "rule_count": st.integers(0, 3),
        "group": st.sampled_from([False, False, True]),
        "objectives": st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=3, unique=True),
        "max_changes": st.sampled_from([None, 1, 2, 2, 3]),
        "detector": st.sampled_from([False, False, True]),
    }
    return st.builds(make_question, st.sampled_from(families), st.integers(0, 10_000), **{**drawn, **fixed})
