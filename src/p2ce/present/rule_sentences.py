"""Write rules between features, restrictions and candidate values in the reader's language and names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from p2ce.errors import InvalidArgument
from p2ce.present.changes import check_advice, clause_of
from p2ce.present.wording import Wording
from p2ce.result import Explanation, Feature, Relaxation, Relaxations, Restriction, Status, Violation
from p2ce.tables.json_values import Value, to_plain

RuleData: TypeAlias = Mapping[str, Any]


def rules_text(rules: Iterable[RuleData], wording: Wording) -> list[str]:
    """Write each rule in one line, and all links of a feature in one: they add up."""
    links: dict[str, list[RuleData]] = {}
    written: list[list[RuleData]] = []
    for rule in rules:
        adds = rule["rule"] == "linked" and "follower" in rule
        together = links.setdefault(rule["follower"], []) if adds else []
        if not together:
            written.append(together)
        together.append(rule)
    return [
        rule_text(some[0], wording) if len(some) == 1 else _added_links(some, wording) for some in written
    ]


def _added_links(links: Sequence[RuleData], wording: Wording) -> str:
    """Write what moves a feature that several others move."""
    parts = [
        wording.say(
            "rule_adds" if link.get("ratio", 1) == 1 else "rule_adds_times",
            driver=wording.name(link["driver"]),
            ratio=wording.full(link.get("ratio", 1)),
        )
        for link in links
    ]
    key = "rule_adds_up" if links[0].get("counts", "once") == "once" else "rule_adds_up_each"
    return wording.say(key, name=wording.name(links[0]["follower"]), parts=wording.listed(parts))


def rule_text(rule: RuleData, wording: Wording) -> str:
    """Write a rule. A custom rule is written as its author wrote it."""
    if (write := RULES.get(rule["rule"])) is not None:
        return write(rule, wording)
    key = f"rule_{rule['rule']}"
    if key not in wording.words.texts or "text" in rule:
        return _own_text(rule)
    if "transitions" in rule:
        return wording.say(key, name=wording.name(rule["column"]), transitions=_transitions(rule, wording))
    return wording.say(key, names=wording.listed([wording.name(one) for one in rule["columns"]]))


def _own_text(rule: RuleData) -> str:
    return str(rule.get("text") or rule.get("name") or rule.get("function") or rule["rule"])


def _linked(rule: RuleData, wording: Wording) -> str:
    if "driver" not in rule:  # several links, of the last of the columns
        *drivers, follower = map(wording.name, rule["columns"])
        return wording.say("rule_adds_several", name=follower, names=wording.listed(drivers))
    ratio = rule.get("ratio", 1)
    text = wording.say(
        "rule_moves" if ratio == 1 else "rule_moves_times",
        name=wording.name(rule["follower"]),
        driver=wording.name(rule["driver"]),
        ratio=wording.full(ratio),
    )
    return text if rule.get("counts", "once") == "once" else wording.say("rule_counts_twice", rule=text)


def _transitions(rule: RuleData, wording: Wording) -> str:
    column = rule["column"]
    return "; ".join(
        f"{wording.value(column, one['from'])} → {_values(column, one['to'], wording)}"
        for one in rule["transitions"]
    )


def _values(column: str, values: Iterable[Any], wording: Wording, *, unit: bool = True) -> str:
    """List values, and quote one that contains a comma."""
    texts = ((value, wording.value(column, value, unit=unit)) for value in values)
    return ", ".join(
        wording.say("quoted", text=text) if isinstance(value, str) and "," in text else text
        for value, text in texts
    )


def _one_hot(rule: RuleData, wording: Wording) -> str:
    levels = [wording.value(rule["name"], (column,)) for column in rule["columns"]]
    key = "rule_level_none" if rule.get("may_be_none") else "rule_level"
    return wording.say(key, name=wording.name(rule["name"]), names=wording.listed(levels))


def _implies(rule: RuleData, wording: Wording) -> str:
    condition, consequence = (
        wording.listed([_condition(column, one, wording) for column, one in rule[side].items()])
        for side in ("condition", "consequence")
    )
    return wording.say("rule_if", condition=condition, consequence=consequence)


def _condition(column: str, condition: Any, wording: Wording) -> str:
    name = wording.name(column)
    match condition:
        case {"changes": True}:
            return wording.say("when_changes", name=name)
        case {"from": low, "to": high}:
            ends = {"low": wording.value(column, low), "high": wording.value(column, high)}
            return wording.say(wording.share_form("when_between", column), name=name, **ends)
        case {"from": low}:
            return wording.say("when_least", name=name, low=wording.value(column, low))
        case {"to": high}:
            return wording.say("when_most", name=name, high=wording.value(column, high))
        case [_, _, *_]:
            return wording.say("when_one_of", name=name, values=_values(column, condition, wording))
    only = condition[0] if isinstance(condition, list) else condition
    return wording.say("when_is", name=name, value=wording.value(column, only))


def _leave_out(rule: RuleData, wording: Wording) -> str:
    conditions = [_condition(column, one, wording) for column, one in rule["where"].items()]
    return wording.say("rule_leave_out", conditions=wording.listed(conditions))


def left_out_text(rules: Iterable[RuleData], explanation: Explanation, wording: Wording) -> str:
    """Write what an explanation leaves out: of an option, or of what is near it, only what it changes."""
    texts = []
    person = to_plain(explanation.person)
    for rule in rules:
        where = rule["where"]
        kept = {name for name, one in where.items() if _is_todays(one, person.get(name))}
        shown = where.keys() - kept or where
        text = wording.listed(
            [_condition(name, one, wording) for name, one in where.items() if name in shown]
        )
        is_near = any(isinstance(where[name], dict) for name in where.keys() - shown)
        texts.append(wording.say("left_out_near", conditions=text) if is_near else text)
    return "; ".join(texts)


def _is_todays(condition: Any, value: Any) -> bool:
    """Return whether a condition of what is left out names today's value, or a range around it."""
    match condition:
        case {"changes": True}:
            return False
        case {"from": low, "to": high}:
            is_number = isinstance(value, int | float)
            return is_number and abs((low + high) / 2 - value) <= 1e-6 * (high - low)
    return value in (condition if isinstance(condition, list) else [condition])


def _inequality(rule: RuleData, wording: Wording) -> str:
    if "left" not in rule:
        return _own_text(rule)
    left, right = (_sum(rule[side], wording) for side in ("left", "right"))
    return f"{left} {'=' if rule['equal'] else '≤'} {right}"


def _sum(terms: Iterable[Mapping[str, Any]], wording: Wording) -> str:
    """Write a sum of columns times numbers. A term without a column is a number."""
    parts = []
    for term in terms:
        factor = term["factor"] if isinstance(term["factor"], str) else wording.full(term["factor"])
        if "column" not in term:
            parts.append(factor)
        else:
            name = wording.name(term["column"])
            parts.append(name if term["factor"] == 1 else f"{factor} × {name}")
    return " + ".join(parts) or wording.full(0)


# Any other rule has one text, rule_<kind>, about its columns or its transitions.
RULES: Mapping[str, Callable[[RuleData, Wording], str]] = {
    "linked": _linked,
    "one_hot": _one_hot,
    "implies": _implies,
    "inequality": _inequality,
    "leave_out": _leave_out,
}


def candidates_text(feature: Feature, wording: Wording) -> str:
    """State which values a feature may take; "" if it may take none."""
    candidates, column = feature.candidates, feature.name
    if candidates is None:
        return ""
    if feature.group in wording.groups:
        return ", ".join(wording.value(feature.group, (level,)) for level in wording.groups[feature.group])
    if feature.kind == "binary":
        return _values(column, candidates.values, wording)
    count = wording.numbers.count(candidates.count)
    if not candidates.count:
        text = wording.say("candidates_none")
    elif candidates.values:
        values = _values(column, candidates.values, wording, unit=False)
        text = wording.say("candidates_list", count=count, values=values)
    else:
        least, most = candidates.steps or (0, 0)
        text = wording.say(
            wording.share_form("candidates_steps" if least == most else "candidates_between", column),
            count=count,
            low=wording.value(column, candidates.low, unit=False),
            high=wording.value(column, candidates.high, unit=False),
            step=wording.step(column, displayed_step(least), unit=wording.is_share(column)),
            least=wording.step(column, displayed_step(least), unit=False),
            most=wording.step(column, displayed_step(most), unit=wording.is_share(column)),
        )
    if candidates.within_change:
        change = change_text(column, candidates.within_change, wording)
        text = wording.say("candidates_change", candidates=text, change=change)
    for key, holds in (
        ("candidates_stay_missing", candidates.missing_stays),
        ("candidates_go_missing", candidates.may_go_missing),
    ):
        text = wording.say(key, candidates=text) if holds else text
    if candidates.special:
        key = "candidates_leave_special" if candidates.leaves_special else "candidates_stay_special"
        codes = ", ".join(wording.full(code) for code in candidates.special)
        text = wording.say(key, candidates=text, values=codes)
    return text


def change_text(column: str, limit: Sequence[Value], wording: Wording) -> str:
    """State how far a feature may move from today's value: "at most 10% above today's value"."""

    def part(end: Value, moves: str, stays: str) -> str:
        if end in (0, None):
            return "" if end is None else wording.say(stays)
        text = str(end).lstrip("+-")
        if not text.endswith("%"):
            return wording.say(moves, amount=wording.step(column, float(text)))
        percent = wording.numbers.percent(Decimal(text.removesuffix("%")) / 100, decimals=0)
        return wording.say(wording.words.variant(moves, "share"), amount=percent)

    low, high = limit
    above = part(high, "change_above", "change_not_above")
    if high is None:
        return part(low, "change_below", "change_not_below")
    below = part(low, "change_below_it", "change_not_below_it")
    return wording.say("change_both", above=above, below=below) if below else above


def restriction_text(restriction: Restriction, wording: Wording, audience: str = "officer") -> str:
    """Write a restriction in the form that follows "without"."""
    kind = restriction.kind
    if kind == "plausibility":
        return wording.say(wording.words.variant("restriction_plausibility", audience))
    text = wording.say("quoted", text=restriction_line(restriction, wording))
    key = f"restriction_{kind}"
    return wording.say(key if key in wording.words.texts else "restriction_missing", text=text)


def restriction_line(restriction: Restriction, wording: Wording) -> str:
    """Write a restriction in one line, with the weaker one that a relaxation puts in its place."""
    one, column = restriction, restriction.feature
    if one.rule is not None:
        return rule_text(one.rule, wording)
    parts, key = {"name": wording.name(column)}, f"rule_{one.kind}"
    match one.kind:
        case "plausibility":
            return wording.say("restriction_plausibility")
        case "changes":
            parts |= {"most": wording.full(one.most), "more": wording.full(one.instead)}
            key = "rule_at_most" if one.instead is None else "rule_most"
        case "direction":
            key = f"rule_{one.direction}"
        case "change":
            parts["change"] = change_text(column, one.within_change, wording)
        case "range":
            last = ("high", "higher")
            ends = {"low": one.low, "high": one.high, "lower": one.wider_low, "higher": one.wider_high}
            parts |= {
                key: wording.value(column, end, unit=key in last or not wording.unit_follows(column))
                for key, end in ends.items()
            }
            key = wording.share_form("rule_range" if one.wider_low is None else "rule_within", column)
        case "values":
            parts["listed"] = _values(column, one.values, wording)
            key = "rule_choices"
        case "step":
            parts["step"] = wording.step(column, one.step or 0.0)
            key = "rule_step"
        case "special":
            parts["value"] = wording.value(column, one.value)
            key = "rule_special"
        case _:
            pass
    return wording.say(key, **parts)


def violation_text(violation: Violation, wording: Wording) -> str:
    """Write which restriction a proposal violates, and how."""
    restriction = violation.restriction
    text, column = restriction_line(restriction, wording), restriction.feature
    if violation.changes is not None:
        changes = wording.numbers.count(violation.changes)
        return wording.say("broken_changes", restriction=text, changes=changes)
    if restriction.rule is not None or not column:
        return text
    before, after = wording.before_and_after(column, violation.before, violation.after)
    return wording.say("broken_move", restriction=text, before=before, after=after)


def displayed_step(step: float) -> float:
    """Round a step of many digits, such as one between two values of a continuous column.

    >>> displayed_step(1_000_000.0), displayed_step(0.25), displayed_step(0.0032145678901)
    (1000000.0, 0.25, 0.003215)
    """
    if float(step).is_integer() or float(f"{step:.6g}") == step:
        return step
    return float(f"{step:.4g}")


def checked_why(explanation: Explanation, why: object) -> Relaxations | None:
    """Return `why`. Raise if it has another type or person, or changes a protected feature."""
    if why is None:
        return None
    if not isinstance(why, Relaxations):
        raise InvalidArgument(
            f"relaxations= must be what Explainer.relaxations() returned, or None; got {type(why).__name__}."
        )
    if explanation.status is not Status.NO_RECOURSE:
        raise InvalidArgument(
            f"relaxations= belongs to a person without an option, but this explanation is "
            f"{explanation.status}. Leave it out here."
        )
    # In their JSON form, in which a missing value equals itself.
    if to_plain(why.person) != to_plain({name: explanation.person.get(name) for name in why.person}):
        raise InvalidArgument(
            "relaxations= was found for another person than the one explained: their values differ. "
            "Pass what Explainer.relaxations() returned for this explanation."
        )
    check_advice([relaxation.counterfactual for relaxation in why], explanation.problem)
    return why


def relaxation_text(relaxation: Relaxation, wording: Wording, audience: str) -> str:
    """State what must be relaxed, and which option that gives."""
    return wording.say(
        "relaxation" if relaxation.proven else "relaxation_unproven",
        restrictions=wording.listed(
            [restriction_text(one, wording, audience) for one in relaxation.restrictions]
        ),
        todo=clause_of(relaxation.counterfactual, wording),
    )
