"""Check that the options of the estimate are understood or rejected with advice."""

import pytest

from p2ce.errors import InvalidArgument
from p2ce.estimates.shap_estimate import ShapEstimate


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"explainer": "tre"}, "'tree'"),
        ({"explainer": None}, "'auto', 'sampling'"),
        ({"personal": 1}, "True or False"),
        ({"miss_rate": 0.0}, "above 0 and below 1"),
        ({"miss_rate": 1}, "above 0 and below 1"),
        ({"miss_rate": "1%"}, "above 0 and below 1"),
        ({"miss_rate": float("nan")}, "above 0 and below 1"),
        ({"people": 0}, "people must be a whole number"),
        ({"people": 10.5}, "people must be a whole number"),
        ({"background": True}, "background must be a whole number"),
        ({"rows": -1}, "rows must be a whole number"),
        ({"evaluations": 0}, "evaluations must be a whole number"),
        ({"seconds": 0}, "above 0"),
        ({"seconds": float("nan")}, "above 0"),
        ({"random_state": -1}, "2\\*\\*32 - 1"),
        ({"random_state": 1.5}, "2\\*\\*32 - 1"),
    ],
)
def test_nonsense_is_rejected_with_advice(options: dict[str, object], advice: str) -> None:
    with pytest.raises(InvalidArgument, match=advice):
        ShapEstimate(**options)  # type: ignore[arg-type]
