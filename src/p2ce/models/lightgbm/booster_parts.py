"""Take a fitted LightGBM model apart: its trees, its objective, its columns and how it sees them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

from p2ce.decisions.model_adapter import Request, columns_by_count, columns_by_name, feeder
from p2ce.errors import InvalidReference, NotFitted, UnsupportedModel
from p2ce.models.category_codes import Seen, library_codes
from p2ce.models.lightgbm.model_text import split_text
from p2ce.models.sklearn.fitted_attributes import require_own
from p2ce.tables.codebook import Coding
from p2ce.visible import echoed, listed

FAMILY = "LightGBM"
NAMES = frozenset({"Booster", "LGBMClassifier", "LGBMRegressor"})


class Parts(NamedTuple):
    """A fitted model taken apart."""

    kind: str
    model: Any
    objective: str
    options: dict[str, str]
    blocks: list[dict[str, str]]  # one per tree
    per_round: int  # trees per round of boosting: one for each of several classes
    divisor: float  # of the sum over the trees: their number in random-forest mode
    columns: tuple[str, ...]
    seen: tuple[Seen, ...]
    feed: Callable[[pd.DataFrame], Any]

    @property
    def call(self) -> Callable[[Any], Any]:
        """The user's own scoring method; by an objective of one's own, a classifier has raw sums only."""
        method: Callable[[Any], Any] = self.model.predict
        if self.kind == "LGBMClassifier":
            method = self.model.predict_proba if self.objective else self.model.booster_.predict
        return method


def take_apart(model: Any, request: Request) -> Parts:
    """Take the trees that ``predict`` uses, up to the best iteration of early stopping."""
    kind = require_own(model, root="lightgbm", names=NAMES).__name__
    estimator = kind != "Booster"
    if estimator and not model.__sklearn_is_fitted__():
        raise NotFitted(f"This {kind} is not fitted. Call .fit(X, y) on it before passing it on.")
    booster = model.booster_ if estimator else model
    require_own(booster, root="lightgbm", names=NAMES)
    _refuse_early_stop(model.get_params() if estimator else booster.params)
    used = booster.best_iteration if booster.best_iteration > 0 else -1
    header, blocks = split_text(booster.model_to_string(num_iteration=used))
    objective, *options = header.get("objective", "").split(" ")
    columns, seen, feed = _columns(booster, request)
    per_round = int(header.get("num_tree_per_iteration", "1"))
    return Parts(
        kind=kind,
        model=model,
        objective=objective,
        options={key: value for key, _, value in (option.partition(":") for option in options)},
        blocks=blocks,
        per_round=per_round,
        divisor=float(len(blocks) // per_round) if "average_output" in header else 1.0,
        columns=columns,
        seen=seen,
        feed=feed,
    )


def _refuse_early_stop(params: dict[str, Any]) -> None:
    if params.get("pred_early_stop"):
        raise UnsupportedModel(
            "LightGBM with pred_early_stop=True stops adding trees once a row looks decided, so its scores "
            "are not sums over all trees. Set pred_early_stop=False."
        )


def _columns(
    booster: Any, request: Request
) -> tuple[tuple[str, ...], tuple[Seen, ...], Callable[[pd.DataFrame], Any]]:
    """Settle the columns, how LightGBM sees each, and how rows are handed over."""
    names = booster.feature_name()
    unnamed = names == [f"Column_{position}" for position in range(len(names))]
    # LightGBM turns blanks in names into underscores, so they are undone by looking at the reference.
    known = {str(label).replace(" ", "_"): str(label) for label in request.reference.columns}
    if unnamed and set(names) != set(known):
        columns = columns_by_count(len(names), request.reference)
    else:
        columns = columns_by_name([known.get(name, name) for name in names], request.reference)

    fitted = list(booster.pandas_categorical or [])
    codings = [request.codebook[name] for name in columns]
    text = [coding for coding in codings if not _is_taken(coding)]
    if text:
        raise InvalidReference(
            f"LightGBM takes numbers and pandas categories, and column {echoed(text[0].name)} of the "
            f"reference frame holds {text[0].dtype}. Make it what it was for fitting, by .astype('category')."
        )
    categories = [coding.name for coding in codings if coding.is_category]
    # LightGBM takes the first column of categories of a frame for its first one, and so on.
    if len(fitted) != len(categories):
        raise InvalidReference(
            f"LightGBM was fitted on {len(fitted)} columns of pandas categories, the reference frame has "
            f"{len(categories)} ({listed(categories[:5])}). Give every column the type that it "
            "had for fitting."
        )
    places = iter(fitted)
    seen = tuple(
        Seen(
            coding.name in request.may_miss,
            library_codes(coding, next(places)) if coding.is_category else None,
        )
        for coding in codings
    )
    # Categories are only known by frames.
    return columns, seen, feeder(columns, request.reference, named=bool(categories) or not unnamed)


def _is_taken(coding: Coding) -> bool:
    return not coding.is_category or isinstance(coding.dtype, pd.CategoricalDtype)
