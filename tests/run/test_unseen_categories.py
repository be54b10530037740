"""Labels that the reference lacks belong to the rows that have them: nothing is shared or kept."""

import gc
import pickle
import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from p2ce import Explainer, Explanation, Policy
from p2ce.explainer import problems_of
from p2ce.models.several_models import codebook_of_all, parse_models
from p2ce.objectives import CostTable
from p2ce.tables.codebook import codebook_of

RNG = np.random.default_rng(0)
JOBS = ["clerk", "cook", "smith"]
FRAME = pd.DataFrame({"age": RNG.integers(20, 70, 200), "job": RNG.choice(JOBS, 200)})
GOOD = (FRAME["age"] + 20 * (FRAME["job"] == "cook")) > 60


def score(rows: pd.DataFrame) -> np.ndarray:
    """A black box for which the length of a job's name counts, so a wrong label changes the result."""
    return np.minimum((rows["age"] + 3.0 * rows["job"].str.len()).to_numpy() / 150.0, 1.0)


def cost(now: Any, values: Any) -> np.ndarray:
    """The price of leaving a job, which depends on what the job is called."""
    return np.array([0.0 if value == now else 1.0 + len(now) / 10.0 for value in values])


def explainer(model: Any = score, frame: pd.DataFrame = FRAME, **changed: Any) -> Explainer:
    return Explainer(
        model,
        frame,
        policy=Policy.infer(frame, protect=None),
        **{"target": 1, "at_least": 0.45, "plausibility": None, **changed},
    )


def pipeline() -> Any:
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()).fit(FRAME, GOOD)


def facts(one: Explanation) -> Any:
    """What an explanation says, without times."""
    return one.person, one.person_score, [(option.values, option.costs, option.score) for option in one]


@pytest.fixture
def hasty() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("kind", ["black box", "pipeline"])
def test_threads_share_no_labels(kind: str) -> None:
    job_costs = CostTable("own_cost", {"job": cost}, default=1.0)
    made = explainer(score, objectives=[job_costs]) if kind == "black box" else explainer(pipeline())
    rows = [{"age": 25, "job": "x" * (1 + number % 7) + str(number)} for number in range(60)]
    alone = [facts(made.explain(row)) for row in rows]
    assert any(options for _, _, options in alone)
    with ThreadPoolExecutor(6) as threads:
        shared = list(threads.map(made.explain, rows))
    assert [facts(one) for one in shared] == alone
    assert [facts(one) for one in made.explain_many(pd.DataFrame(rows))] == alone
    assert [coding.unseen for coding in problems_of(made).own.codebook] == [(), ()]


class Label(str):
    """A text whose end can be noticed."""

    __slots__ = ("__weakref__",)


def test_nothing_of_a_thousand_labels_is_kept() -> None:
    made = explainer(max_changes=1)
    made.explain({"age": 25, "job": "first"})
    before = len(pickle.dumps(problems_of(made).own.codebook))
    alive = []
    for first in range(0, 1000, 250):
        labels = [Label(f"new {number}") for number in range(first, first + 250)]
        alive += [weakref.ref(label) for label in labels]
        found = made.explain_many(pd.DataFrame({"age": 25, "job": pd.Series(labels, dtype=object)}))
        assert found[7].person["job"] == f"new {first + 7}"
        del labels, found
    gc.collect()
    assert not [label() for label in alive if label() is not None]
    assert len(pickle.dumps(problems_of(made).own.codebook)) == before


def test_a_label_that_only_the_library_knows_has_a_code_of_the_parsed_model() -> None:
    frame = FRAME.assign(job=pd.Categorical(FRAME["job"]))
    trees = HistGradientBoostingClassifier(max_iter=10, categorical_features="from_dtype").fit(frame, GOOD)
    known = frame[frame["job"] != "smith"].assign(job=lambda rows: rows["job"].cat.remove_unused_categories())
    book = codebook_of(known)
    models = parse_models([trees, score], reference=known, target=True, at_least=None, codebook=book)
    assert [(coding.labels, coding.unseen) for coding in book] == [(None, ()), (("clerk", "cook"), ())]
    wider = codebook_of_all(models, book)
    assert (wider["job"].unseen, wider["age"]) == (("smith",), book["age"])
    made = explainer(trees, known, target=True)
    people = pd.DataFrame({"age": [25, 30, 25], "job": ["smith", "pilot", "cook"]})
    own = trees.predict_proba(people.assign(job=pd.Categorical(people["job"])))[:, 1]
    np.testing.assert_allclose([one.person_score for one in made.explain_many(people)], own, atol=1e-12)
    assert [coding.unseen for coding in problems_of(made).own.codebook] == [(), ("smith",)]


def test_what_takes_a_row_or_an_explanation_decodes_its_labels() -> None:
    made = explainer(objectives=[CostTable("own_cost", {"job": cost}, default=1.0)])
    row = {"age": 25, "job": "astronauts"}
    found = made.explain(row)
    assert len(found)
    assert made.scores(pd.DataFrame([row])).tolist() == [found.person_score]
    checked = made.evaluate(row, found[0], explanation=found)
    assert checked.ok
    assert checked.costs == found[0].costs
    assert made.evaluate(row, {"job": "diver"}).changes == {"job": ("astronauts", "diver")}
    drawn = made.feature_map(found, "age", "job", size=5)
    assert drawn is not None
    narrow = Policy.infer(FRAME, protect=None).fix("job").within(age=(20, 26))
    none = made.explain(row, policy=narrow)
    (first, *_) = made.relaxations(none).relaxations
    assert first.counterfactual.values["job"] in (*JOBS, "astronauts")
