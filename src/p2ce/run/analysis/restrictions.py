"""List the restrictions that could be lifted for an instance, and compile the problem without some."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.candidate_errors import MOST_TRIED
from p2ce.compile.compiled_problem import ParsedProblem, Problem
from p2ce.compile.lay_out import lay_out_again, with_policy
from p2ce.errors import InvalidPolicy, P2CEError
from p2ce.policy.features.decimals import as_typed
from p2ce.policy.features.feature import MOST_CANDIDATES, Direction, FeaturePolicy
from p2ce.policy.policy import Policy
from p2ce.policy.rules.leave_out import LeaveOut
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule
from p2ce.result.relaxations import Restriction
from p2ce.result.rule_data import rule_data
from p2ce.run.verify.constraints import close_to_today, only_one_way, within
from p2ce.tables.codebook import MISSING

MORE_CHANGES = 2  # how many more changes than the limit are tried


class Relaxed(NamedTuple):
    """What restricts the counterfactuals of an instance."""

    policy: Policy
    max_changes: int | None
    plausible: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relaxable:
    """A restriction, and how to lift it."""

    restriction: Restriction
    lift: Callable[[Relaxed], Relaxed]
    needs: "Relaxable | None" = None  # lifting this one has no effect without also lifting that one
    is_odd: bool = False  # lifting it also removes counterfactuals, since the columns then move differently


def restrictions_of(problem: ParsedProblem, instance: FloatArray, ends: FloatArray) -> tuple[Relaxable, ...]:
    """List what restricts an instance (d,). ``ends`` (2, d) are the ends of the reference.

    Nothing that was inferred is on the list: before an instance is reported without recourse, the finest grid
    that the data support is searched. Fixed features stay fixed, and no rule about a protected feature is on
    the list. Nor is a range or a step beyond which the model fails.
    """
    policy = problem.policy
    free = [feature for feature in policy.features if not feature.fixed]
    place = {name: column for column, name in enumerate(problem.names)}
    lacks = {feature.name: instance[place[feature.name]] == MISSING for feature in free}
    found = list(_more_changes(problem.max_changes, len(free)))
    for feature in free:
        if feature.direction is not Direction.BOTH and not lacks[feature.name]:
            found.append(
                Relaxable(
                    restriction=only_one_way(feature),
                    lift=partial(_replaced, name=feature.name, change=_turned),
                )
            )
    for feature in free:
        if feature.change is not None and not lacks[feature.name]:
            found.append(
                Relaxable(
                    restriction=close_to_today(feature),
                    lift=partial(_replaced, name=feature.name, change=_far_from_today),
                )
            )
    own_ends = [ends[:, place[feature.name]] for feature in free]
    wider = [with_range_of(one, *end.tolist()) for one, end in zip(free, own_ends, strict=True)]
    finer = [_without_step(one, problem, end) for one, end in zip(free, own_ends, strict=True)]
    more = [one for one in (*wider, *finer) if one is not None]
    # In one call, since each takes some milliseconds. If that fails, the features are tried one by one.
    all_taken = _are_taken(problem, instance, more)
    for changed, restriction_of in ((wider, _range), (finer, _step)):
        for feature, new in zip(free, changed, strict=True):
            if new is not None and (all_taken or _are_taken(problem, instance, [new])):
                found.append(restriction_of(feature, new))
    for feature in free:
        if not feature.leaves_special and instance[place[feature.name]] in feature.special:
            code = problem.codebook[feature.name].plain(float(instance[place[feature.name]]))
            found.append(
                Relaxable(
                    restriction=Restriction(kind="special", feature=feature.name, value=code),
                    lift=partial(_replaced, name=feature.name, change=_left),
                )
            )
    for feature in free:
        if not feature.fillable and lacks[feature.name]:
            found.append(
                Relaxable(
                    restriction=Restriction(kind="missing", feature=feature.name),
                    lift=partial(_replaced, name=feature.name, change=_filled),
                )
            )
    found += [_rule(rule) for rule in policy.rules if _may_be_dropped(rule, policy)]
    if problem.required_detector is not None:
        found.append(
            Relaxable(
                restriction=Restriction(kind="plausibility"), lift=lambda q: q._replace(plausible=False)
            )
        )
    return tuple(found)


def lifted(problem: Problem, restrictions: Iterable[Relaxable]) -> Problem:
    """Lay out the problem without some restrictions, and without its estimate, which would not hold."""
    return lay_out_again(problem, without_restrictions(problem, restrictions))


def without_restrictions(problem: ParsedProblem, restrictions: Iterable[Relaxable]) -> ParsedProblem:
    """Return what is stated and parsed without some restrictions."""
    relaxed = Relaxed(problem.policy, problem.max_changes, plausible=True)
    for restriction in restrictions:
        relaxed = restriction.lift(relaxed)
    return replace(
        with_policy(problem, relaxed.policy),
        max_changes=relaxed.max_changes,
        detector=problem.detector if relaxed.plausible else None,
    )


def _more_changes(most: int | None, features: int) -> Iterator[Relaxable]:
    """Return one more change, then two. A limit of all features is not a restriction."""
    before = None
    for more in range(1, MORE_CHANGES + 1):
        if most is not None and most + more <= features:
            allowed = Restriction(kind="changes", most=most, instead=most + more)
            before = Relaxable(restriction=allowed, lift=_one_more, needs=before)
            yield before


def _one_more(relaxed: Relaxed) -> Relaxed:
    assert relaxed.max_changes is not None
    return relaxed._replace(max_changes=relaxed.max_changes + 1)


def _replaced(relaxed: Relaxed, *, name: str, change: Callable[[FeaturePolicy], FeaturePolicy]) -> Relaxed:
    features = tuple(
        change(feature) if feature.name == name else feature for feature in relaxed.policy.features
    )
    return relaxed._replace(policy=replace(relaxed.policy, features=features))


def _turned(feature: FeaturePolicy) -> FeaturePolicy:
    return replace(feature, direction=Direction.BOTH)


def _far_from_today(feature: FeaturePolicy) -> FeaturePolicy:
    return replace(feature, change=None)


def _filled(feature: FeaturePolicy) -> FeaturePolicy:
    return replace(feature, fillable=True)


def _left(feature: FeaturePolicy) -> FeaturePolicy:
    return replace(feature, leaves_special=True)


def _without_step(feature: FeaturePolicy, problem: ParsedProblem, ends: FloatArray) -> FeaturePolicy | None:
    """Let a feature with a stated step also take every other value that data and model distinguish."""
    column = None if problem.refinement is None else problem.refinement.get(feature.name)
    if column is None or feature.inferred is not None or feature.choices is not None or feature.is_category:
        return None
    low, high = feature.ends()
    wide = replace(feature, stated_range=(min(low, float(ends[0])), max(high, float(ends[1]))))
    if wide.count() > MOST_CANDIDATES:
        return None
    both = replace(feature, inferred=tuple(wide.candidates().tolist())).with_more(column.everything(wide))
    finer = replace(feature, choices=both.inferred)
    return finer if finer.count() > feature.count() else None


def _step(feature: FeaturePolicy, finer: FeaturePolicy) -> Relaxable:
    def change(one: FeaturePolicy) -> FeaturePolicy:
        return replace(one, choices=finer.choices)

    return Relaxable(
        restriction=Restriction(kind="step", feature=feature.name, step=feature.step),
        lift=partial(_replaced, name=feature.name, change=change),
    )


def _range(feature: FeaturePolicy, wider: FeaturePolicy) -> Relaxable:
    low, high = wider.stated_range or (None, None)  # of a category: any label of the data
    restriction = replace(within(feature), wider_low=low, wider_high=high)

    def change(one: FeaturePolicy) -> FeaturePolicy:
        # Values that another lifted restriction has added stay.
        choices = one.choices if feature.choices is None else wider.choices
        return replace(one, stated_range=wider.stated_range, choices=choices, inferred=wider.inferred)

    return Relaxable(restriction=restriction, lift=partial(_replaced, name=feature.name, change=change))


def with_range_of(feature: FeaturePolicy, low: float, high: float) -> FeaturePolicy | None:
    """Widen a feature's range to that of the data, low to high; None if no stated range keeps it from that.

    It keeps all its candidates. The additional ones are multiples of its step.
    """
    if feature.labels is not None:
        full = feature.choices is None or len(feature.choices) >= len(feature.labels)
        return None if full else replace(feature, choices=None)
    if feature.is_inferred and feature.stated_range is None:
        return None
    # In the digits that the user typed; the column may hold it with more digits.
    low, high = (float(as_typed(end, feature.dtype)) for end in (low, high))
    named = feature.choices or feature.ends()
    inside = feature.stated_range or (min(low, *named), max(high, *named))
    reach = min(low, inside[0]), max(high, inside[1])
    try:
        wider = replace(feature, stated_range=reach, choices=None)
        if feature.is_inferred:
            wider = wider.with_more(feature.candidates())  # also those that were made for its range
        elif feature.choices is not None:
            both = np.union1d(wider.candidates(), named)
            wider = replace(wider, choices=tuple(both.tolist()))
        gained = len(wider.candidates()) > feature.count()
    except InvalidPolicy:
        return None  # too many steps, or no multiple of the step: the range is not possible
    # A feature that follows another one needs no own candidates.
    narrower = feature.stated_range is not None and reach != feature.stated_range
    return wider if gained or narrower else None


def _are_taken(problem: ParsedProblem, instance: FloatArray, features: Sequence[FeaturePolicy]) -> bool:
    """Return whether the user's own objects take the candidates of features. An encoder may raise.

    Each candidate is tried by itself, with everything else as the instance (d,) has it.
    """
    parts = []
    for feature in features:
        codes = feature.codes(problem.codebook[feature.name])
        few = codes[np.linspace(0, len(codes) - 1, min(len(codes), MOST_TRIED)).astype(int)]
        parts.append(np.repeat(instance[None, :], len(few), axis=0))
        parts[-1][:, problem.names.index(feature.name)] = few
    if not parts:
        return True
    rows = np.concatenate(parts)
    calls = [model.evaluate for model in problem.models]
    if problem.required_detector is not None and not problem.required_detector.is_its_score:
        calls.append(problem.required_detector.evaluate)
    try:
        for call in calls:
            call(problem.frame(rows))
    except P2CEError:
        return False
    return True


def _may_be_dropped(rule: Rule, policy: Policy) -> bool:
    if isinstance(rule, LeaveOut):
        return False  # `Explainer.more` is about what is left
    features = [policy[name] for name in rule.columns]
    if any(feature.protected for feature in features):
        return False
    return not (_is_odd(rule) and all(feature.fixed for feature in features))


def _rule(rule: Rule) -> Relaxable:
    def lift(relaxed: Relaxed) -> Relaxed:
        return relaxed._replace(policy=relaxed.policy.without_rules(rule))

    restriction = Restriction(kind="rule", rule=rule_data(rule))
    return Relaxable(restriction=restriction, lift=lift, is_odd=_is_odd(rule))


def _is_odd(rule: Rule) -> bool:
    """Return whether columns have separate axes only without the rule."""
    return isinstance(rule, Linked | OneHot)
