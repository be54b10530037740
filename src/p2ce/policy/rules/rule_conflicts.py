"""Find rules that do not fit the features, or that contradict each other."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.category_labels import place_of, shown_labels
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.rules.at_most_one_nonzero import AtMostOneNonzero
from p2ce.policy.rules.change_at_most_one import ChangeAtMostOne
from p2ce.policy.rules.conditions import Between, Condition, HasChanged, OneOf
from p2ce.policy.rules.implies import Implies
from p2ce.policy.rules.inequality import Inequality
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule
from p2ce.policy.rules.rule_values import value_text
from p2ce.policy.rules.together import Together
from p2ce.policy.rules.transitions import AllowOnly, Forbid


def check_rules(features: Sequence[FeaturePolicy], rules: Sequence[Rule]) -> None:
    """Raise for the first invalid rule: unknown columns, cyclic links, contradictions."""
    by_name = {feature.name: feature for feature in features}
    for rule in rules:
        _check_names(rule, by_name)
        _check_kinds(rule, by_name)
        _check_values(rule, by_name)
        if isinstance(rule, Linked):
            _check_link(rule, by_name)
        elif isinstance(rule, OneHot):
            _check_group(rule, by_name)
    _check_links([rule for rule in rules if isinstance(rule, Linked)])
    _check_groups(rules)
    _check_pairs(rules)


def _check_names(rule: Rule, features: Mapping[str, FeaturePolicy]) -> None:
    for name in rule.columns:
        if name not in features:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(name)}, which is not a column. "
                f"{nearest(name, features)}"
            )


def _check_kinds(rule: Rule, features: Mapping[str, FeaturePolicy]) -> None:
    if not isinstance(rule, Linked | Inequality | AtMostOneNonzero):
        return
    for name in rule.columns:
        if features[name].kind is Kind.CATEGORY:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' is about numbers, but {echoed(name)} holds categories. "
                f"Use implies(), forbid() or together() for them."
            )


def _check_values(rule: Rule, features: Mapping[str, FeaturePolicy]) -> None:
    """Reject values that a column never has, and consequences that no candidate can meet."""
    if isinstance(rule, Forbid | AllowOnly):
        named = [value for start, ends in rule.moves for value in (start, *ends)]
        _check_labels(rule, features[rule.column], named)
    if not isinstance(rule, Implies):
        return
    for name, condition in (*rule.conditions, *rule.consequences):
        _check_condition(rule, features[name], condition)
    for name, condition in rule.consequences:
        _check_consequence(rule, features[name], condition)


def _check_condition(rule: Rule, feature: FeaturePolicy, condition: Condition) -> None:
    if isinstance(condition, OneOf):
        _check_labels(rule, feature, condition.values)
    elif isinstance(condition, Between):
        if feature.labels is not None and feature.order is None:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' requires a range of {echoed(feature.name)}, whose categories "
                "have no order. List the values instead."
            )
        _check_labels(rule, feature, [end for end in (condition.low, condition.high) if end is not None])


def _check_labels(rule: Rule, feature: FeaturePolicy, named: Iterable[Any]) -> None:
    known = feature.labels if feature.order is None else (*feature.order, *(feature.labels or ()))
    for value in named:
        if value is None:
            continue
        if known is not None and place_of(value, known) is None:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(value)}, which is not a value of "
                f"{echoed(feature.name)}. {nearest(value, known)}"
            )
        if known is None and isinstance(value, str):
            raise InvalidPolicy(
                f"The rule '{rule.text()}' names {echoed(value)} for {echoed(feature.name)}, which holds "
                "numbers. Use a number."
            )


def _check_consequence(rule: Implies, feature: FeaturePolicy, condition: Condition) -> None:
    if isinstance(condition, HasChanged):
        if feature.fixed:
            raise InvalidPolicy(
                f"The rule '{rule.text()}' requires that {echoed(feature.name)} changes, but it is fixed. "
                f"Remove .fix({echoed(feature.name)}) or the rule."
            )
        return
    if feature.fixed or feature.choices is None:
        return  # a person may have any value
    if not any(_meets(value, condition, feature) for value in feature.choices):
        raise InvalidPolicy(
            f"The rule '{rule.text()}' requires a value that is not among the candidates() of "
            f"{echoed(feature.name)} ({_listed(feature)}). Add a value to candidates(), or correct the rule."
        )


def _meets(value: Any, condition: Condition, feature: FeaturePolicy) -> bool:
    if isinstance(condition, OneOf):
        missing = feature.may_go_missing and None in condition.values
        return missing or place_of(value, [one for one in condition.values if one is not None]) is not None
    assert isinstance(condition, Between)
    places = [value, condition.low, condition.high]
    if feature.order is not None:
        places = [None if one is None else place_of(one, feature.order) for one in places]
    at, low, high = places
    return (low is None or at >= low) and (high is None or at <= high)


def _listed(feature: FeaturePolicy) -> str:
    assert feature.choices is not None
    return shown_labels(value_text(value) for value in feature.choices)


def _check_link(rule: Linked, features: Mapping[str, FeaturePolicy]) -> None:
    for name in rule.columns:
        if features[name].fixed:
            partner = next(one for one in rule.columns if one != name)
            raise InvalidPolicy(
                f"{echoed(name)} is fixed, but the rule '{rule.text()}' moves it. Remove the rule, or "
                f"release {echoed(name)} with free({echoed(name)}): it then moves only together with "
                f"{echoed(partner)}."
            )


def _check_links(links: Sequence[Linked]) -> None:
    drivers: dict[str, str] = {}
    for rule in links:
        if rule.follower in drivers:
            first = drivers[rule.follower]
            both = (
                f"both {echoed(first)} and {echoed(rule.driver)}"
                if first != rule.driver
                else f"{echoed(first)} twice"
            )
            raise InvalidPolicy(
                f"{echoed(rule.follower)} is linked to {both}, so it would get two values. Keep one link."
            )
        drivers[rule.follower] = rule.driver
    done: set[str] = set()
    for start in drivers:
        path: dict[str, None] = {}
        at = start
        while at in drivers and at not in done:
            if at in path:
                names = list(path)
                circle = " ← ".join([*names[names.index(at) :], at])
                raise InvalidPolicy(f"The links form a cycle: {circle}. Remove one of them.")
            path[at] = None
            at = drivers[at]
        done.update(path)


def _check_group(rule: OneHot, features: Mapping[str, FeaturePolicy]) -> None:
    if rule.name in features:
        raise InvalidPolicy(
            f"one_hot() names its group {echoed(rule.name)}, which is already a column. Choose another name."
        )
    for level in rule.levels:
        if features[level].kind is not Kind.BINARY:
            raise InvalidPolicy(
                f"one_hot() needs columns of 0 and 1, but {echoed(level)} of {echoed(rule.name)} is "
                f"{_a(features[level].kind)}. Leave it out of the group."
            )
    fixed = [level for level in rule.levels if features[level].fixed]
    if fixed and len(fixed) < len(rule.levels):
        free = [level for level in rule.levels if level not in fixed]
        raise InvalidPolicy(
            f"{', '.join(map(echoed, fixed))} of the group {echoed(rule.name)} cannot change, but "
            f"{', '.join(map(echoed, free))} can. Fix all of its columns in one call, or none."
        )


def _a(kind: Kind) -> str:
    return {Kind.CATEGORY: "a category", Kind.WHOLE: "a whole number"}.get(kind, "a number")


def _check_groups(rules: Sequence[Rule]) -> None:
    names: set[str] = set()
    grouped: dict[str, str] = {}
    linked = {name: rule for rule in rules if isinstance(rule, Linked) for name in rule.columns}
    for rule in rules:
        if not isinstance(rule, OneHot):
            continue
        if rule.name in names:
            raise InvalidPolicy(
                f"There are two one_hot() groups called {echoed(rule.name)}. Rename one of them."
            )
        names.add(rule.name)
        for level in rule.levels:
            if level in grouped:
                raise InvalidPolicy(
                    f"{echoed(level)} is in two groups, {echoed(grouped[level])} and {echoed(rule.name)}. "
                    f"Remove it from one of them."
                )
            if level in linked:
                raise InvalidPolicy(
                    f"{echoed(level)} is in the group {echoed(rule.name)} and in the link "
                    f"'{linked[level].text()}'. Remove it from one of the two."
                )
            grouped[level] = rule.name


def _sharing_two(one: Rule, exclusive: Mapping[str, Sequence[Rule]]) -> Rule | None:
    """Find an exclusive rule that shares two columns with a rule."""
    met: set[int] = set()
    for name in one.columns:
        for other in exclusive.get(name, ()):
            if id(other) in met:
                return other
            met.add(id(other))
    return None


def _check_pairs(rules: Sequence[Rule]) -> None:
    """Find columns that must change together but may not."""
    exclusive: dict[str, list[Rule]] = {}  # by column
    for rule in rules:
        if isinstance(rule, ChangeAtMostOne):
            for name in rule.columns:
                exclusive.setdefault(name, []).append(rule)
    for one in rules:
        if not isinstance(one, Together | Linked | OneHot):
            continue
        other = _sharing_two(one, exclusive)
        if other is None:
            continue
        shared = [name for name in one.columns if name in other.columns]
        if isinstance(one, Together | Linked):
            raise InvalidPolicy(
                f"{echoed(shared[0])} and {echoed(shared[1])} can never change, because of '{one.text()}' "
                f"and '{other.text()}'. Remove one of the two rules, or use fix()."
            )
        if isinstance(one, OneHot):
            raise InvalidPolicy(
                f"'{other.text()}' prevents the group {echoed(one.name)} from changing from "
                f"{echoed(shared[0])} to {echoed(shared[1])}, since both columns change then. Name at most "
                "one column of each group."
            )
