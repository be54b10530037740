"""Is a problem laid out so that every score finds its columns, and everyone the axes made for them?"""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import Policy, rules
from p2ce.compile.lay_out import for_instance
from p2ce.compile.within_reach import parsed_for, shaped_for, within_reach
from p2ce.engine.scores.other_columns import in_columns_of
from p2ce.engine.scores.score import score_rows
from p2ce.explainer import problems_of
from tests.populations.small_scores import flat
from tests.properties.amount import examples
from tests.properties.random_problems import VALUES, random_forest, seen_coarsely

PEOPLE = pd.DataFrame(
    {
        "own": [1, 0, 0, 1, 0, 0] * 5,
        "rent": [0, 1, 0, 0, 1, 0] * 5,
        "free": [0, 0, 1, 0, 0, 1] * 5,
        "age": np.arange(30) + 20,
        "years": np.where(np.arange(30) % 7, np.arange(30) / 2.0, np.nan),
        "income": np.arange(30) * 1.5,
    }
)
LABEL = (np.arange(30) > 14).astype(int)
HOME = rules.one_hot("home", ["own", "rent", "free"])
LINK = rules.linked("years", "age", ratio=2.0)


def setup_of(*chosen: Any, model: Any = None, **arguments: Any) -> Any:
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(PEOPLE, LABEL) if model is None else model
    policy = Policy.infer(PEOPLE, protect=None).with_rules(*chosen)
    return problems_of(
        p2ce.Explainer(tree, PEOPLE, policy=policy, target=1, plausibility=None, **arguments)
    ).own


def coded(problem: Any, **changed: Any) -> np.ndarray:
    """Return one person (1, d) as codes."""
    row = {**PEOPLE.iloc[3].to_dict(), **changed}
    return problem.codebook.encode(pd.DataFrame([row]))


@examples(40)
@given(seed=st.integers(0, 2**32 - 1), trees=st.booleans())
def test_a_score_finds_its_columns_among_those_of_all(seed: int, trees: bool) -> None:
    rng = np.random.default_rng(seed)
    own = [f"f{i}" for i in rng.permutation(4)]
    names = [f"f{i}" for i in rng.permutation(6)]
    part = {"forest": random_forest(rng, 4, 3, 4)} if trees else {"weights": rng.normal(size=4)}
    score = flat(4, **part, see=seen_coarsely)
    rows = rng.choice(VALUES, size=(20, 6))
    mine = rows[:, [names.index(name) for name in own]]
    found = score_rows(in_columns_of(score, own, names), rows)
    np.testing.assert_allclose(found, score_rows(score, mine), rtol=0, atol=1e-12)
    assert in_columns_of(score, own, own) is score


def test_missing_values_are_read_where_they_may_turn_up() -> None:
    problem = setup_of()
    assert problem.nullable == {"years"}
    people = np.vstack([coded(problem), coded(problem, years=None), coded(problem, income=None)])
    assert parsed_for(problem, people).tolist() == [True, True, False]


def test_a_linear_model_is_read_for_people_so_far_out() -> None:
    filled = PEOPLE.fillna(0.0)
    model = LogisticRegression(max_iter=2000).fit(filled, LABEL)
    problem = problems_of(p2ce.Explainer(model, filled, target=1, plausibility=None)).own
    near, far = coded(problem), coded(problem, income=1e12)
    assert within_reach(problem, np.vstack([near, far])).tolist() == [True, False]


def test_groups_have_the_same_axes_for_all_who_stand_at_a_level() -> None:
    problem = setup_of(HOME)
    assert problem.grid.names == ("age", "home", "income", "years")
    two, none = coded(problem, rent=1), coded(problem, own=0)
    people = np.vstack([coded(problem), none, two, coded(problem, own=None)])
    assert shaped_for(problem, people).tolist() == [True, True, False, False]
    own = for_instance(problem, two[0])
    assert shaped_for(own, two).all()
    assert len(own.compounds[0].levels) == len(problem.compounds[0].levels) + 1


def test_links_are_laid_out_for_all() -> None:
    problem = setup_of(LINK)
    people = np.vstack([coded(problem), coded(problem, age=31), coded(problem, years=None)])
    assert shaped_for(problem, people).all()
    assert problem.grid.names == ("free", "income", "own", "rent", "years")  # age moves with years
    assert problem.grid.columns[-1] == len(problem.names)
    (levels,) = problem.levels_of(people)
    (chain,) = problem.chains
    ages = levels.values[:, :, chain.members.tolist().index(problem.names.index("age"))]
    assert [ages[row, own] for row, own in enumerate(levels.own)] == people[
        :, problem.names.index("age")
    ].tolist()
