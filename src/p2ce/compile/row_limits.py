"""Read the limits that a caller states for single rows, and write them into records of explanations."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.compile.compiled_problem import ParsedProblem, Problem, parsed_part
from p2ce.compile.lay_out import SearchSpace, lay_out_again
from p2ce.compile.own_ranges import InstanceRows, LimitedRows, RowLimits
from p2ce.engine.grid.base_grid import OneWay
from p2ce.errors import InvalidArgument, nearest
from p2ce.policy.features.change_limit import whole_ends
from p2ce.policy.features.decimals import to_dtype
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.policy import Policy
from p2ce.policy.rules.one_hot import OneHot
from p2ce.result.explanation import Explanation
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables import as_pandas
from p2ce.tables.encode import EncodedRows
from p2ce.tables.kinds import PANDAS

LIMITS = "limits"  # the setting of a record that states the limits of a row
ENDS = ("low", "high")
EXAMPLE = "limits={'Income': (None, 50_000)}"


def limits_of_row(problem: ParsedProblem, given: Any) -> RowLimits:
    """Return the limits of one row, from a dict of ranges; None is an open end."""
    if not isinstance(given, Mapping):
        raise InvalidArgument(
            f"limits of a row must be a dict of ranges, got {type(given).__name__}. Pass {EXAMPLE}."
        )
    limits = _no_limits(problem, 1)
    for name, ends in given.items():
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise InvalidArgument(
                f"limits of {echoed(name)} must be (low, high), got {echoed(ends)}. Pass {EXAMPLE}."
            )
        for end, value in zip(ENDS, ends, strict=True):
            _enter(limits, problem, str(name), end, np.array([value], dtype=object), ids=(None,))
    _require_order(limits, problem, ids=(None,))
    return limits


def limits_of_table(problem: ParsedProblem, given: Any, rows: Any, encoded: EncodedRows) -> RowLimits:
    """Return the limits of the rows of a table, from a table with columns such as Income_low and Income_high.

    Two pandas tables match by their ids, in any order. Other tables match row by row.
    """
    frame, kind = as_pandas(given, error=InvalidArgument)
    if kind == PANDAS and hasattr(rows, "index") and not frame.index.equals(rows.index):
        if not (frame.index.is_unique and rows.index.is_unique and set(frame.index) == set(rows.index)):
            lacking = [one for one in rows.index if one not in frame.index]
            what = f"lacks {echoed(lacking[0])}" if lacking else "has other ids than the rows, or some twice"
            raise InvalidArgument(
                f"limits needs one row for each person, with the same index: it {what}. "
                "Build it from the rows: pd.DataFrame({'Income_high': 1.1 * rows['Income']})."
            )
        frame = frame.loc[rows.index]
    if len(frame) != len(encoded):
        raise InvalidArgument(
            f"limits needs one row for each of the {len(encoded):,} people, got {len(frame):,} rows."
        )
    limits = _no_limits(problem, len(frame))
    for place, label in enumerate(frame.columns):
        name, _, end = str(label).rpartition("_")
        if end not in ENDS:
            raise InvalidArgument(
                f"Columns of limits are named after a feature and an end, such as 'Income_low' and "
                f"'Income_high', got {echoed(str(label))}. Rename or drop it."
            )
        _enter(limits, problem, name, end, np.array(frame.iloc[:, place].tolist(), dtype=object), encoded.ids)
    _require_order(limits, problem, encoded.ids)
    return limits


def _no_limits(problem: ParsedProblem, count: int) -> RowLimits:
    shape = (count, len(problem.names))
    return RowLimits(low=np.full(shape, -np.inf), high=np.full(shape, np.inf))


def _enter(
    limits: RowLimits, problem: ParsedProblem, name: str, end: str, given: Any, ids: tuple[Any, ...]
) -> None:
    """Write one end of a feature's limits (n,), in the column's own precision, as `within` does."""
    if name not in problem.names:
        raise InvalidArgument(
            f"limits names {echoed(name)}, which is not a feature. {nearest(name, problem.names)}"
        )
    place = problem.names.index(name)
    feature = problem.features[place]
    if feature.is_category:
        raise InvalidArgument(
            f"limits are for numbers, but {echoed(name)} is a category. Use candidates() in a policy."
        )
    for rule in problem.policy.rules:
        if isinstance(rule, OneHot) and name in rule.columns:
            raise InvalidArgument(
                f"limits cannot limit {echoed(name)}, a column of a one-hot group. Use fix() in a policy."
            )
    target = limits.low if end == "low" else limits.high
    for row, value in enumerate(given.tolist()):
        if value is None or value != value or str(value) == "<NA>":
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if np.isnan(number) or isinstance(value, str | bool):
            who = "" if ids[row] is None else f" of {echoed(ids[row])}"
            raise InvalidArgument(
                f"limits expects numbers, got {echoed(value)} for {echoed(name)}{who}. An empty cell or None "
                "is no limit."
            )
        target[row, place] = to_dtype(number, feature.dtype)


def _require_order(limits: RowLimits, problem: ParsedProblem, ids: tuple[Any, ...]) -> None:
    wrong = np.argwhere(limits.low > limits.high)
    if len(wrong):
        row, place = wrong[0].tolist()
        low, high = float(limits.low[row, place]), float(limits.high[row, place])
        who = "" if ids[row] is None else f" of {echoed(ids[row])}"
        raise InvalidArgument(
            f"limits of {echoed(problem.names[place])}{who} are {low:g} to {high:g}, which is empty. "
            "Swap the ends."
        )


def stating(record: ProblemRecord, problem: ParsedProblem, limits: RowLimits, at: int) -> ProblemRecord:
    """Return the record of the problem of one row, with its limits."""
    stated = {
        name: [
            None if np.isinf(end) else float(end) for end in (limits.low[at, place], limits.high[at, place])
        ]
        for place, name in enumerate(problem.names)
        if limits.low[at, place] > -np.inf or limits.high[at, place] < np.inf
    }
    if not stated:
        return record
    return replace(record, settings={**record.settings, LIMITS: json.dumps(stated)})


def stated_limits(record: ProblemRecord | None) -> dict[str, tuple[float | None, float | None]] | None:
    """Return the limits that a record states for its person; None if there are none."""
    text = None if record is None else record.settings.get(LIMITS)
    if text is None:
        return None
    try:
        return {str(name): (low, high) for name, (low, high) in json.loads(str(text)).items()}
    except (ValueError, TypeError, AttributeError):
        raise InvalidArgument(
            f"The explanation states limits that cannot be read: {echoed(text)}. Explain the person again."
        ) from None


def explained_rows(problem: ParsedProblem, explanation: Explanation, values: FloatArray) -> InstanceRows:
    """Return the encoded person (1, d) of an explanation, with the limits that it states."""
    stated = stated_limits(explanation.problem)
    return values if stated is None else LimitedRows(codes=values, limits=limits_of_row(problem, stated))


def with_limits_as_ranges(problem: Problem, limits: RowLimits) -> Problem:
    """Return the problem of one person whose limits are the ranges of the policy, with the same candidates.

    So everything that is said of ranges holds for these limits, also how they can be relaxed.
    """
    ranges = {
        name: (float(limits.low[0, place]), float(limits.high[0, place]))
        for place, name in enumerate(problem.names)
        if limits.low[0, place] > -np.inf or limits.high[0, place] < np.inf
    }
    searched = _within(problem.searched, ranges)
    parsed = replace(parsed_part(problem), policy=_within(problem.policy, ranges))
    one_way = {
        name: OneWay(*(np.setdiff1d(side, ranges[name]) for side in sides)) if name in ranges else sides
        for name, sides in problem.one_way.items()
    }
    space = SearchSpace(problem.requirements, problem.detail, searched, one_way)
    return lay_out_again(problem, parsed, space=space, estimate=problem.estimate)


def _within(policy: Policy, ranges: Mapping[str, tuple[float, float]]) -> Policy:
    features = tuple(
        _narrowed(feature, *ranges[feature.name]) if feature.name in ranges else feature
        for feature in policy.features
    )
    return replace(policy, features=features)


def _narrowed(feature: FeaturePolicy, low: float, high: float) -> FeaturePolicy:
    """Narrow the range of a feature. If the data chose its candidates, they stay, and the ends are added."""
    before, after = feature.ends()
    ends = max(low, before), min(high, after)
    if feature.fixed:
        return replace(feature, stated_range=ends)
    known = feature.candidates()
    inside = known[(known >= low) & (known <= high)]
    if not feature.is_inferred:
        # No policy states a range without a candidate: the feature stays as it is.
        stays = not len(inside) and not feature.may_go_missing
        return replace(feature, fixed=True) if stays else replace(feature, stated_range=ends)
    added = np.array(list(_added(feature, known, low, high)))
    candidates = tuple(np.union1d(inside, added).tolist())
    return replace(feature, stated_range=ends, low=ends[0], high=ends[1], inferred=candidates)


def _added(feature: FeaturePolicy, known: FloatArray, low: float, high: float) -> Iterator[float]:
    if feature.kind is not Kind.NUMBER:
        low, high = whole_ends(low, high)
    for end in (low, high):
        if len(known) and known[0] < end < known[-1] and low <= high and end not in feature.special:
            yield end
