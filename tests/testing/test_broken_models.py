"""What is broken on purpose is caught, and the message says where."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.engine.scores.external import ACCEPT, Verdicts
from p2ce.engine.scores.score import Bound
from p2ce.models.decisions.adapter import Adapter
from p2ce.testing import check_adapter, check_model
from tests.optional import needs
from tests.testing.subjects import FRAME, QUICK, adapter_of, formula, logistic, network, tree


def fails(found: Adapter, match: str) -> None:
    with pytest.raises(AssertionError, match=match):
        check_adapter(found, FRAME, **QUICK)


def changed(found: Adapter, **parts: Any) -> Adapter:
    return replace(found, score=replace(found.score, **parts))


@dataclass(frozen=True)
class Lying:
    """A network's score that may say anything about boxes and cells."""

    honest: Any
    pruned_at: Callable[[int], bool] = lambda at: False
    accepts_all: bool = False
    people: Any = None

    @property
    def name(self) -> str:
        return "model"

    bound, flat, bounds_boxes = Bound.NETWORK, None, True

    def evaluate_rows(self, rows: Any) -> Verdicts:
        said = self.honest.evaluate_rows(rows)
        return said._replace(verdict=np.full_like(said.verdict, ACCEPT)) if self.accepts_all else said

    @property
    def accept_from(self) -> float:
        return self.honest.accept_from

    @property
    def reject_below(self) -> float:
        return self.honest.reject_below

    def prepare(self, placed: Any) -> "Lying":
        return replace(self, people=self.honest.prepare(placed))

    def evaluate(self, owner: Any, points: Any, *, until: Any = None) -> Verdicts:
        said = self.people.evaluate(owner, points, until=until)
        return said._replace(verdict=np.full_like(said.verdict, ACCEPT)) if self.accepts_all else said

    def prove(self, owner: Any, points: Any) -> Verdicts:
        return self.people.prove(owner, points)

    def infeasible(self, owner: Any, boxes: Any) -> np.ndarray:
        lies = np.array([self.pruned_at(at) for at in range(len(owner))])
        return self.people.infeasible(owner, boxes) | lies


def test_a_score_that_is_slightly_off_or_certain_too_early() -> None:
    found = adapter_of(tree())
    fails(changed(found, offset=found.score.offset + 1e-9), r"must be within .*expected .*got .*age=")
    found = adapter_of(logistic())
    moved = found.score.weights + np.eye(5)[0] * 1e-5
    fails(changed(found, weights=moved), "parsed score of this model .* must be within")
    early, late = found.score.accept_from - 0.2, found.score.reject_below + 0.2
    wrong = "may be certain that rows are {} only where"
    fails(changed(found, accept_from=early, reject_below=early - 1.0), wrong.format("accepted"))
    fails(changed(found, reject_below=late, accept_from=late + 1.0), wrong.format("rejected"))


def test_trees_behind_a_view_that_is_not_monotone() -> None:
    """All scores are right, but a cut on the grid no longer is one."""
    inner = tree()
    inner.fit(FRAME.abs(), (FRAME["balance"].abs() > 1.0).astype(int))
    found = adapter_of(inner)
    folded = changed(found, see=np.abs)
    fails(
        replace(folded, evaluate=lambda frame: found.evaluate(frame.abs())),
        "prunes a box, but|front that was found",
    )


def test_a_network_whose_bound_or_verdicts_lie() -> None:
    found = adapter_of(network())
    honest = replace(found, score=Lying(found.score))
    assert check_adapter(honest, FRAME, **QUICK).bound == "network"
    fails(replace(found, score=Lying(found.score, pruned_at=lambda at: at % 7 == 0)), "prunes a box")
    wrong = "by evaluate.* may be certain that rows are accepted"
    fails(replace(found, score=Lying(found.score, accepts_all=True)), wrong)


def test_a_bound_that_forgets_the_rounding_shows_at_exact_thresholds() -> None:
    """It says no just where the best cell of a box reaches the threshold."""
    model = network()

    def read(threshold: float | None = None) -> Adapter:
        from p2ce.models.parse_model import parse_model

        found = parse_model(model, reference=FRAME, at_least=threshold)
        score = replace(
            found.score,
            reject_below=found.score.reject_below + 1e-7,
            accept_from=found.score.accept_from + 1e-7,
        )
        return replace(found, score=score)

    with pytest.raises(AssertionError, match="prunes a box"):
        check_adapter(read(), FRAME, parse_at=read, **{**QUICK, "boxes": 400})


def unsteady() -> Callable[[pd.DataFrame], np.ndarray]:
    rng = np.random.default_rng(0)
    return lambda frame: formula(frame) + 1e-6 * rng.random()


def reusing() -> Callable[[pd.DataFrame], np.ndarray]:
    buffer = np.empty(10_000)

    def evaluate(frame: pd.DataFrame) -> np.ndarray:
        buffer[: len(frame)] = formula(frame)
        return buffer[: len(frame)]

    return evaluate


def writing(frame: pd.DataFrame) -> np.ndarray:
    values = formula(frame)
    frame["income"] = frame["income"] / 2.0
    return values


@pytest.mark.parametrize(
    ("explanation", "match"),
    [
        (unsteady(), "called again on the same rows"),
        (reusing(), "must return a new array"),
        (writing, "must not change the frame.*column 'income'"),
        (lambda frame: formula(frame)[:-1], "one float per row"),
        (lambda frame: formula(frame)[:, None], "one float per row"),
        (lambda frame: formula(frame) > 0.5, "one float per row"),
        (lambda frame: np.where(frame["age"] > 60, np.nan, 0.4), "finite numbers.*age="),
        (lambda frame: np.where(frame["age"] > 60, np.inf, 0.4), "finite numbers"),
        (
            lambda frame: formula(frame) - 0.1 * formula(frame).mean(),
            "the same score for a row every time.*size",
        ),
        (
            lambda frame: formula(frame) + 1e-7 * np.arange(len(frame)),
            "the same score for a row every time.*order",
        ),
        (lambda frame: formula(frame) + 1e-6 * (len(frame) == 1), "called on the row alone"),
        (lambda frame: formula(frame) + 1e-6 * (frame.columns[0] == "age"), "columns in another order"),
    ],
)
def test_outputs_that_nothing_can_be_concluded_from(
    explanation: Callable[[pd.DataFrame], Any], match: str
) -> None:
    fails(replace(adapter_of(formula), evaluate=explanation), match)


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        ({"classes": (1,)}, "two or more"),
        ({"scale": "odds"}, "scale of an adapter"),
        ({"threshold": 1.5}, "does not lie on its scale"),
        ({"tolerance": np.inf}, "tolerance of an adapter"),
        ({"columns": ("age", "age")}, "must be different columns"),
        ({"columns": ("age", "income")}, "columns of a model must be those of the reference"),
    ],
)
def test_terms_that_make_no_sense(parts: dict[str, Any], match: str) -> None:
    fails(replace(adapter_of(formula), **parts), match)


class Restless:
    """A model that changes when it is called, without any effect yet: a counter, or weights in place."""

    classes_ = np.array([0, 1])

    def __init__(self, part: str) -> None:
        self.part, self.weights_, self.calls_ = part, np.ones(3), 0

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        self.calls_ += self.part == "calls_"
        self.weights_ *= 0.5 if self.part == "weights_" else 1.0
        second = formula(frame)
        return np.column_stack([1.0 - second, second])


@pytest.mark.parametrize("part", ["calls_", "weights_"])
def test_a_model_that_changes_when_it_is_called(part: str) -> None:
    with pytest.raises(AssertionError, match=f"must not change the model .*, but attribute '{part}'"):
        check_model(Restless(part), FRAME, **QUICK)


def test_a_model_that_draws_from_the_global_generator() -> None:
    def seedless(frame: pd.DataFrame) -> np.ndarray:
        np.random.random()  # noqa: NPY002
        return formula(frame)

    with pytest.raises(AssertionError, match="global random generators"):
        check_model(seedless, FRAME, **QUICK)


@pytest.mark.torch
def test_a_module_that_counts() -> None:
    torch = needs("torch")

    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(5, 1)
            self.register_buffer("count", torch.zeros(1, dtype=torch.int64))

        def forward(self, rows: Any) -> Any:
            self.count += len(rows)
            return 3.0 * self.layer(rows) - 1.0  # no probabilities, whatever the weights

    torch.manual_seed(0)
    with pytest.raises(AssertionError, match=r"must not change the model .* tensor 'count' has changed"):
        check_model(Counting().double().eval(), FRAME / FRAME.max(), **QUICK)
