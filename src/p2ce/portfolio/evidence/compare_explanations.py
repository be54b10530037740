"""Compare a recorded explanation with that of a repeated search, field by field."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from inspect import signature
from typing import Any

from p2ce.base.visible import echoed
from p2ce.explainer import Explainer
from p2ce.portfolio.evidence.replay_outcome import Difference, DifferenceKind
from p2ce.result.certificate import Certificate
from p2ce.result.counterfactual import POINTS, SCORES, Counterfactual, same_score
from p2ce.result.explanation import Explanation
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables.json_values import plain_fields, to_plain

# The fields of an explanation that are not compared. The row and the arguments of explain() are inputs of the
# search. Tables and times are not part of a result, and the amount of work depends on the rest of the batch.
REPEATED = tuple(
    one.name
    for one in fields(Explanation)
    if one.name in signature(Explainer.explain).parameters and one.name != "objectives"  # only their names
)
INPUTS = ("person", *REPEATED)
NO_RESULT = ("_kind", "elapsed", "timings")  # the first is only for tables, and not in the file
SCORE_TODAY = "plausibility_today"  # of the person; equality ignores it because of rounding
WORK = tuple(one.name for one in fields(Certificate) if not one.compare and one.name != SCORE_TODAY)
# Versions are information only. Hashes are compared with their content, see `p2ce.evidence.replay`.
APART_IN_PROBLEM = ("versions", "hashes")
SCORES_OF_INSTANCE = ("person_score", "person_prediction")
NOT_COMPARED = ("elapsed", "timings", *(f"certificate.{name}" for name in WORK), "problem.versions")


def compared_fields() -> tuple[str, ...]:
    """List the fields of an explanation that are compared."""
    apart = (*INPUTS, *NO_RESULT, "certificate", "problem")
    certificate = [f"certificate.{one.name}" for one in fields(Certificate) if one.name not in WORK]
    problem = [f"problem.{one.name}" for one in fields(ProblemRecord) if one.name not in APART_IN_PROBLEM]
    return (*(one.name for one in fields(Explanation) if one.name not in apart), *certificate, *problem)


def differences_of(recorded: Explanation, found: Explanation) -> Iterator[Difference]:
    """Yield all differences between two explanations and between their problems."""
    yield from _options(recorded, found)
    yield from _fields(recorded, found)
    yield from _certificates(recorded.certificate, found.certificate)
    assert recorded.problem is not None
    assert found.problem is not None
    then, now = (record_entries(one) for one in (recorded.problem, found.problem))
    for what, before, after in entries_apart(then, now):
        yield Difference(kind="problem", what=what, recorded=before, found=after)


def record_entries(problem: ProblemRecord) -> dict[str, Any]:
    """Return the parts of a problem that readers see, as JSON-ready data."""
    return plain_fields(problem, APART_IN_PROBLEM)


def entries_apart(then: Any, now: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost entries that differ between two JSON-ready mappings; None for a missing entry."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*then, *now]):
            inside = f"{place}.{name}" if place else str(name)
            yield from entries_apart(then.get(name), now.get(name), inside)
    elif not alike(then, now):
        yield place, then, now


def alike(then: Any, now: Any) -> bool:
    """Return whether JSON-ready data are equal to a reader: 7 equals 7.0, but 1 does not equal true."""
    if isinstance(then, dict) and isinstance(now, dict):
        return then.keys() == now.keys() and all(alike(then[name], now[name]) for name in then)
    if isinstance(then, list) and isinstance(now, list):
        return len(then) == len(now) and all(map(alike, then, now))
    return bool(then == now) and isinstance(then, bool) is isinstance(now, bool)


def _fields(recorded: Explanation, found: Explanation) -> Iterator[Difference]:
    apart = ("counterfactuals", "certificate", "problem", *INPUTS, *NO_RESULT)
    then, now = (plain_fields(one, apart) for one in (recorded, found))
    # JSON objects have no order, but columns do.
    then["columns"], now["columns"] = list(recorded.dtypes), list(found.dtypes)
    for name in then:
        same = same_score if name in SCORES_OF_INSTANCE else _same_points if name == "points" else alike
        if not same(then[name], now[name]):
            of_instance, is_status = name in SCORES_OF_INSTANCE, name == "status"
            kind: DifferenceKind = "person" if of_instance else "status" if is_status else "problem"
            yield Difference(kind=kind, what=name, recorded=then[name], found=now[name])


def _same_points(then: Any, now: Any) -> bool:
    """Compare points of a person, which follow from scores, so rounding may differ."""
    if not isinstance(then, dict) or not isinstance(now, dict):
        return bool(then == now)
    return then.keys() == now.keys() and all(same_score(then[name], now[name]) for name in then)


def _certificates(before: Certificate | None, after: Certificate | None) -> Iterator[Difference]:
    if before is None or after is None:
        if before is not after:
            yield Difference(kind="certificate", what="certificate", recorded=before, found=after)
        return
    then, now = (plain_fields(one, WORK) for one in (before, after))
    for name in then:
        if not (same_score(then[name], now[name]) if name == SCORE_TODAY else alike(then[name], now[name])):
            kind: DifferenceKind = "proven" if name == "proven" else "certificate"
            yield Difference(kind=kind, what=name, recorded=then[name], found=now[name])


def _options(recorded: Explanation, found: Explanation) -> Iterator[Difference]:
    then, now = ({_key(option): option for option in one} for one in (recorded, found))
    for key, option in then.items():
        if key not in now:
            yield Difference(kind="option removed", what=_moves(option), recorded=option.number)
        else:
            yield from _changed(option, now[key])
    for key, option in now.items():
        if key not in then:
            yield Difference(kind="option added", what=_moves(option), found=option.number)
    for key, times in Counter(map(_key, recorded)).items():
        if times > 1:
            yield Difference(kind="option repeated", what=_moves(then[key]), recorded=times, found=1)
    if [*then] != [*now] and then.keys() == now.keys():
        order = [1 + [*now].index(key) for key in then]
        yield Difference(kind="problem", what="the order of options", recorded=order, found=sorted(order))


def _changed(recorded: Counterfactual, found: Counterfactual) -> Iterator[Difference]:
    then, now = (plain_fields(option, ("number",)) for option in (recorded, found))  # its position
    for name, value in then.items():
        if not (same_score(value, now[name]) if name in (*SCORES, *POINTS) else alike(value, now[name])):
            what = f"{name} of {_moves(recorded)}"
            yield Difference(kind="option changed", what=what, recorded=value, found=now[name])


def _key(option: Counterfactual) -> str:
    """Return a key of an option: its changes."""
    return json.dumps(to_plain(option.changes), sort_keys=True)


def _moves(option: Counterfactual) -> str:
    """Describe an option by its changes."""
    changes = (
        f"{name} {echoed(before, most=60)} → {echoed(after, most=60)}"
        for name, (before, after) in option.changes.items()
    )
    return ", ".join(changes)
