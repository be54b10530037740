"""Draw the figures of a page from the data of its view."""

import math
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from p2ce.portfolio.audits.audit_result import Group
from p2ce.present.charts.change_data import change_data
from p2ce.present.charts.front_data import front_data
from p2ce.present.charts.group_data import group_data
from p2ce.present.charts.portfolio_data import cost_data, lever_data
from p2ce.present.charts.svg.draw_changes import draw_changes
from p2ce.present.charts.svg.draw_front import draw_front
from p2ce.present.charts.svg.draw_groups import draw_groups
from p2ce.present.charts.svg.draw_portfolio import draw_costs, draw_levers
from p2ce.present.views.audit_view import AuditView
from p2ce.present.views.many_view import ManyView
from p2ce.present.views.view import View
from p2ce.result.explanations import shared_objectives


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Drawings with a caption. A legend has the look, mark and words of each option."""

    caption: str
    drawings: tuple[Markup, ...]
    wide: bool = False
    legend: tuple[tuple[int | None, str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure under a heading, and the table with the same content."""

    heading: str  # the key of its words
    drawn: Figure
    caption: str
    columns: tuple[str, str]
    rows: tuple[tuple[str, str], ...]
    note: str


def of_person(view: View) -> list[tuple[str, Figure]]:
    """Draw what the options change and how they compare, each with the key of its heading."""
    found = {"changes_heading": changes(view), "front_heading": _front(view)}
    return [(heading, figure) for heading, figure in found.items() if figure is not None]


def changes(view: View) -> Figure | None:
    """Draw what the highlighted options change, with the population behind; None if nothing changes."""
    if not view.options:
        return None
    explanation, wording = view.explanation, view.wording
    with np.errstate(all="ignore"):  # infinite costs have no order, but must not fail either
        shown = [option.number for option in view.picks]
        data = change_data(explanation, wording, shown, lettered=view.lettered)
    if not data.features:
        return None
    people = 0 if explanation.problem is None else explanation.problem.people
    caption = wording.say("changes_figure_plain")
    if data.has_population and people:
        caption = wording.say("changes_figure", count=wording.numbers.count(people))
    return Figure(caption=caption, drawings=draw_changes(data, wording))


def _front(view: View) -> Figure | None:
    explanation, wording = view.explanation, view.wording
    costs = [option.costs[name] for option in explanation for name in explanation.objectives]
    if not costs or not all(math.isfinite(cost) for cost in costs):
        return None
    data = front_data(explanation, wording, lettered=view.lettered)
    drawn = draw_front(data, wording)
    if drawn is None:
        return None
    legend: list[tuple[int | None, str, str]] = [
        (
            option.look,
            option.mark,
            option.stands_out or wording.say("option_heading", number=option.mark),
        )
        for option in view.picks
    ]
    if view.others:
        legend.append((None, "", wording.counted("others", len(view.others))))
    return Figure(
        caption=wording.say("front_figure" if len(data.axes) == 2 else "front_lines"),
        drawings=(drawn,),
        wide=True,
        legend=tuple(legend),
    )


def of_many(view: ManyView) -> list[Chart]:
    """Draw the sizes of the smallest changes, and what changes most often, for people who have options."""
    explanations, wording = view.explanations, view.wording
    entries = [one for one in explanations if len(one)]
    if not any(one.objectives for one in entries):
        return []
    charts = []
    if shared_objectives(entries):  # people of several explainers may have none in common
        costs = cost_data(explanations, wording)
        charts.append(
            Chart(
                heading="costs_heading",
                drawn=Figure(
                    caption=wording.say("costs_figure", objective=wording.objective(costs.objective)),
                    drawings=(draw_costs(costs, wording),),
                    wide=True,
                ),
                caption=wording.say("costs_table"),
                columns=(wording.say("col_cost"), wording.say("col_people")),
                rows=tuple(
                    (bar.text, wording.numbers.count(int(bar.size))) for bar in costs.bars if bar.size
                ),
                note=costs.note,
            )
        )
    levers = lever_data(explanations, wording)
    if levers.levers:
        charts.append(
            Chart(
                heading="levers_heading",
                drawn=Figure(
                    caption=wording.say("levers_figure"), drawings=(draw_levers(levers),), wide=True
                ),
                caption=wording.say("levers_table"),
                columns=(wording.say("col_lever"), wording.say("col_share")),
                rows=tuple((lever.name, lever.text) for lever in levers.levers),
                note=levers.note,
            )
        )
    return charts


def of_grouping(view: AuditView, groups: tuple[Group, ...]) -> Figure | None:
    """Draw how many of each group are rejected and have recourse, and the quartiles of each objective."""
    audit, wording = view.audit, view.wording
    drawn = tuple(
        draw_groups(group_data(audit, groups, metric, wording))
        for metric in audit.all_metrics
        if metric.name in ("rejection_rate", "recourse_rate") or metric.is_median
        if any(metric.name in group.metrics for group in groups)
    )
    caption = wording.say("audit_figure", confidence=wording.numbers.percent(audit.confidence))
    return Figure(caption=caption, drawings=drawn) if drawn else None
