"""Convert the margins of a parsed model to scores with certified thresholds, for all families in one place.

=============================  ===========================================================================
decision                       scores
=============================  ===========================================================================
probability reaches t          one margin, through its link; of a softmax over several classes the
                               difference to every other class, which is necessary and not sufficient
decision value reaches t       one margin
class wins                     the difference to every other class
one of several classes wins    the best of their worst differences to the classes that are not wanted
their probabilities reach t    the sum of probabilities, as a function of these differences or of the margins
prediction lies in a range     one margin and minus it, one for each end that is not open
=============================  ===========================================================================
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.combined.combination import (
    ITSELF,
    Combination,
    Ends,
    PartScore,
    ReportedNumber,
    highest_of,
    lowest_of,
    minus,
    only,
    score_of,
    through,
    total,
)
from p2ce.engine.scores.error_bands import certified, widened
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.score import FlatScore, Score
from p2ce.engine.scores.trees.assemble import largest_leaves
from p2ce.errors import BrokenPlugin, UnsupportedModel
from p2ce.models.contract.margins import (
    IDENTITY,
    ClassOutputs,
    NumberOutput,
    OutputLink,
    ParsedModel,
    logistic_link,
)
from p2ce.models.decisions.adapter import LEAD, PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.certified_thresholds import (
    banded,
    range_ends,
    softmax_reaches,
    softmax_share,
    softmax_sum,
    softmax_wins,
)
from p2ce.models.decisions.decision import Decision, decide_class, decide_number


def certify(parsed: ParsedModel, request: ParseRequest) -> Adapter:
    """Determine what a row must reach, and which scores certify it."""
    _require_complete(parsed, request)
    outputs = parsed.outputs
    if isinstance(outputs, NumberOutput):
        decision = decide_number(request, outputs.predict, scored=outputs.scored, name=parsed.family)
        return _range(parsed, decision, outputs.link)
    decision = decide_class(
        request,
        classes=outputs.names,
        probabilities=outputs.probabilities,
        decision_values=outputs.decision_values,
        largest=outputs.largest,
        name=parsed.family,
    )
    if decision.indices and decision.scale == LEAD:
        return _any_wins(parsed, decision, outputs)
    if decision.indices:
        return _sum_reaches(parsed, decision, outputs)
    if decision.scale == LEAD:
        return _win(parsed, decision, outputs)
    if decision.scale == PROBABILITY and len(decision.classes) > 2 and not outputs.each_alone:
        return _softmax(parsed, decision, outputs)
    return _threshold(parsed, decision, outputs)


def _require_complete(parsed: ParsedModel, request: ParseRequest) -> None:
    """Raise if what a family returned does not fit together, or not with the reference."""
    margins = parsed.margins
    outputs: object = parsed.outputs  # a plug-in is not checked by types
    names = tuple(str(name) for name in request.reference.columns)
    if sorted(margins.columns) != sorted(names):
        raise _broken(parsed, f"columns must be those of the reference, {names}", repr(margins.columns))
    if isinstance(outputs, NumberOutput):
        if margins.count != 1:
            raise _broken(parsed, "a NumberOutput needs one margin", f"{margins.count}")
        return
    if not isinstance(outputs, ClassOutputs):
        wanted = "outputs must be ClassOutputs or NumberOutput"
        raise _broken(parsed, wanted, type(outputs).__name__)
    if outputs.probabilities is None and outputs.decision_values is None:
        raise _broken(parsed, "ClassOutputs needs probabilities= or decision_values=, or both", "neither")
    link: object = outputs.link
    if link is not None and not callable(link):
        wanted = (
            "link= must be a function that takes whether the class is the first, and returns an OutputLink"
        )
        raise _broken(parsed, wanted, type(link).__name__)
    count = len(outputs.names)
    if margins.count != count and not (margins.count == 1 and count == 2):
        wanted = f"{count} classes need {'one margin, or ' if count == 2 else ''}one margin each"
        raise _broken(parsed, wanted, f"{margins.count}")


def _broken(parsed: ParsedModel, wanted: str, got: str) -> BrokenPlugin:
    return BrokenPlugin(
        f"The parsed model ({parsed.family}) does not fit together: {wanted}; got {got}. Correct parse() of "
        "its family, or uninstall the package."
    )


def _threshold(parsed: ParsedModel, decision: Decision, outputs: ClassOutputs) -> Adapter:
    """Certify a probability or a decision value that depends on one margin."""
    margins, index = parsed.margins, decision.index
    plus, minus, sign = index, None, 1.0
    if len(decision.classes) == 2 and not outputs.each_alone:
        if margins.count == 1:
            plus, sign = 0, 1.0 if index == 1 else -1.0
        else:
            minus = 1 - index
    complement = sign < 0.0 or (minus is not None and index == 0)
    if decision.scale == PROBABILITY:
        link = (outputs.link or logistic_link(single=outputs.single))(complement)
        link = _negated(link) if decision.negated else link
        limits = certified(link.reported, decision.threshold)
    else:
        link, limits = IDENTITY, (decision.threshold, decision.threshold)
    band = margins.band(plus, minus)
    limits = widened(*limits, band)
    if decision.negated:  # minus a margin, or the difference the other way round
        plus, minus, sign = (plus, None, -sign) if minus is None else (minus, plus, sign)
    score = margins.score(plus, minus, sign=sign, limits=limits)
    return _adapter(parsed, decision, [score], link=link, number=_number(link, score, band))


def _negated(link: OutputLink) -> OutputLink:
    """Return the link from minus a score to minus the reported number."""

    def reported(score: float) -> tuple[float, float]:
        low, high = link.reported(-score)
        return -high, -low

    if link.value is None:
        return link._replace(reported=reported)
    value = link.value
    return link._replace(reported=reported, value=lambda scores: -value(-scores))


def _win(parsed: ParsedModel, decision: Decision, outputs: ClassOutputs) -> Adapter:
    """Certify that one class is ahead of every other one."""
    others = [place for place in range(len(decision.classes)) if place != decision.index]
    scores = [_lead(parsed, outputs, decision.index, other) for other in others]
    return _adapter(parsed, decision, scores)


def _lead(parsed: ParsedModel, outputs: ClassOutputs, index: int, other: int) -> Score:
    """Return the score that certifies that one class is ahead of another one."""
    band = parsed.margins.band(index, other)
    if outputs.ahead is None:
        limits = softmax_wins(band, single=outputs.single)
    else:
        limits = outputs.ahead(index, other, band)
    return parsed.margins.score(index, other, limits=limits)


def _any_wins(parsed: ParsedModel, decision: Decision, outputs: ClassOutputs) -> Adapter:
    """Certify that one of several classes is ahead of all that are not wanted."""
    others = [place for place in range(len(decision.classes)) if place not in decision.indices]
    leads = [
        [_part(parsed, _lead(parsed, outputs, index, other)) for other in others]
        for index in decision.indices
    ]
    leading = [
        lowest_of([only(part, _beyond(part.accept_from, part.reject_below)) for part in mine])
        for mine in leads
    ]
    score = score_of(highest_of(leading), accept_from=0.0, reject_below=0.0)
    return _adapter(parsed, decision, [score], part=leads[0][0])


def _sum_reaches(parsed: ParsedModel, decision: Decision, outputs: ClassOutputs) -> Adapter:
    """Certify the sum of the probabilities of several classes."""
    margins = parsed.margins
    if outputs.each_alone:
        link = (outputs.link or logistic_link(single=outputs.single))(False)
        shares = [
            only(
                _part(parsed, margins.score(index, limits=(0.0, 0.0))),
                partial(_of_margin, banded(link.reported, margins.band(index))),
            )
            for index in decision.indices
        ]
        number = through(total(shares), _at_most_one)
    elif outputs.softmax:
        others = [place for place in range(len(decision.classes)) if place not in decision.indices]
        pairs = [(index, other) for index in decision.indices for other in others]
        reported = softmax_sum(
            len(decision.indices),
            len(others),
            bands=np.array([margins.band(*pair) + outputs.slack for pair in pairs]),
            largest=margins.largest(),
            single=outputs.single,
        )
        parts = [_part(parsed, margins.score(*pair, limits=(0.0, 0.0))) for pair in pairs]
        number = Combination(parts=tuple(parts), reported=reported)
    else:
        raise UnsupportedModel(
            f"{parsed.family} divides each probability of its {len(decision.classes)} classes by their sum, "
            "so no sum of probabilities is bounded by margins. Leave out the limit to require that one of "
            "the classes wins."
        )
    part = number.parts[0]
    number = minus(number) if decision.negated else number
    score = score_of(number, accept_from=decision.threshold, reject_below=decision.threshold)
    return _adapter(parsed, decision, [score], number=ITSELF, part=part)


def _part(parsed: ParsedModel, score: Score) -> PartScore:
    """Return the score of a margin as a part of a combined one, or raise if it cannot be one."""
    if isinstance(score, FlatScore | NetworkScore):
        return score
    raise UnsupportedModel(
        f"{type(score).__name__} of {parsed.family} is only proven alone: with at_most=, or a list of "
        "classes as the target, several of them decide together, and the model is evaluated."
    )


def _of_margin(ends: Callable[[FloatArray], Ends], values: FloatArray) -> Ends:
    return ends(values[:, None])


def _at_most_one(values: FloatArray) -> Ends:
    """Return a sum of probabilities as `sum_of` reports it."""
    least = np.minimum(values, 1.0)
    return least, least


def _beyond(accept_from: float, reject_below: float) -> Callable[[FloatArray], Ends]:
    """Return how far values are beyond certified thresholds: from 0 up accepted, below 0 rejected."""
    # The difference of two different floats is never zero, so the signs are exact.
    return lambda values: (values - accept_from, values - reject_below)


def _softmax(parsed: ParsedModel, decision: Decision, outputs: ClassOutputs) -> Adapter:
    """Bound a probability by its value among two classes; the model is evaluated on rows that pass.

    With ``at_most``, the other classes together must be ahead, which no pair of classes decides: the score is
    minus the probability itself.
    """
    if not outputs.softmax:
        raise UnsupportedModel(
            f"{parsed.family} divides each probability of its {len(decision.classes)} classes by their sum, "
            "so no probability is bounded by its own margin. Leave out at_least= to require that the target "
            "wins."
        )
    margins, index = parsed.margins, decision.index
    largest = margins.largest()
    scores, bands = [], []
    for other in range(len(decision.classes)):
        if other != index:
            band = margins.band(index, other) + outputs.slack
            bands.append(band)
            limits = softmax_reaches(
                decision.threshold, len(decision.classes), band=band, largest=largest, single=outputs.single
            )
            scores.append(margins.score(index, other, limits=limits))
    share = softmax_share(
        len(decision.classes), bands=np.array(bands), largest=largest, single=outputs.single
    )
    if decision.negated:
        parts = tuple(_part(parsed, one) for one in scores)
        number = minus(Combination(parts=parts, reported=share))
        score = score_of(number, accept_from=decision.threshold, reject_below=decision.threshold)
        return _adapter(parsed, decision, [score], number=ITSELF, part=scores[0])
    return _adapter(parsed, decision, scores, decides=False, number=ReportedNumber(share))


def _range(parsed: ParsedModel, decision: Decision, link: OutputLink) -> Adapter:
    """Certify that the predicted number lies between the ends of a range."""
    margins, wanted = parsed.margins, decision.wanted
    assert wanted is not None, "a number must lie in a range"
    band = margins.band(0)
    ends = range_ends(wanted, link.reported, band=band)
    scores = [margins.score(0, sign=end.sign, limits=end.limits) for end in ends]
    sign, value = ends[0].sign, link.value

    def lead(values: FloatArray) -> FloatArray:
        assert value is not None
        inside = wanted.leads(value(sign * values))
        return inside + decision.threshold if decision.scale != LEAD else inside

    # What is evaluated is the prediction itself, if it is not compared with an end.
    is_number = len(ends) == 1 and sign > 0.0 and (decision.scale != LEAD or wanted.low == 0.0)
    return _adapter(
        parsed,
        decision,
        scores,
        link=link._replace(value=None if value is None else lead),
        number=_number(link, scores[0], band) if is_number else None,
    )


def _number(link: OutputLink, score: Score, band: float) -> ReportedNumber:
    """Return what is reported for values of a margin's score."""
    found = ReportedNumber(banded(link.reported, band))
    if link.slope is None or score.flat is None or score.flat.forest is None:
        return found
    largest = abs(score.flat.offset) + float(largest_leaves(score.flat.forest).sum())
    # The band, and the product or quotient of the link.
    rounding = 0.0 if link.slope == 1.0 else 2.0**-51 * (largest + band)
    return found._replace(slope=link.slope, error=abs(link.slope) * (band + rounding))


def _adapter(
    parsed: ParsedModel,
    decision: Decision,
    scores: list[Score],
    *,
    link: OutputLink | None = None,
    decides: bool = True,
    number: ReportedNumber | None = None,
    part: Score | None = None,  # of the margins, if the scores combine several
) -> Adapter:
    margins = parsed.margins
    tolerance = margins.tolerance(decision, part or scores[0])
    bounded = math.isfinite(tolerance)
    return Adapter(
        family=parsed.family,
        score=scores[0],
        also=tuple(scores[1:]),
        decides=decides,
        columns=margins.columns,
        scale=decision.scale,
        threshold=decision.threshold,
        classes=decision.classes,
        evaluate=decision.evaluate,
        negated=decision.negated,
        predict=decision.predict,
        report=link.value if link is not None and bounded else None,
        number=number,
        tolerance=tolerance if bounded else 1e-4,
        reach=margins.reach,
        knows_unseen_categories=parsed.knows_unseen_categories,
        codebook=parsed.codebook,
    )
