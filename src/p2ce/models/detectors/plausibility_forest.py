"""Specify the isolation forest that is fitted on the reference, by our own class or by scikit-learn's."""

import inspect
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from p2ce.base.calls.library import library_class
from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import check_count, check_seed, is_whole
from p2ce.errors import InvalidArgument
from p2ce.models.detectors.black_box_detector import DEFAULT_CONTAMINATION, check_contamination

LIBRARYS = frozenset({"IsolationForest"})  # scikit-learn's class
MOST_TREES = 100_000  # more would make no difference and exhaust the memory
# Parameters that control how scikit-learn runs, but do not affect the forest.
HARMLESS = frozenset({"n_jobs", "verbose", "warm_start"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlausibilityForest:
    """An isolation forest that p2ce fits on the reference population.

    You can also pass an unfitted scikit-learn `IsolationForest`, which specifies the same forest by its
    parameters. It is neither fitted nor changed. A parameter that p2ce does not support, such as
    ``max_features``, is an error.

    Args:
        contamination: the share of the reference that counts as implausible, above 0 and at most 0.5. "auto"
            uses scikit-learn's own threshold, a score of -0.5. None means the ``contamination`` of the
            explainer, or 0.05 if the explainer has none. If both are set, they must be equal.
        n_estimators: the number of trees.
        max_samples: the number of rows per tree. "auto" means 256, or all rows if there are fewer.
        random_state: the seed. None uses the seed of the explainer.

    The forest needs no preprocessing, and the model's preprocessing does not apply to it. It is fitted on the
    columns of the reference as you pass them.

    - Numbers and bools are used unchanged, as in scikit-learn. On such columns without missing values, the
      forest equals the one that scikit-learn fits with the same parameters and seed.
    - A category is represented by the rank of its label: the most frequent label is 0, the next 1. So rare
      labels lie far out, and a label that is not in the reference lies beyond all of them. Ordered categories
      keep their own order. The names of labels make no difference.
    - A missing number counts as one standard deviation below the smallest known value of its column, and a
      missing label as one rank before the first. So missing values are separate from all others, and as
      unusual as they are rare in the reference. scikit-learn would send them to one side of each split.
    - Dates do not count. They never change, and new people come after the reference.

    >>> PlausibilityForest(contamination=0.1).n_estimators
    100
    """

    contamination: float | Literal["auto"] | None = None
    n_estimators: int = 100
    max_samples: int | Literal["auto"] = "auto"
    random_state: int | None = None

    def __post_init__(self) -> None:
        if self.contamination is not None and not _is_auto(self.contamination):
            check_contamination(self.contamination)
        check_count("n_estimators", self.n_estimators, "trees", most=MOST_TREES)
        if not _is_auto(self.max_samples) and (not is_whole(self.max_samples) or int(self.max_samples) < 2):
            raise InvalidArgument(
                f"max_samples must be 'auto' or a whole number, at least 2; got {echoed(self.max_samples)}."
            )
        check_seed(self.random_state)


def specification_of(detector: Any) -> PlausibilityForest | None:
    """Return the forest to fit; None for a detector that is already fitted, or of another kind."""
    if isinstance(detector, PlausibilityForest):
        return detector
    kind: Any = library_class(detector, root="sklearn", names=LIBRARYS)
    if kind is not type(detector) or is_fitted(detector):  # a subclass may fit differently
        return None
    parameters = detector.get_params(deep=False)
    known = [field.name for field in fields(PlausibilityForest)]
    for name, default in inspect.signature(kind).parameters.items():
        given = parameters[name]
        changed = given != default.default or type(given) is not type(default.default)  # 1 is one, 1.0 all
        if name not in HARMLESS and name not in known and changed:
            raise InvalidArgument(
                f"{name}={echoed(parameters[name])} of this unfitted IsolationForest is not supported: p2ce "
                f"only uses {', '.join(known)} to fit it. Leave {name} at {echoed(default.default)}, or "
                "call .fit(X): a fitted forest is used unchanged."
            )
    return PlausibilityForest(**{name: parameters[name] for name in known})


def settled(detector: Any, contamination: float | None) -> Any:
    """Return a forest to fit with its share of outliers filled in; return other detectors unchanged.

    >>> settled(PlausibilityForest(), 0.1).contamination
    0.1
    >>> settled(PlausibilityForest(contamination=0.2), None).contamination
    0.2
    """
    forest = specification_of(detector)
    if forest is None:
        return detector
    if contamination is None:
        return (
            forest
            if forest.contamination is not None
            else replace(forest, contamination=DEFAULT_CONTAMINATION)
        )
    check_contamination(contamination)
    own = forest.contamination
    if own is not None and not _is_auto(own) and own != contamination:
        raise InvalidArgument(
            f"contamination={echoed(contamination)} contradicts the forest's own "
            f"contamination={echoed(own)}. State it once: on the explainer, or on the forest."
        )
    return replace(forest, contamination=contamination)


def is_fitted(forest: object) -> bool:
    """Return whether a forest of scikit-learn has trees."""
    return hasattr(forest, "estimators_")


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"
