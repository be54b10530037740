"""What a family of ensembles returns: numbers that are combined of its members' numbers, and its calls.

A *member* is a fitted model inside another one. Each is parsed by its own family, as if it were alone, so a
pipeline or another ensemble can be a member. Its `Adapter` has the scores, and what the member reports for
their values. An `Ensemble` combines these numbers as its library does, and `certify_ensemble` makes scores of
what must be reached, as `certify` does for a model of its own margins.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from p2ce.base.arrays import CHECKED_ROWS, FloatArray, IntArray
from p2ce.engine.scores.combined.combination import (
    ITSELF,
    Combination,
    Ends,
    highest_of,
    joined,
    lowest_of,
    minus,
    only,
    score_of,
    through,
)
from p2ce.engine.scores.combined.combined_score import CombinedScore, part_ends
from p2ce.engine.scores.combined.means import difference_of
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.other_columns import onto_columns, places_of
from p2ce.engine.scores.score import FlatScore
from p2ce.errors import InvalidArgument, UnsupportedModel
from p2ce.models.decisions.adapter import (
    DECISION,
    LEAD,
    PROBABILITY,
    Adapter,
    Evaluate,
    EvaluateAll,
    ParseRequest,
)
from p2ce.models.decisions.decision import Decision, decide_class, decide_number
from p2ce.tables.codebook import Codebook

# The wanted range of a regressor whose lead is its prediction.
_ANY_NUMBER = (0.0, None)
_PRECISION = 1e-9  # of what an ensemble reports, beyond the width of its interval
_LARGEST_TOLERANCE = 1e-3
_THRESHOLDS = {PROBABILITY: 0.5, DECISION: 0.0}  # any will do: the numbers of members have no threshold


@dataclass(slots=True, kw_only=True, eq=False)
class Members:
    """The members of an ensemble, each parsed when one of its numbers is needed."""

    request: ParseRequest  # of the ensemble
    columns: tuple[str, ...]  # of the ensemble, in its order
    # The columns, by their places, that a member sees as an array without names, by the identity of the
    # member. By default, a member sees the table as the ensemble does.
    inputs: Mapping[int, IntArray] = field(default_factory=dict)
    adapters: list[Adapter] = field(default_factory=list)  # those that were parsed, in any order
    least_reach: FloatArray = field(init=False)
    _known: dict[tuple[int, Any, str | None], Combination] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.least_reach = np.full(len(self.columns), np.inf)

    def of_class(self, member: Any, target: Any, scale: str) -> Combination:
        """Return the score of a class that a member reports on a scale."""
        return self._number(member, target, scale)

    def predicted(self, member: Any) -> Combination:
        """Return the number that a member predicts."""
        return self._number(member, _ANY_NUMBER, None)

    def _number(self, member: Any, target: Any, scale: str | None) -> Combination:
        key = (id(member), target, scale)
        if key not in self._known:
            threshold = None if scale is None else _THRESHOLDS[scale]
            inputs = self.inputs.get(id(member))
            request = self.request if inputs is None else as_array(self.request, self.columns, inputs)
            wanted = replace(
                request, target=target, at_least=threshold, at_most=None, scale=scale, margin=0.0
            )
            try:
                adapter = request.parse(member, wanted)
            except InvalidArgument as error:
                raise UnsupportedModel(
                    f"{type(member).__name__} has no proven bound of its {scale or 'prediction'} as a member "
                    f"of an ensemble: {error}"
                ) from error
            if inputs is not None:
                places = inputs[[int(name) for name in adapter.columns]]
            else:
                places = places_of(adapter.columns, self.columns)
            if inputs is None and adapter.codebook is not None:
                known = self.request.codebook
                if known.with_labels({one.name: one.unseen for one in adapter.codebook}) is not known:
                    raise _MoreLabels(adapter.codebook)
            self.adapters.append(adapter)
            if adapter.reach is not None:
                np.minimum.at(self.least_reach, places, adapter.reach)
            self._known[key] = _number_of(adapter, places, len(self.columns))
        return self._known[key]

    @property
    def reach(self) -> FloatArray | None:
        """The magnitudes (d,) up to which the scores of all members hold; None if for all values."""
        return None if np.isinf(self.least_reach).all() else self.least_reach

    @property
    def alone(self) -> bool:
        """Whether the ensemble must run in one thread: the proof of a forest may rely on its order."""
        return any(getattr(one.evaluate, "alone", False) for one in self.adapters)

    @property
    def tolerance(self) -> float:
        """How far what the members report may be from their scores, at most; and the sums of the ensemble."""
        return _PRECISION + max((one.tolerance for one in self.adapters), default=0.0)

    @property
    def know_unseen_categories(self) -> bool:
        """Whether all members are certified for categories that are not in the reference."""
        return all(one.knows_unseen_categories for one in self.adapters)


class _MoreLabels(Exception):
    """A member knows labels that the others have no codes for yet."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__()
        self.codebook = codebook


def with_labels_of_members(
    parse: Callable[[Any, ParseRequest], Adapter],
) -> Callable[[Any, ParseRequest], Adapter]:
    """Parse an ensemble again while members know further labels, so all members use the same codes."""

    def parse_again(model: Any, request: ParseRequest) -> Adapter:
        while True:
            try:
                return parse(model, request)
            except _MoreLabels as more:
                labels = {one.name: one.unseen for one in more.codebook}
                request = replace(request, codebook=request.codebook.with_labels(labels))

    return parse_again


def as_array(request: ParseRequest, columns: tuple[str, ...], places: IntArray) -> ParseRequest:
    """Return the request for a member that sees some columns, by their places, as an array without names."""
    names = [columns[place] for place in places.tolist()]
    at = places_of(names, [str(label) for label in request.reference.columns])
    plain = [str(number) for number in range(len(names))]
    pairs = list(zip(names, plain, strict=True))
    return replace(
        request,
        reference=request.reference.iloc[:, at].set_axis(plain, axis=1),
        codebook=Codebook(tuple(replace(request.codebook[name], name=new) for name, new in pairs)),
        codes=np.ascontiguousarray(request.codes[:, at]),
        nullable=frozenset(new for name, new in pairs if name in request.nullable),
        reach=request.reach[at],
    )


def _number_of(adapter: Adapter, places: IntArray, count: int) -> Combination:
    """Return what a member reports, as a number of its scores over the ``count`` columns of the ensemble."""
    if adapter.number is None or adapter.score is None:
        raise UnsupportedModel(f"{adapter.family} has no proven bound as a member of an ensemble.")

    def spread(part: Any) -> Any:
        return onto_columns(part, places, count)

    numbers = []
    for score in adapter.scores:
        if isinstance(score, CombinedScore):
            parts = tuple(map(spread, score.parts))
            numbers.append(Combination(parts=parts, reported=score.reported))
        elif isinstance(score, FlatScore | NetworkScore):
            numbers.append(only(spread(score)))
        else:
            raise UnsupportedModel(
                f"A {type(score).__name__} of {adapter.family} is not supported natively in an ensemble."
            )
    if len(numbers) == 1 and not isinstance(adapter.score, CombinedScore):
        number = adapter.number
        return replace(numbers[0], reported=number.ends, slope=number.slope, error=number.error)
    return joined(numbers, adapter.number.ends)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ensemble:
    """An ensemble of classifiers, or of regressors: what it reports, by which calls, and from which numbers.

    ``numbers`` returns, for a scale, the number of the class with an index; ``predicted`` is the number of a
    regressor. ``compared`` is the scale on which ``predict`` chooses the largest number of several classes.
    ``steepest`` bounds how much faster than a member's number what is reported may rise.
    """

    family: str
    members: Members
    names: tuple[Any, ...] = ()  # the classes
    calls: Mapping[str, EvaluateAll] = field(default_factory=dict)  # by scale
    numbers: Mapping[str, Callable[[int], Combination]] = field(default_factory=dict)  # by scale
    compared: str = PROBABILITY
    steepest: float = 1.0
    predict: Evaluate | None = None
    predicted: Callable[[], Combination] | None = None


def certify_ensemble(ensemble: Ensemble, request: ParseRequest) -> Adapter:
    """Determine what a row must reach, and make scores of the numbers that have to reach it."""
    if ensemble.predict is not None:
        assert ensemble.predicted is not None, "a regressor predicts a number"
        decision = decide_number(request, ensemble.predict, name=ensemble.family)
        return _range(ensemble, decision, ensemble.predicted(), request)
    decision = decide_class(
        request,
        classes=ensemble.names,
        probabilities=ensemble.calls.get(PROBABILITY),
        decision_values=ensemble.calls.get(DECISION),
        largest=ensemble.calls[ensemble.compared],
        name=ensemble.family,
    )
    if decision.indices:
        return _any_wins(ensemble, decision, request)
    if decision.scale == LEAD:
        return _win(ensemble, decision, request)
    number = ensemble.numbers[decision.scale](decision.index)
    number = minus(number) if decision.negated else number
    score = score_of(number, accept_from=decision.threshold, reject_below=decision.threshold)
    return _adapter(ensemble, decision, [score], request, number=number)


def _win(ensemble: Ensemble, decision: Decision, request: ParseRequest) -> Adapter:
    """Certify that one class is ahead of every other one; in a tie, the earlier class wins."""
    numbers = ensemble.numbers[ensemble.compared]
    own, scores = numbers(decision.index), []
    for other in range(len(decision.classes)):
        if other != decision.index:
            first = 0.0 if decision.index < other else np.nextafter(0.0, 1.0)
            lead = difference_of(own, numbers(other))
            scores.append(score_of(lead, accept_from=first, reject_below=first))
    return _adapter(ensemble, decision, scores, request)


def _any_wins(ensemble: Ensemble, decision: Decision, request: ParseRequest) -> Adapter:
    """Certify that one of several classes is ahead of all that are not wanted, as `_win` does for one."""
    if decision.scale != LEAD:
        raise UnsupportedModel(
            f"The sum of the probabilities of {len(decision.indices)} classes has no proven bound. Without "
            "at_least= and at_most=, there is one for whether one of these classes wins."
        )
    numbers = ensemble.numbers[ensemble.compared]
    others = [place for place in range(len(decision.classes)) if place not in decision.indices]
    leading = []
    for index in decision.indices:
        leads = []
        for other in others:
            first = 0.0 if index < other else float(np.nextafter(0.0, 1.0))
            leads.append(through(difference_of(numbers(index), numbers(other)), _beyond(first)))
        leading.append(lowest_of(leads))
    score = score_of(highest_of(leading), accept_from=0.0, reject_below=0.0)
    return _adapter(ensemble, decision, [score], request)


def _beyond(first: float) -> Callable[[FloatArray], Ends]:
    """Return how far leads are beyond the first one that wins; the signs are exact."""
    return lambda leads: (leads - first, leads - first)


def _range(ensemble: Ensemble, decision: Decision, number: Combination, request: ParseRequest) -> Adapter:
    """Certify that the prediction lies between the ends of a range."""
    wanted = decision.wanted
    assert wanted is not None, "a number must lie in a range"
    scores = []
    if np.isfinite(wanted.low):
        scores.append(score_of(number, accept_from=wanted.low, reject_below=wanted.low))
    if np.isfinite(wanted.high):
        scores.append(score_of(minus(number), accept_from=-wanted.high, reject_below=-wanted.high))
    # What is evaluated is the prediction itself, if the only end is a low one of 0.
    is_number = wanted == (0.0, np.inf)
    return _adapter(ensemble, decision, scores, request, number=number if is_number else None)


def _adapter(
    ensemble: Ensemble,
    decision: Decision,
    scores: list[Any],
    request: ParseRequest,
    *,
    number: Combination | None = None,
) -> Adapter:
    """Return the scores and calls of an ensemble.

    ``number`` is what is evaluated, if a single score determines it.
    """
    members = ensemble.members
    tolerance = min(_LARGEST_TOLERANCE, members.tolerance * max(1.0, ensemble.steepest))
    report, reported = None, None
    if number is not None:
        single = len(number.parts) == 1
        reported = number.of_parts if single else ITSELF
        if tolerance < _LARGEST_TOLERANCE:  # else the ends of the number are too far apart for its middle
            report = _middle(number) if single else _unchanged
            codes = request.codebook.of(members.columns).encode(request.reference.head(CHECKED_ROWS))
            tolerance += _width(number, codes)
    return Adapter(
        family=ensemble.family,
        score=scores[0],
        also=tuple(scores[1:]),
        columns=members.columns,
        scale=decision.scale,
        threshold=decision.threshold,
        classes=decision.classes,
        evaluate=replace(decision.evaluate, alone=members.alone),
        negated=decision.negated,
        predict=None if decision.predict is None else replace(decision.predict, alone=members.alone),
        report=report,
        tolerance=tolerance,
        number=reported,
        reach=members.reach,
        knows_unseen_categories=members.know_unseen_categories,
        codebook=request.codebook,
    )


def _width(number: Combination, rows: FloatArray) -> float:
    """Return how far apart the ends of a number are on rows of codes: its precision."""
    with np.errstate(all="ignore"):
        ends = [part_ends(part, rows) for part in number.parts]
        low, high = (np.column_stack(side) for side in zip(*ends, strict=True))
        width = number.reported(high)[1] - number.reported(low)[0]
    return float(np.where(np.isfinite(width), width, 0.0).max(initial=0.0))


def _middle(number: Combination) -> Callable[[FloatArray], FloatArray]:
    """Return the reported number, up to rounding, for values of its only part."""

    def report(values: FloatArray) -> FloatArray:
        low, high = number.reported(np.asarray(values, dtype=np.float64)[:, None])
        return np.asarray(low + (high - low) / 2.0)

    return report


def _unchanged(values: FloatArray) -> FloatArray:
    return values
