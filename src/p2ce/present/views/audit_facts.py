"""List the facts behind an explanation: dates, request, certificate, policy and provenance."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from p2ce.base.comparing import EQUAL_DIGITS
from p2ce.base.visible import shortened
from p2ce.present.price_sentences import price_facts
from p2ce.present.proof import count_text, open_costs, reason_unproven
from p2ce.present.rule_sentences import candidates_text, rules_text
from p2ce.present.standing import class_name, range_to_reach, threshold_text
from p2ce.present.wording import Wording
from p2ce.result import Explanation, Feature, ProblemRecord, Status
from p2ce.result.problem_record import ALONG, FIXED, PROTECTED
from p2ce.result.stated_date import StatedDates
from p2ce.result.target import LEAD, is_target_range, limit_of
from p2ce.tables.cells import is_missing

WRITTEN_OUT = 10**60  # counts up to here are written to the last digit
NAMED = 40  # features that one sentence may list
LONGEST_CANDIDATES = 300
SCALES = ("probability", "decision", LEAD)


class Fact(NamedTuple):
    """One fact: its name and its text."""

    label: str
    text: str
    is_code: bool = False  # a hash, which is copied and not read


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureRow:
    """What one feature may do."""

    name: str
    moves: str
    candidates: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyView:
    """What the policy allowed to change."""

    basis: str  # who reviewed it, or that it is a draft; "" if it was stated
    groups: tuple[str, ...]  # a sentence for the features that are free, linked, protected and fixed
    rules: tuple[str, ...]
    features: tuple[FeatureRow, ...]
    yaml: str


def request_facts(explanation: Explanation, wording: Wording) -> tuple[Fact, ...]:
    """List what was requested, for whom, and the outcome."""
    target, scale = explanation.target, explanation.scale
    wanted = class_name(target)
    if is_target_range(target):
        wanted = wording.say("target_range", range=range_to_reach(explanation, wording))
    threshold, limit = threshold_text(explanation, wording), limit_of(explanation)
    upper, points = explanation.at_most is not None, explanation.points
    facts = {
        "status": str(explanation.status),
        "target": wanted,
        "scale": wording.say(f"scale_{scale}") if scale in SCALES else scale,
        "limit" if upper else "threshold": wording.full(limit) if explanation.margin > 0 else threshold,
        "margin": wording.full(explanation.margin) if explanation.margin > 0 else "",
        "models": wording.numbers.count(explanation.models),
        "person": "; ".join(raw_values(explanation.person, wording)),
        "person_score": _or_unknown(explanation.person_score, wording),
        "person_points": "" if points is None else _or_unknown(points.person, wording),
        "points_limit": "" if points is None else wording.full(points.limit),
        "person_prediction": _known(explanation.person_prediction, wording),
        # For an ERROR, the sentence on the proof states it.
        "message": (explanation.message or "") if explanation.status is not Status.ERROR else "",
        "objectives": "; ".join(explanation.objectives),
    }
    return named_facts(facts, wording)


def certificate_facts(explanation: Explanation, wording: Wording) -> tuple[Fact, ...]:
    """List everything that the certificate holds."""
    certificate = explanation.certificate
    if certificate is None:
        return ()
    judged = any(option.plausibility is not None for option in explanation)
    most, estimate = certificate.max_changes, certificate.estimate
    because = "" if certificate.unproven_because is None else f"because_{reason_unproven(explanation)}"
    facts = {
        "proven": wording.full(certificate.proven),
        "because": wording.say(because) if because else "",
        "method": certificate.method,
        "model": certificate.model_family,
        "bound": certificate.bound,
        "detector": certificate.detector_family
        or wording.say("detector_reported_only" if judged else "none"),
        "plausibility_today": _known(certificate.plausibility_today, wording),
        "none_because": ""
        if certificate.none_because is None
        else wording.say(f"reason_{certificate.none_because}"),
        **price_facts(explanation, wording),
        "grid": wording.say(f"grid_{certificate.grid}"),
        "finest_open": wording.full(certificate.finest_open),
        "refined": _count(certificate.refined, wording) if certificate.refined else "",
        "cells": _count(certificate.cells, wording),
        "axes": _count(certificate.axes, wording),
        "max_changes": wording.say("no_limit") if most is None else _count(most, wording),
        "ties": wording.full(certificate.ties),
        "boxes": _count(certificate.boxes, wording),
        "scored": _count(certificate.scored, wording),
        "attributed": _count(estimate.attributed, wording) if estimate and estimate.attributed else "",
        "pruned": "; ".join(
            f"{_pruned_by(rule, wording)} {_count(count, wording)}"
            for rule, count in sorted(certificate.pruned.items())
        )
        or _count(0, wording),
        "verified": _count(certificate.verified, wording),
        "discrepancies": _count(certificate.discrepancies, wording),
        "open_boxes": _count(certificate.open_boxes, wording),
        "stopped_by": certificate.stopped_by or "",
        "calls": "" if certificate.calls is None else _count(certificate.calls, wording),
        "rows": "" if certificate.rows is None else _count(certificate.rows, wording),
        "score_tolerance": wording.full(certificate.score_tolerance) if certificate.score_tolerance else "",
        "undecided": "" if certificate.undecided is None else _count(certificate.undecided, wording),
        "open_costs": amounts(open_costs(explanation), wording.full),
        "digits": _count(EQUAL_DIGITS, wording),
        "estimate": estimate.method if estimate else "",
        "residual": _known(estimate.residual, wording) if estimate else "",
        "miss_rate": _known(estimate.miss_rate, wording) if estimate else "",
        "sample": _known(estimate.sample_size, wording) if estimate else "",
        "rules": "; ".join(rules_text(certificate.rules, wording)),
        "checked_rules": "; ".join(rules_text(certificate.checked_rules, wording)),
    }
    return named_facts(facts, wording)


def provenance_facts(problem: ProblemRecord | None, wording: Wording) -> tuple[Fact, ...]:
    """List versions, settings and hashes; nothing if none were recorded."""
    if problem is None:
        return ()
    settings = {name: value for name, value in problem.settings.items() if value is not None}
    facts = {
        "people": _count(problem.people, wording) if problem.people else "",
        "versions": ", ".join(f"{name} {version}" for name, version in sorted(problem.versions.items())),
        "settings": ", ".join(f"{name} {wording.full(value)}" for name, value in sorted(settings.items())),
    }
    texts = wording.words.texts
    hashes = (
        Fact(wording.say("label_hash", what=texts.get(f"hash_{name}", name)), value, is_code=True)
        for name, value in sorted(problem.hashes.items())
    )
    return (*named_facts(facts, wording), *hashes)


def policy_of(problem: ProblemRecord, wording: Wording) -> PolicyView:
    """State what was allowed to change. No advice names a protected or fixed feature."""
    features = list(problem.features.values())
    groups = {
        "policy_free": [one for one in features if one.may_change and one.moves != ALONG],
        "policy_along": [one for one in features if one.moves == ALONG],
        "policy_protected": [one for one in features if one.moves == PROTECTED],
        "policy_fixed": [one for one in features if one.moves == FIXED],
    }
    return PolicyView(
        basis=_basis(problem, wording),
        groups=tuple(wording.say(key, names=_names(some, wording)) for key, some in groups.items() if some),
        rules=tuple(rules_text(problem.rules, wording)),
        features=tuple(
            FeatureRow(
                name=one.group or wording.axis(one.name),
                moves=_moves(one, wording),
                candidates=shortened(candidates_text(one, wording), LONGEST_CANDIDATES),
            )
            for one in features
            # A category that is encoded in several columns is listed once.
            if not one.group or one.name == wording.groups.get(one.group, (one.name,))[0]
        ),
        yaml=problem.policy,
    )


def _basis(problem: ProblemRecord, wording: Wording) -> str:
    if problem.basis == "reviewed":
        return wording.say("policy_reviewed", by=problem.reviewed_by, on=problem.reviewed_on)
    return wording.say("policy_inferred") if problem.is_draft else ""


def raw_values(values: Mapping[str, Any], wording: Wording) -> list[str]:
    """Write values as in the data: without the names, units and styles of displays."""
    return [f"{name} = {raw_value(name, value, wording)}" for name, value in values.items()]


def raw_value(name: str, value: Any, wording: Wording) -> str:
    """Write one value as in the data."""
    if isinstance(value, float) and not is_missing(value):
        return wording.numbers.full(value, wording.dtypes.get(name, ""))
    return wording.full(value)


def amounts(costs: Mapping[str, float], write: Callable[[float], str]) -> str:
    """Write the costs of every objective."""
    return "; ".join(f"{name} {write(cost)}" for name, cost in costs.items())


def named_facts(facts: Mapping[str, str], wording: Wording) -> tuple[Fact, ...]:
    """Label facts by their keys, and leave out those without a text."""
    return tuple(Fact(wording.say(f"label_{key}"), text) for key, text in facts.items() if text)


def _names(features: Iterable[Feature], wording: Wording) -> str:
    names = list(dict.fromkeys(one.group or wording.name(one.name) for one in features))
    more = len(names) - NAMED
    listed = (
        [*names[:NAMED], wording.say("and_more", count=wording.numbers.count(more))] if more > 0 else names
    )
    return wording.listed(listed)


def _moves(feature: Feature, wording: Wording) -> str:
    if feature.kind in ("category", "binary") and feature.moves == "either":
        return wording.say("moves_category")
    return wording.say(f"moves_{feature.moves}")


def _pruned_by(rule: str, wording: Wording) -> str:
    key = f"pruned_{rule.replace(' ', '_')}"
    return wording.say(key) if key in wording.words.texts else rule


def _count(count: int, wording: Wording) -> str:
    return wording.numbers.count(count) if count < WRITTEN_OUT else count_text(count, wording)


def _known(value: Any, wording: Wording) -> str:
    return "" if value is None else wording.full(value)


def _or_unknown(value: Any, wording: Wording) -> str:
    return wording.say("not_recorded") if value is None else wording.full(value)


def dates_text(dates: StatedDates, audience: str, wording: Wording) -> str:
    """State the date of explanations. If none states a date, write nothing for an applicant."""
    if dates.first is None or dates.last is None:
        return "" if audience == "applicant" else wording.say("no_date")
    day = wording.numbers.date
    if dates.first == dates.last:
        text = wording.say("as_of", date=day(dates.first))
    else:
        text = wording.say("as_of_range", first=day(dates.first), last=day(dates.last))
    return f"{text} {wording.counted('without_date', dates.without)}" if dates.without else text
