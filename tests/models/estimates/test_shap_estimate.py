"""Check that the options of the estimate are understood or rejected with advice."""

import pytest

from p2ce.errors import InvalidArgument
from p2ce.models.estimates.shap_estimate import ShapEstimate


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"explainer": "tre"}, "'tree'"),
        ({"explainer": None}, "'auto', 'sampling'"),
        ({"single_changes": 1}, "True or False"),
        ({"miss_rate": 0.0}, "above 0 and below 1"),
        ({"miss_rate": 1}, "above 0 and below 1"),
        ({"miss_rate": "1%"}, "above 0 and below 1"),
        ({"miss_rate": float("nan")}, "above 0 and below 1"),
        ({"sample_size": 0}, "sample_size must be a whole number"),
        ({"sample_size": 10.5}, "sample_size must be a whole number"),
        ({"background": True}, "background must be a whole number"),
        ({"rows_per_candidate": -1}, "rows_per_candidate must be a whole number"),
        ({"max_evaluations": 0}, "max_evaluations must be a whole number"),
        ({"time_limit": 0}, "above 0"),
        ({"time_limit": float("nan")}, "above 0"),
        ({"random_state": -1}, "2\\*\\*32 - 1"),
        ({"random_state": 1.5}, "2\\*\\*32 - 1"),
    ],
)
def test_nonsense_is_rejected_with_advice(options: dict[str, object], advice: str) -> None:
    with pytest.raises(InvalidArgument, match=advice):
        ShapEstimate(**options)  # type: ignore[arg-type]
