"""Is a plug-in that fails named, and is its error not taken for one of the model or of this library?"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.errors import BrokenPlugin, NotFitted
from p2ce.extend import (
    Adapter,
    FlatScore,
    ParseRequest,
    UnsupportedDetector,
    UnsupportedModel,
    check_detector,
    summation_error,
    unregister,
)
from p2ce.models.detectors.parse_detector import parse_detector
from p2ce.models.parse_model import parse_model

FRAME = pd.DataFrame({"a": np.linspace(-1.0, 2.0, 50)})


class Ranges:
    """A detector of its own class."""

    def decision_function(self, rows: pd.DataFrame) -> np.ndarray:
        return rows["a"].to_numpy() * 2.0 - 1.0


class Card(Ranges):
    """A model of its own class."""

    classes_ = np.array([0, 1])


class Cards:
    """A family that fails with an error, in one of its functions."""

    def __init__(self, function: str, error: Exception) -> None:
        self.function, self.error = function, error

    def recognises(self, model: object) -> bool:
        if self.function == "recognises":
            raise self.error
        return isinstance(model, Ranges)

    def parse(self, model: Ranges, request: ParseRequest) -> Any:
        raise self.error


@contextmanager
def registered(family: Any, kind: Any) -> Iterator[None]:
    p2ce.register(family, kind=kind)
    try:
        yield
    finally:
        unregister(family)


@pytest.mark.parametrize(
    ("kind", "parse", "thing"), [("model", parse_model, Card()), ("detector", parse_detector, Ranges())]
)
@pytest.mark.parametrize("function", ["recognises", "parse"])
@pytest.mark.parametrize("error", [KeyError("cut"), ValueError("odd"), AttributeError("points")], ids=repr)
def test_an_error_of_a_family_names_it(
    kind: str, parse: Any, thing: Any, function: str, error: Exception
) -> None:
    raised = rf"{function}\(\) raised {type(error).__name__}: .* for {type(thing).__name__}"
    message = rf"registered {kind} family .*Cards: {raised}"
    with registered(Cards(function, error), kind), pytest.raises(BrokenPlugin, match=message) as caught:
        parse(thing, reference=FRAME)
    assert caught.value.__cause__ is error
    parse(thing, reference=FRAME)  # without the family, it is a black box


def test_an_unsupported_object_is_a_black_box_and_other_errors_of_p2ce_pass() -> None:
    with registered(Cards("parse", UnsupportedModel("too old")), "model"):
        assert parse_model(Card(), reference=FRAME).score is None
    with registered(Cards("parse", UnsupportedDetector("too old")), "detector"):
        assert parse_detector(Ranges(), reference=FRAME).family == "black box (Ranges)"  # type: ignore[union-attr]
    with registered(Cards("parse", NotFitted("Fit it first.")), "model"), pytest.raises(NotFitted):
        parse_model(Card(), reference=FRAME)


class Affordable:
    """A detector that p2ce cannot call without a family, with one threshold."""

    def value(self, rows: pd.DataFrame) -> np.ndarray:
        return rows["income"].to_numpy() * 0.3 - rows["loan"].to_numpy()


class AffordableFamily:
    """Its score is a weighted sum, with an error band."""

    def recognises(self, detector: object) -> bool:
        return isinstance(detector, Affordable)

    def parse(self, detector: Affordable, request: ParseRequest) -> Adapter:
        if request.contamination is not None:
            raise UnsupportedDetector("It has its own threshold.")
        band = summation_error(4, 1e9)
        weights = np.array([0.3, -1.0])
        return Adapter(
            family="affordable",
            columns=("income", "loan"),
            score=FlatScore(
                name="detector", column_count=2, weights=weights, accept_from=band, reject_below=-band
            ),
            evaluate=detector.value,
            report=lambda scores: scores,
        )


def test_a_detector_with_one_threshold_conforms_and_takes_no_contamination() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"loan": rng.integers(1, 30, 200), "income": rng.normal(60.0, 20.0, 200).round(1)})
    with registered(AffordableFamily(), "detector"):
        report = check_detector(Affordable(), frame, rows=300, boxes=40, people=1)
        assert (report.family, report.bound, report.thresholds) == ("affordable", "additive", 1)
        assert report.pruned > 0
        with pytest.raises(UnsupportedDetector, match="own threshold"):
            parse_detector(Affordable(), reference=frame, contamination=0.1)
