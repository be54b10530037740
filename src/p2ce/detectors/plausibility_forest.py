"""Specify the isolation forest that is fitted on the reference, by our own class or scikit-learn's."""

import inspect
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from p2ce.adapters.library import library_class
from p2ce.detectors.black_box_detector import DEFAULT_CONTAMINATION, check_contamination
from p2ce.errors import InvalidArgument
from p2ce.visible import echoed
from p2ce.whole_numbers import check_count, check_seed, is_whole

LIBRARYS = frozenset({"IsolationForest"})  # scikit-learn's class
MOST_TREES = 100_000  # more make no difference, and would fill the memory
# What says how scikit-learn works, and nothing about the forest that it grows.
HARMLESS = frozenset({"n_jobs", "verbose", "warm_start"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlausibilityForest:
    """An isolation forest that p2ce fits on the reference population.

    An unfitted scikit-learn `IsolationForest` specifies the same forest by its own parameters. It is neither
    fitted nor changed. A parameter that p2ce cannot honour, such as ``max_features``, is an error.

    Args:
        contamination: the share of the reference that counts as implausible, above 0 and at most 0.5. "auto"
            takes scikit-learn's own threshold, a score of -0.5. None means 0.05, or the ``contamination`` of
            the explainer. Where both state a share, the two have to be equal.
        n_estimators: the number of trees.
        max_samples: the number of rows per tree. "auto" means 256, or all of them if there are fewer.
        random_state: the seed; None for that of the explainer.

    The forest needs no preprocessing, and sees none of the model's: it is fitted on the columns of the
    reference as they are passed.

    - Numbers and bools enter as they are, as in scikit-learn. On such columns without missing values, the
      forest is the one that scikit-learn fits with the same parameters and seed.
    - A category counts by the rank of its label: the commonest label is 0, the next 1. So rare labels lie far
      out, and a label that the reference does not have lies beyond all of them. Ordered categories count in
      their own order. What labels are called changes nothing.
    - A missing number counts as one standard deviation below the smallest known value of its column, a
      missing label as one rank before the first. Missing values are then apart from the others, and as
      unusual as they are rare in the reference. scikit-learn would send them to one side of each split.

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
    """Return the forest that is to be fitted; None for a detector that is fitted, or of another kind."""
    if isinstance(detector, PlausibilityForest):
        return detector
    kind: Any = library_class(detector, root="sklearn", names=LIBRARYS)
    if kind is not type(detector) or is_fitted(detector):  # a subclass may fit otherwise
        return None
    parameters = detector.get_params(deep=False)
    known = [field.name for field in fields(PlausibilityForest)]
    for name, default in inspect.signature(kind).parameters.items():
        given = parameters[name]
        changed = given != default.default or type(given) is not type(default.default)  # 1 is one, 1.0 all
        if name not in HARMLESS and name not in known and changed:
            raise InvalidArgument(
                f"{name}={echoed(parameters[name])} of this unfitted IsolationForest is not supported: p2ce "
                f"fits it by {', '.join(known)} alone. Leave {name} at {echoed(default.default)}, or "
                "call .fit(X): a fitted forest is used as it is."
            )
    return PlausibilityForest(**{name: parameters[name] for name in known})


def settled(detector: Any, contamination: float | None) -> Any:
    """Return a forest that is to be fitted with the share that it is fitted by; other detectors as they are.

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
    """Tell whether a forest of scikit-learn has trees."""
    return hasattr(forest, "estimators_")


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"
