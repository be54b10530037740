"""Collect what a chart of groups draws: a metric of each group with its interval, and of all people."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from p2ce.portfolio.audits.audit_result import Audit, Group
from p2ce.portfolio.audits.groupings import MISSING
from p2ce.portfolio.audits.metrics import QUARTILES, Metric
from p2ce.present.charts.axis_scales import AxisScale, Tick, text_ticks
from p2ce.present.charts.front_data import cost_scale, cost_ticks
from p2ce.present.wording import Wording

MOST_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One group. Places are None if it is too small for a figure."""

    name: str
    text: str  # the figure, or a note that there are too few people
    place: float | None = None
    low: float | None = None
    high: float | None = None
    has_end: bool = True  # else the interval continues beyond the axis, and `high` is the end of the axis
    box: tuple[float, float] | None = None  # from the lower to the upper quartile


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupData:
    """One metric of all groups of a grouping."""

    heading: str  # the columns that define the groups
    title: str  # of the axis
    rows: tuple[GroupRow, ...]
    ticks: tuple[Tick, ...]
    whole: Tick | None  # the figure of all people
    note: str  # "" if all groups are drawn, with complete intervals


def metric_name(metric: Metric, wording: Wording) -> str:
    """Return the name of a metric in words."""
    kind = metric.name.removesuffix(f"_{metric.objective}") if metric.objective else metric.name
    parts = {"objective": wording.objective(metric.objective)} if metric.objective else {}
    return wording.say(f"metric_{kind}", **parts)


def group_name(group: Group, wording: Wording) -> str:
    """Return the name of a group: its values, as in the data."""
    return " · ".join(wording.say("audit_missing") if value == MISSING else value for value in group.values)


def grouping_name(columns: Sequence[str], wording: Wording) -> str:
    """Return the name of a grouping: the names of its columns."""
    return wording.listed([wording.name(column) for column in columns])


def metric_text(value: float, metric: Metric, wording: Wording) -> str:
    """Write a figure: a share in per cent, a cost as costs are written."""
    if metric.kind == "rate":
        return wording.numbers.percent(round(value, 3))
    return cost_text(value, wording)


def cost_text(cost: float, wording: Wording) -> str:
    """Write a cost with three digits, which is more than an interval of groups can distinguish."""
    if math.isinf(cost):  # the end of an interval, if searches are unfinished
        return wording.say("audit_open")
    return wording.numbers.cost(float(f"{cost:.3g}") if abs(cost) < 1000 else cost)


def group_data(audit: Audit, groups: Sequence[Group], metric: Metric, wording: Wording) -> GroupData:
    """Collect one metric of some groups of a grouping. A median comes with its quartiles."""
    shown, everybody = groups[:MOST_ROWS], audit.all_people.metrics.get(metric.name)
    quartiles = _quartiles(metric)
    drawn = [
        value
        for group in shown
        for name in (metric.name, *quartiles)
        if (found := group.metrics.get(name)) is not None
        for value in ((found.low, found.high, found.value) if name == metric.name else (found.value,))
        if math.isfinite(value)
    ]
    drawn += [] if everybody is None else [everybody.value]
    if metric.kind == "rate":
        scale = _share_scale(drawn)
        ticks = text_ticks(scale, wording.numbers.share)
    else:
        scale = cost_scale(min(drawn, default=0.0), max(drawn, default=1.0))
        ticks = cost_ticks(scale, drawn, wording)
    return GroupData(
        heading=grouping_name(groups[0].columns, wording),
        title=metric_name(metric, wording),
        rows=tuple(_row(group, metric, quartiles, scale, wording) for group in shown),
        ticks=ticks,
        whole=None
        if everybody is None
        else Tick(scale.place(everybody.value), metric_text(everybody.value, metric, wording)),
        note=" ".join(_notes(shown, len(groups) - len(shown), metric, wording)),
    )


def _notes(shown: Sequence[Group], more: int, metric: Metric, wording: Wording) -> Iterator[str]:
    """List what a chart does not draw."""
    if any(metric.name in group.metrics and math.isinf(group.metrics[metric.name].high) for group in shown):
        yield wording.say("audit_open_figure")
    if more:
        yield wording.counted("chart_more_groups", more)


def _share_scale(shares: Sequence[float]) -> AxisScale:
    """Return an axis in whole tens of per cent that includes all shares, at least 20 % long."""
    low, high = min(shares, default=0.0), max(shares, default=1.0)
    begin = min(math.floor(10 * low) / 10, 0.8)
    return AxisScale(begin, max(math.ceil(10 * high) / 10, begin + 0.2))


def _quartiles(metric: Metric) -> tuple[str, str] | tuple[()]:
    if not metric.is_median:
        return ()
    return f"{QUARTILES[0][0]}_{metric.objective}", f"{QUARTILES[2][0]}_{metric.objective}"


def _row(
    group: Group, metric: Metric, quartiles: Sequence[str], scale: AxisScale, wording: Wording
) -> GroupRow:
    name, found = group_name(group, wording), group.metrics.get(metric.name)
    if found is None:
        return GroupRow(name=name, text=wording.say("audit_few"))
    ends = [group.metrics[one].value for one in quartiles if one in group.metrics]
    return GroupRow(
        name=name,
        text=metric_text(found.value, metric, wording),
        place=scale.place(found.value),
        low=scale.place(found.low),
        high=scale.place(found.high) if math.isfinite(found.high) else 1.0,
        has_end=math.isfinite(found.high),
        box=(scale.place(ends[0]), scale.place(ends[1])) if len(ends) == 2 else None,
    )
