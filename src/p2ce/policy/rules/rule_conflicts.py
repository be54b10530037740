"""Find rules that do not fit the features, or that contradict each other."""

from collections.abc import Mapping, Sequence

from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.rules.column_list_rules import ChangeAtMostOne, Together
from p2ce.policy.rules.linked import Linked, links_by_follower
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
    causes = links_by_follower(links)
    for follower, mine in causes.items():
        drivers = [link.driver for link in mine]
        twice = next((name for name in drivers if drivers.count(name) > 1), None)
        if twice is not None:
            raise InvalidPolicy(
                f"{echoed(follower)} is linked to {echoed(twice)} twice. Keep one link, with the sum of "
                "their ratios."
            )
        if len({link.counts for link in mine}) > 1:
            raise InvalidPolicy(
                f"The links of {echoed(follower)} disagree on whether it counts as a separate change. Pass "
                f"counts='once' or counts='each' to all of them."
            )
    done: set[str] = set()
    for start in causes:
        _check_no_cycle(start, causes, {}, done)


def _check_no_cycle(
    name: str, causes: Mapping[str, Sequence[Linked]], path: dict[str, None], done: set[str]
) -> None:
    """Go from a feature to what moves it, and raise if this returns to a feature on the path."""
    if name in path:
        names = list(path)
        circle = " ← ".join([*names[names.index(name) :], name])
        raise InvalidPolicy(f"The links form a cycle: {circle}. Remove one of them.")
    if name in done:
        return
    for link in causes.get(name, ()):
        _check_no_cycle(link.driver, causes, {**path, name: None}, done)
    done.add(name)


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
