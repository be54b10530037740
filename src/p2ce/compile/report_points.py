"""Convert reported scores to points, and check that points order people as the scores do."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, InvalidTarget
from p2ce.models.decisions.adapter import LEAD, PROBABILITY
from p2ce.result.points import PersonPoints, Points

TRIED = 101  # probabilities at which a function is checked, and numbers between the least and largest score
NOISE = 1e-9  # of a point: a smaller step against the direction is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledReport:
    """A conversion of reported scores to points, and the limit in points."""

    convert: Callable[[float], float]
    score_at_most: bool  # whether the score must be at most its limit
    score_limit: float
    limit: float  # the same in points
    rises: bool  # whether more points are better
    decimals: int | None

    def points_of(self, score: float) -> float:
        """Return the points of a reported score, on the side of the limit that the score is on."""
        if math.isnan(score):
            return math.nan
        points = _number(self.convert, score)
        accepted = score <= self.score_limit if self.score_at_most else score >= self.score_limit
        sign = 1.0 if self.rises else -1.0
        ahead = sign * (points - self.limit) if points != self.limit else 0.0
        if accepted == (ahead >= 0.0):
            return points
        if abs(ahead) > NOISE * max(1.0, abs(self.limit)):
            raise _changes_direction(score, self.score_limit, points, self.limit)
        # A rejected score with the very points of the limit must not seem to reach it.
        return self.limit if accepted else math.nextafter(self.limit, -sign * math.inf)

    def of_person(self, score: float | None) -> PersonPoints:
        """Return the points of a person, and what they must be."""
        return PersonPoints(
            person=None if score is None or math.isnan(score) else self.points_of(score),
            at_least=self.limit if self.rises else None,
            at_most=None if self.rises else self.limit,
            decimals=self.decimals,
        )


def settle_report(
    report: Any, *, scale: str, score_limit: float, at_most: bool, scores: Callable[[], FloatArray]
) -> SettledReport | None:
    """Check how scores are shown in points; ``scores`` returns reported scores of some people (n,)."""
    if report is None:
        return None
    if not isinstance(report, Points) and not callable(report):
        raise InvalidArgument(
            "report must be p2ce.Points(base=600, odds=50, pdo=20) or a function of the score; got "
            f"{echoed(report)}."
        )
    if scale == LEAD:
        raise InvalidTarget(
            "report= needs one probability or decision value with one limit, but here the score is a lead: "
            "over other classes, inside a range, or over models with a limit each. Pass at_least= or "
            "at_most= for one class (one number for all models), or leave report= out.",
            on_command_line="--points needs one probability or decision value with one limit, but here the "
            "score is a lead: over other classes, or inside a range. Add --at-least or --at-most for one "
            "class, or leave out --points.",
        )
    if isinstance(report, Points):
        convert: Callable[[float], float] = partial(report.of, scale=scale, rises=not at_most)
        rises, decimals = True, report.round
    else:
        convert, decimals = report, None
        rises = _direction(convert, scale, np.append(scores(), score_limit)) != at_most
    return SettledReport(
        convert=convert,
        score_at_most=at_most,
        score_limit=score_limit,
        limit=_number(convert, score_limit),
        rises=rises,
        decimals=decimals,
    )


def _direction(convert: Callable[[float], float], scale: str, scores: FloatArray) -> bool:
    """Return whether points rise with the score; raise if they rise here and fall there."""
    ends = (0.005, 0.995) if scale == PROBABILITY else (float(scores.min()), float(scores.max()))
    tried = np.unique(np.concatenate([scores, np.linspace(*ends, TRIED)]))
    points = np.array([_number(convert, score) for score in tried.tolist()])
    with np.errstate(invalid="ignore"):
        steps = np.nan_to_num(np.diff(points))  # the difference of two infinities is none
    noise = NOISE * np.maximum(1.0, np.abs(points[:-1]))
    up, down = steps > noise, steps < -noise
    if up.any() and down.any():
        least = up if up.sum() < down.sum() else down
        place = int(np.flatnonzero(least)[0])
        raise _changes_direction(*tried[place : place + 2].tolist(), *points[place : place + 2].tolist())
    if not up.any() and not down.any():
        raise InvalidArgument(
            "report= returns the same points for every score. Pass a function that rises or falls with it."
        )
    return bool(up.any())


def _changes_direction(score: float, other: float, points: float, others: float) -> InvalidArgument:
    return InvalidArgument(
        "report= must rise or fall with the score everywhere, but it changes direction: "
        f"{points:g} points for {score:.6g}, {others:g} for {other:.6g}. Pass a monotone function."
    )


def _number(convert: Callable[[float], float], score: float) -> float:
    points: object = convert(score)
    try:
        number = float(points)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise InvalidArgument(
            f"report= must return a number for a score; for {score:.6g} it returned {echoed(points)}."
        )
    return number
