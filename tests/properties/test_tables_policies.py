"""A policy survives saving and loading, and so does every result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import ActionSet, rules
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give one folder for all examples."""
    return tmp_path_factory.mktemp("policies")


def results(problem: StatedProblem, actions: ActionSet) -> Any:
    found = problem.explain(actions=actions)
    return found.status, list(found), found.certificate.rules if found.certificate else None


@examples(12)
@given(
    problem=table_problems(
        ["LightGBM", "logistic regression behind a one-hot encoder"],
        rule_count=st.integers(1, 4),
        detector=st.just(False),
    )
)
def test_a_loaded_policy_gives_the_same_results(folder: Path, problem: StatedProblem) -> None:
    saved = [one.rule for one in problem.stated if one.rule.kind != "predicate"]
    actions = problem.actions.rule(*saved)
    path = folder / "policy.yaml"
    actions.save(path)
    loaded = ActionSet.load(path)
    assert loaded == actions
    assert results(problem, loaded) == results(problem, actions)
    first = path.read_bytes()
    loaded.save(path)
    assert path.read_bytes() == first


def test_comments_mean_nothing(folder: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"yes": [0, 1, 2], "home": ["no", "off", "1.0"], "n": [0.1, 1e-9, 3e20]})
    actions = ActionSet.infer(frame, grid="paper").rule(
        rules.if_then(if_={"home": ["no", "1.0"]}, then={"yes": (1, None)}),
        rules.forbid("home", {"off": ["no", None]}),
    )
    path = folder / "comments.yaml"
    actions.save(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(f"{line}  # own → rent: 7" for line in lines), encoding="utf-8")
    assert ActionSet.load(path) == actions


def test_a_predicate_by_name_survives(folder: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": np.arange(8), "b": np.arange(8)[::-1]})

    def sums(rows: Any) -> Any:
        return rows["a"] + rows["b"]

    by_name = rules.predicate("tests.properties.predicates:even_sum", columns=["a", "b"])
    actions = ActionSet.infer(frame, grid="paper").rule(by_name)
    path = folder / "predicate.yaml"
    actions.save(path)
    explainers = [
        p2ce.Explainer(sums, frame, actions=each, threshold=10, plausibility=None)
        for each in (actions, ActionSet.load(path))
    ]
    before, after = (one.explain({"a": 2, "b": 2}) for one in explainers)
    assert list(after) == list(before)
    assert before.status is p2ce.Status.OPTIMAL
    assert all(sum(option.values.values()) % 2 == 0 for option in before)
    assert before.certificate.checked_rules == (by_name.text(),)
    assert before.certificate.rules == ()
