"""Find rules that do not fit the features, or that contradict each other."""

from collections.abc import Mapping, Sequence

from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.rules.column_list_rules import ChangeAtMostOne, Together
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule


def check_rules(features: Sequence[FeaturePolicy], rules: Sequence[Rule]) -> None:
    """Raise for the first invalid rule: unknown columns, cyclic links, contradictions."""
    by_name = {feature.name: feature for feature in features}
    for rule in rules:
        rule.check(by_name)
    _check_links([rule for rule in rules if isinstance(rule, Linked)])
    _check_groups(rules)
    _check_pairs(rules)


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
