"""Parse one model, or several that all have to accept."""

import math
import numbers
import sys
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import LEAD, PROBABILITY, ModelAdapter
from p2ce.errors import InvalidArgument, InvalidThreshold, UnsupportedModel
from p2ce.models.parse_model import parse_model
from p2ce.models.sklearn.own_threshold import loses_ties, own_threshold
from p2ce.tables.codebook import Codebook
from p2ce.visible import echoed


def parse_models(
    model: Any,
    *,
    reference: pd.DataFrame,
    target: Any,
    threshold: float | Sequence[float | None] | None,
    margin: float = 0.0,
    scale: str | None = None,
    reach: FloatArray | None = None,
    codebook: Codebook | None = None,
    codes: FloatArray | None = None,
    nullable: Collection[str] | None = None,
    black_box: bool = False,
) -> tuple[ModelAdapter, ...]:
    """Parse a model, or every model of a list; ``threshold`` is for all of them, or one for each.

    A ``margin`` is added to each threshold, on the scale that the model reports.
    """
    several = isinstance(model, list | tuple)
    models = list(model) if several else [model]
    if not models:
        raise UnsupportedModel("model is an empty list. Pass at least one fitted model.")
    thresholds = _one_for_each(threshold, len(models), several=several)
    _check_margin(margin)
    found = []
    parse_one = partial(
        parse_model,
        reference=reference,
        scale=scale,
        reach=reach,
        codebook=codebook,
        codes=codes,
        nullable=nullable,
        black_box=black_box,
    )
    for one, given in zip(models, thresholds, strict=True):
        parsed = parse_one(one, target=target, threshold=given)
        if margin and parsed.scale == LEAD:
            parsed = parse_one(one, target=_narrowed(target, margin), threshold=given)
        elif margin and given is None and own_threshold(one) is not None:
            parsed = parse_one(one, target=target, threshold=None, margin=margin)
        elif margin:
            wanted = parsed.threshold + margin
            if parsed.scale == PROBABILITY and not 0.0 <= wanted <= 1.0:
                raise InvalidArgument(
                    f"margin={echoed(margin)} on top of the threshold {parsed.threshold:g} is a "
                    f"probability of {wanted:g}. Keep their sum in [0, 1]."
                )
            parsed = parse_one(one, target=target, threshold=wanted)
        elif given is None and loses_ties(one, parsed, target):
            parsed = parse_one(one, target=target, threshold=float(np.nextafter(parsed.threshold, 1.0)))
        found.append(parsed)
    return tuple(found)


def _narrowed(target: Any, margin: float) -> Any:
    """Move the ends of a wanted range inwards."""
    if not isinstance(target, tuple | list):
        raise InvalidArgument(
            f"margin={echoed(margin)} has no scale where class {echoed(target)} must win. Pass the "
            "threshold that its probability has to reach instead."
        )
    low, high = (
        (-math.inf if target[0] is None else target[0]),
        (math.inf if target[1] is None else target[1]),
    )
    if low + margin > high - margin:
        raise InvalidArgument(
            f"margin={echoed(margin)} leaves nothing of the range {echoed(target)}. Pass a smaller one."
        )
    return low + margin, high - margin


def _one_for_each(threshold: Any, count: int, *, several: bool) -> list[Any]:
    if not isinstance(threshold, list | tuple | np.ndarray):
        return [threshold] * count
    if not several or len(threshold) != count:
        raise InvalidThreshold(
            f"threshold has {len(threshold)} values for {count} model{'s' * (count != 1)}. "
            "Pass one number for all of them, or a list with one for each."
        )
    return list(threshold)


def _check_margin(margin: Any) -> None:
    is_number = isinstance(margin, numbers.Real) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin <= sys.float_info.max:
        raise InvalidArgument(
            f"margin is how far beyond the threshold the score has to be, 0 or more; got {echoed(margin)}."
        )
