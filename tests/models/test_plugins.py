"""Is a family that lives in a separate package found, checked, and named where it is broken?"""

import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce.base import plugins
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.score import FlatScore, Spending, seen_as_given
from p2ce.errors import BrokenPlugin, InvalidArgument, InvalidOutput, UnsupportedModel
from p2ce.models.contract.margins import IDENTITY, ClassOutputs, NumberOutput, ParsedModel
from p2ce.models.contract.weighted_sums import WeightedSums
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.detectors.parse_detector import parse_detector
from p2ce.models.fitted import require_library_class
from p2ce.models.parse_model import parse_model
from p2ce.testing import check_detector, check_model
from tests.docs.running import reading_in
from tests.models.laws import assert_conforms

PACKAGE = Path(__file__).parent / "scorecards"
PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("page", ["src/p2ce/extend.py", "docs/how-to/extend.md"])
def test_the_documented_entry_points_are_those_that_are_looked_up(page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    assert set(re.findall(r'entry-points\."(.+?)"', text)) == set(plugins.GROUPS.values())


@contextmanager
def installed(folder: Path, points: dict[str, dict[str, str]]) -> Iterator[None]:
    """Lay the package out as an installer does: its modules, and metadata that name its entry points."""
    shutil.copytree(PACKAGE, folder, dirs_exist_ok=True)
    metadata = folder / f"{PROJECT['name']}-{PROJECT['version']}.dist-info"
    metadata.mkdir()
    named = f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
    (metadata / "METADATA").write_text(named, encoding="utf-8")
    groups = [
        [f"[{group}]", *(f"{name} = {value}" for name, value in of.items())] for group, of in points.items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(chain(*groups)), encoding="utf-8")
    plugins._from_entry_points.cache_clear()
    try:
        with reading_in(folder):
            yield
    finally:
        plugins._from_entry_points.cache_clear()


def test_an_installed_package_adds_a_family_and_a_detector(tmp_path: Path) -> None:
    people = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0, 5.0] * 4, "debts": [3.0, 1.0, 2.0, 0.0] * 5})
    with installed(tmp_path, PROJECT["entry-points"]):
        scorecard = import_module("scorecard")
        model = scorecard.Scorecard({"income": (2.5, -1.0, 2.0), "debts": (1.5, 0.5, -1.5)})
        detector = scorecard.Ranges({"income": (1.0, 4.0)})
        assert check_model(model, people, rows=100, boxes=20, people=2).family == "scorecard"
        check_detector(detector, people, rows=100)
        explainer = p2ce.Explainer(model, people, target=1, plausibility=detector, max_changes=2)
        found = explainer.explain(people.iloc[0])
    assert found.certificate.model_family == "scorecard"
    assert found.status is p2ce.Status.OPTIMAL


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("no_such_module", "ModuleNotFoundError"),
        ("scorecard", "needs recognises"),
        ("scorecard:Ranges", "needs"),
    ],
)
def test_a_broken_package_is_named_clearly(tmp_path: Path, value: str, why: str) -> None:
    message = f"'cards' of package scorecards 1.2.*{why}"
    with (
        installed(tmp_path, {"p2ce.model_families": {"cards": value}}),
        pytest.raises(BrokenPlugin, match=message),
    ):
        parse_model(Threshold(), reference=pd.DataFrame({"a": [0.0, 1.0]}))


class Threshold:
    """A model that no built-in family knows."""

    classes_ = np.array([0, 1])

    def decision_function(self, rows: pd.DataFrame) -> np.ndarray:
        return rows["a"].to_numpy() * 2.0 - 1.0


class ThresholdFamily:
    """A family that parses it as a weighted sum."""

    def recognises(self, model: object) -> bool:
        return isinstance(model, Threshold)

    def parse(self, model: Threshold, request: object) -> object:
        sums = WeightedSums(
            columns=("a",), weights=np.array([[2.0]]), intercepts=np.array([-1.0]), reach=np.array([64.0])
        )
        outputs = ClassOutputs(names=(0, 1), decision_values=model.decision_function)
        return ParsedModel(family="threshold", margins=sums, outputs=outputs)


def test_a_registered_family_comes_before_the_black_box() -> None:
    frame = pd.DataFrame({"a": np.linspace(-1.0, 2.0, 50)})
    assert parse_model(Threshold(), reference=frame).score is None
    family = ThresholdFamily()
    p2ce.register(family)
    try:
        found, _ = assert_conforms(Threshold(), frame, undecided=0.1)
        assert found.family == "threshold"
        p2ce.register(family)
        assert [one.family for one in plugins.families_of("model", ())].count(family) == 1
    finally:
        plugins.unregister(family)
    assert parse_model(Threshold(), reference=frame).score is None


def test_what_is_no_family_is_rejected() -> None:
    with pytest.raises(InvalidArgument, match="a family needs recognises"):
        p2ce.register(object())  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="'model' or 'detector'"):
        p2ce.register(ThresholdFamily(), kind="rule")  # type: ignore[arg-type]


def test_a_family_that_returns_something_else_is_named() -> None:
    class Odd(ThresholdFamily):
        def parse(self, model: Threshold, request: object) -> object:
            return 1.0

    family = Odd()
    p2ce.register(family)
    try:
        with pytest.raises(BrokenPlugin, match="must return a ParsedModel; for Threshold it returned float"):
            parse_model(Threshold(), reference=pd.DataFrame({"a": [0.0, 1.0]}))
    finally:
        plugins.unregister(family)


@contextmanager
def registered(
    parse: Callable[[Any, Any], Any], kind: Literal["model", "detector"] = "model"
) -> Iterator[None]:
    """Register a family of `Threshold`, and of `Linear`, for a while."""

    class Family:
        def recognises(self, thing: object) -> bool:
            return isinstance(thing, Threshold | Linear)

    family: Any = Family()
    family.parse = parse
    p2ce.register(family, kind=kind)
    try:
        yield
    finally:
        plugins.unregister(family)


REFERENCE = pd.DataFrame({"a": np.linspace(-1.0, 2.0, 50)})


def sums(count: int = 1, columns: tuple[str, ...] = ("a",)) -> WeightedSums:
    width = len(columns)
    return WeightedSums(
        columns=columns,
        weights=np.ones((count, width)),
        intercepts=np.zeros(count),
        reach=np.full(width, 64.0),
    )


def decide(rows: pd.DataFrame) -> np.ndarray:
    return rows["a"].to_numpy() * 2.0 - 1.0


TWO = ClassOutputs(names=(0, 1), decision_values=decide)


@pytest.mark.parametrize(
    ("margins", "outputs", "message"),
    [
        (sums(columns=("b",)), TWO, r"columns must be those of the reference, \('a',\); got \('b',\)"),
        (sums(), "two classes", "outputs must be ClassOutputs or NumberOutput; got str"),
        (
            sums(),
            ClassOutputs(names=(0, 1)),
            "needs probabilities= or decision_values=, .*got neither",
        ),
        (sums(), replace(TWO, link=IDENTITY), "link= must be a function .*got OutputLink"),
        (sums(3), TWO, "2 classes need one margin, or one margin each; got 3"),
        (sums(), replace(TWO, names=(0, 1, 2)), "3 classes need one margin each; got 1"),
        (sums(2), NumberOutput(predict=decide), "a NumberOutput needs one margin; got 2"),
    ],
)
def test_a_parsed_model_that_does_not_fit_together_is_the_familys_fault(
    margins: WeightedSums, outputs: Any, message: str
) -> None:
    parsed = ParsedModel(family="threshold", margins=margins, outputs=outputs)
    with (
        registered(lambda *_: parsed),
        pytest.raises(BrokenPlugin, match=rf"The parsed model \(threshold\) .*{message}"),
    ):
        parse_model(Threshold(), reference=REFERENCE)


def test_weights_of_another_shape_are_the_familys_fault() -> None:
    with pytest.raises(BrokenPlugin, match=r"weights of shape \(sums, 1\).*got \(1, 2\), \(1,\) and \(1,\)"):
        WeightedSums(columns=("a",), weights=np.ones((1, 2)), intercepts=np.zeros(1), reach=np.ones(1))


def test_a_family_that_requires_another_library_says_so() -> None:
    with pytest.raises(UnsupportedModel, match="Threshold is none of sklearn's DecisionTreeClassifier"):
        require_library_class(Threshold(), root="sklearn", names=frozenset({"DecisionTreeClassifier"}))


class Linear(ClassifierMixin, BaseEstimator):
    """A classifier for the end of a Pipeline."""

    def fit(self, rows: Any, label: Any) -> "Linear":
        self.classes_, self.n_features_in_ = np.array([0, 1]), 1
        return self

    def predict_proba(self, rows: Any) -> np.ndarray:
        second = 1.0 / (1.0 + np.exp(-np.asarray(rows)[:, 0]))
        return np.stack([1.0 - second, second], axis=1)

    def predict(self, rows: Any) -> np.ndarray:
        return (self.predict_proba(rows)[:, 1] >= 0.5).astype(int)


def flat(**changed: Any) -> FlatScore:
    weights = {} if "forest" in changed or "spending" in changed else {"weights": np.ones(1)}
    known = {"name": "model", "column_count": 1, "accept_from": 0.1, "reject_below": -0.1}
    return FlatScore(**{**known, **weights, **changed})


def adapter(columns: tuple[str, ...] = ("a",), **changed: Any) -> Adapter:
    known = {"family": "own", "score": flat(), "evaluate": decide, "report": seen_as_given, "tolerance": 1.0}
    return Adapter(columns=columns, **{**known, **changed})


@pytest.mark.parametrize("score", ["none", "trees that see otherwise", "neither trees nor weights"])
def test_a_pipeline_in_front_of_what_it_cannot_rewrite_is_a_black_box(score: str) -> None:
    model = make_pipeline(StandardScaler(), Linear()).fit(REFERENCE.to_numpy(), np.arange(50) % 2)
    forest = parse_model(tree(), reference=REFERENCE).score.forest  # type: ignore[union-attr]
    spending = Spending(columns=(0,), of=lambda column, values, current: np.zeros_like(values))
    own = {
        "none": None,
        "trees that see otherwise": flat(forest=forest, see=np.negative),
        "neither trees nor weights": flat(spending=spending),
    }[score]

    def parse(_: Any, request: Any) -> Adapter:
        names = tuple(map(str, request.reference.columns))
        values = lambda rows: 1.0 / (1.0 + np.exp(-rows.to_numpy()[:, 0]))  # noqa: E731
        return adapter(names, score=own, evaluate=values, scale="probability", threshold=0.5, classes=(0, 1))

    with registered(parse):
        assert parse_model(model, reference=REFERENCE).family == "black box (Pipeline)"


def tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=2).fit(REFERENCE, np.arange(50) > 25)


def test_two_scores_of_a_model_with_one_threshold_are_the_familys_fault() -> None:
    inner = Linear().fit(REFERENCE, np.arange(50) % 2)
    model = FixedThresholdClassifier(inner, threshold=0.4, pos_label=1).fit(REFERENCE, np.arange(50) % 2)
    parsed = adapter(also=(flat(),), scale="probability", threshold=0.4, classes=(0, 1))
    with (
        registered(lambda *_: parsed),
        pytest.raises(BrokenPlugin, match=r"model \(own\) must have one score, .*; got 2"),
    ):
        parse_model(model, reference=REFERENCE, target=0)


NETWORK = NetworkScore(
    name="own",
    column_count=1,
    layers=(Layer(weights=np.ones((1, 1)), bias=np.zeros(1)),),
    accept_from=0.1,
    reject_below=-0.1,
    see=seen_as_given,
    unit=2.0**-53,
)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            adapter(columns=("b",)),
            r"columns of the detector \(own\) must be columns of the reference, a",
        ),
        (adapter(score=NETWORK), "must be a FlatScore, or None for a black box; got NetworkScore"),
        (adapter(score="forest"), "must be a FlatScore, or None for a black box; got str"),
        (adapter(threshold=0.5), "one score with the threshold 0, and report.*got threshold=0.5"),
        (adapter(also=(flat(),)), "2 scores"),
        (adapter(report=None), "report=None"),
        (adapter(reach=np.ones(1)), "states reach, which only models are parsed for again"),
        (1.0, "must return an Adapter; for Threshold it returned float"),
    ],
)
def test_a_detector_that_does_not_fit_together_is_the_plugins_fault(made: Any, message: str) -> None:
    with registered(lambda *_: made, "detector"), pytest.raises(BrokenPlugin, match=message):
        parse_detector(Threshold(), reference=REFERENCE)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tolerance": None}, "own needs a tolerance of 0 or more, got None"),
        ({"tolerance": -1.0}, "own needs a tolerance of 0 or more, got -1.0"),
        ({"tolerance": np.nan}, "own needs a tolerance of 0 or more, got nan"),
    ],
)
def test_an_adapter_is_checked_when_it_is_made(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BrokenPlugin, match=message):
        adapter(**given)


def test_a_detector_that_lets_another_be_parsed_is_the_plugins_fault() -> None:
    with (
        registered(lambda detector, request: request.parse(detector, request), "detector"),
        pytest.raises(BrokenPlugin, match="parses a model inside another one, and no detector"),
    ):
        parse_detector(Threshold(), reference=REFERENCE)


def test_a_plugins_calls_are_checked_and_their_errors_name_it() -> None:
    """Also those of a detector that was parsed again, for missing values in other columns."""
    wide = adapter(evaluate=lambda rows: np.zeros((len(rows), 2)))
    made = replace(wide, again=lambda _: wide)
    with registered(lambda *_: made, "detector"):
        found = parse_detector(Threshold(), reference=REFERENCE)
    assert found is not None
    assert found.again is not None
    for one in (found, found.again(frozenset("a"))):
        with pytest.raises(InvalidOutput, match=r"detector \(own\) must return one number per row"):
            one.evaluate(REFERENCE)
    parsed = ParsedModel(family="own", margins=sums(), outputs=replace(TWO, decision_values=lambda _: 1 / 0))
    with registered(lambda *_: parsed), pytest.raises(InvalidOutput, match=r"model \(own\) raised ZeroDiv"):
        parse_model(Threshold(), reference=REFERENCE)
