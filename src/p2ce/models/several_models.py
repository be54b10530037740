"""Parse one model, or several that must all accept."""

import numbers
import sys
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, UnsupportedModel
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.decisions.row_format import REGRESSOR, declared_kind
from p2ce.models.families.sklearn.own_threshold import loses_ties
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import Codebook


def parse_models(
    model: Any,
    *,
    reference: pd.DataFrame,
    target: Any,
    at_least: float | Sequence[float | None] | None,
    at_most: float | Sequence[float] | None = None,
    margin: float = 0.0,
    score_tolerance: float = 0.0,
    scale: str | None = None,
    reach: FloatArray | None = None,
    codebook: Codebook | None = None,
    codes: FloatArray | None = None,
    nullable: Collection[str] | None = None,
    black_box: bool = False,
) -> tuple[Adapter, ...]:
    """Parse a model, or every model of a list; ``at_least`` applies to all, or is a list with one for each.

    So does ``at_most``. A ``margin`` moves each limit inwards, on the scale that the model reports. It
    includes the ``score_tolerance``, by which a black box may score a row differently from call to call.
    """
    several = isinstance(model, list | tuple)
    models = list(model) if several else [model]
    if not models:
        raise UnsupportedModel("model is an empty list. Pass at least one fitted model.")
    least = _one_for_each("at_least", at_least, len(models), several=several)
    most = _one_for_each("at_most", at_most, len(models), several=several)
    if at_most is not None and None in most:
        raise InvalidArgument(
            f"at_most={echoed(at_most)} leaves a model without a limit. Pass a number for each."
        )
    _check_margin(margin)
    found = []
    parse_one = partial(
        parse_model,
        reference=reference,
        target=target,
        margin=margin,
        score_tolerance=score_tolerance,
        scale=scale,
        reach=reach,
        codes=codes,
        nullable=nullable,
        black_box=black_box,
    )
    for one, low, high in zip(models, least, most, strict=True):
        parsed = parse_one(one, at_least=low, at_most=high, codebook=codebook)
        if not margin and low is None and high is None and loses_ties(one, parsed, target):
            threshold_above = float(np.nextafter(parsed.threshold, 1.0))
            parsed = parse_one(one, at_least=threshold_above, codebook=codebook)
        # Labels that only one library knows have one code for all models.
        codebook = parsed.codebook or codebook
        found.append(parsed)
    return tuple(found)


def predict_numbers(model: Any) -> bool:
    """Return whether the model, or each of several, says that it is a regressor."""
    models = model if isinstance(model, list | tuple) else [model]
    return bool(models) and all(declared_kind(one) == REGRESSOR for one in models)


def codebook_of_all(models: Sequence[Adapter], codebook: Codebook) -> Codebook:
    """Return the codebook that models were parsed with, with the labels that only their libraries know."""
    return next((one.codebook for one in reversed(models) if one.codebook is not None), codebook)


def _one_for_each(name: str, given: Any, count: int, *, several: bool) -> list[Any]:
    if not isinstance(given, list | tuple | np.ndarray):
        return [given] * count
    if not several or len(given) != count:
        raise InvalidArgument(
            f"{name} has {len(given)} values for {count} model{'s' * (count != 1)}. "
            "Pass one number for all of them, or a list with one for each."
        )
    return list(given)


def _check_margin(margin: Any) -> None:
    is_number = isinstance(margin, numbers.Real) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin <= sys.float_info.max:
        raise InvalidArgument(
            "margin is how far inside its limit the score must be: a number of at least 0; "
            f"got {echoed(margin)}."
        )
