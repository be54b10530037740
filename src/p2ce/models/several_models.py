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
from p2ce.models.families.sklearn.own_threshold import loses_ties
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import Codebook


def parse_models(
    model: Any,
    *,
    reference: pd.DataFrame,
    target: Any,
    at_least: float | Sequence[float | None] | None,
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

    A ``margin`` is added to each threshold, on the scale that the model reports. It includes the
    ``score_tolerance``, by which a black box may score a row differently from call to call.
    """
    several = isinstance(model, list | tuple)
    models = list(model) if several else [model]
    if not models:
        raise UnsupportedModel("model is an empty list. Pass at least one fitted model.")
    least = _one_for_each(at_least, len(models), several=several)
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
    for one, given in zip(models, least, strict=True):
        parsed = parse_one(one, at_least=given, codebook=codebook)
        if not margin and given is None and loses_ties(one, parsed, target):
            threshold_above = float(np.nextafter(parsed.threshold, 1.0))
            parsed = parse_one(one, at_least=threshold_above, codebook=codebook)
        # Labels that only one library knows have one code for all models.
        codebook = parsed.codebook or codebook
        found.append(parsed)
    return tuple(found)


def codebook_of_all(models: Sequence[Adapter], codebook: Codebook) -> Codebook:
    """Return the codebook that models were parsed with, with the labels that only their libraries know."""
    return next((one.codebook for one in reversed(models) if one.codebook is not None), codebook)


def _one_for_each(at_least: Any, count: int, *, several: bool) -> list[Any]:
    if not isinstance(at_least, list | tuple | np.ndarray):
        return [at_least] * count
    if not several or len(at_least) != count:
        raise InvalidArgument(
            f"at_least has {len(at_least)} values for {count} model{'s' * (count != 1)}. "
            "Pass one number for all of them, or a list with one for each."
        )
    return list(at_least)


def _check_margin(margin: Any) -> None:
    is_number = isinstance(margin, numbers.Real) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin <= sys.float_info.max:
        raise InvalidArgument(
            "margin is how far beyond the threshold the score must be: a number of at least 0; "
            f"got {echoed(margin)}."
        )
