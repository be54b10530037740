"""Collect what a chart of costs draws: each person's cheapest option, and who has none."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidArgument
from p2ce.present.charts.axis_scales import Scale, Tick, is_whole, share_text, text_ticks
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.front_data import check_objective, cost_scale, cost_ticks
from p2ce.present.speaker import Speaker, speaker_for
from p2ce.result import Explanation, Explanations, Status
from p2ce.result.question import Question

Outcome = Literal["with_options", "unproven", "no_recourse", "no_fronts", "favourable", "error"]
OUTCOMES: tuple[Outcome, ...] = (
    "with_options",
    "unproven",
    "no_recourse",
    "no_fronts",
    "favourable",
    "error",
)
MOST_BINS = 24
MOST_COUNTS = 30  # different whole costs, each of which gets a bar of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class CostBar:
    """The people whose cheapest option costs between `low` and `high`; places are 0 to 1."""

    low: float
    high: float
    begin: float
    end: float
    people: int
    height: float  # 1 is the top of the frame
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """How many people have one status."""

    outcome: Outcome
    name: str
    people: int
    share: float  # of all people
    text: str  # "712 (71 %)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostData:
    """The spread of the cheapest costs over people; `outcomes` add up to all of them."""

    language: str
    objective: str
    title: str  # of the axis of costs
    up_title: str
    bars: tuple[CostBar, ...]
    ticks: tuple[Tick, ...]
    up_ticks: tuple[Tick, ...]
    median: Tick | None  # None where nobody has an option
    outcomes: tuple[OutcomeCount, ...]  # all of them, in a fixed order, also those of nobody
    people: int
    people_text: str
    empty: str  # what stands in the frame where nobody has an option
    note: str  # for how many people the cost is only an upper bound, "" for nobody


def cost_data(explanations: Explanations, objective: str | None = None, *, language: str = "en") -> CostData:
    """Gather the cheapest cost of each person in one objective, the first that all have if none is named."""
    question: Question | None = None
    counts = dict.fromkeys(OUTCOMES, 0)
    entries: list[Explanation] = list(explanations)
    for entry in entries:
        question = question or entry.question
        counts[outcome_of(entry)] += 1
    known = shared_objectives(entries)
    speaker = speaker_for(question, language)
    if not known:
        raise InvalidArgument(
            "plot_costs() needs people whose explanations share an objective, and these share none. "
            "Look at explanations.summary() for what happened to each."
        )
    chosen = known[0] if objective is None else objective
    check_objective(chosen, known)
    costs = np.array(
        [min(option.costs[chosen] for option in entry) for entry in entries if len(entry)], dtype=np.float64
    )
    scale, edges, bins = _histogram(costs)
    top = Scale(low=0.0, high=1.12 * max(int(bins.max(initial=0)), 1))
    return CostData(
        language=language,
        objective=chosen,
        title=label(language, "cheapest_cost", objective=speaker.objective(chosen)),
        up_title=label(language, "people"),
        bars=_bars(scale, edges, bins, top, costs, speaker),
        ticks=cost_ticks(scale, costs.tolist(), speaker) if len(costs) else (),
        up_ticks=text_ticks(top, lambda value: speaker.figure(value, 0), whole=True, most=5)
        if len(costs)
        else (),
        median=_median(costs, scale, speaker),
        outcomes=tuple(_outcome(one, count, len(entries), speaker) for one, count in counts.items()),
        people=len(entries),
        people_text=people_text(len(entries), speaker),
        empty="" if len(costs) else label(language, "nobody"),
        note=_note(counts["unproven"], speaker),
    )


def shared_objectives(entries: Iterable[Explanation]) -> tuple[str, ...]:
    """List the objectives that all people have who have an option; those of the others if nobody has."""
    found: tuple[str, ...] = ()
    some: tuple[str, ...] | None = None
    for entry in entries:
        found = found or entry.objectives
        if len(entry):
            some = entry.objectives if some is None else tuple(one for one in some if one in entry.objectives)
    return found if some is None else some


def outcome_of(entry: Explanation) -> Outcome:
    """Say in which of the groups a person is counted; an option is not always proven to be the cheapest."""
    if entry.status is Status.ERROR:
        return "error"
    if entry.status is Status.ALREADY_FAVOURABLE:
        return "favourable"
    if len(entry):
        proven = entry.certificate is None or entry.certificate.proven
        return "with_options" if proven and entry.status is Status.OPTIMAL else "unproven"
    return "no_recourse" if entry.status is Status.NO_RECOURSE else "no_fronts"


def people_text(count: int, speaker: Speaker) -> str:
    """Write how many people there are."""
    key = "person_count" if count == 1 else "people_count"
    return label(speaker.language, key, count=speaker.figure(count, 0))


def _note(unproven: int, speaker: Speaker) -> str:
    if not unproven:
        return ""
    key = "upper_bound" if unproven == 1 else "upper_bounds"
    return label(speaker.language, key, count=speaker.figure(unproven, 0))


def _outcome(outcome: Outcome, count: int, people: int, speaker: Speaker) -> OutcomeCount:
    share = count / people if people else 0.0
    return OutcomeCount(
        outcome=outcome,
        name=label(speaker.language, outcome),
        people=count,
        share=share,
        text=f"{speaker.figure(count, 0)} ({share_text(share, speaker)})",
    )


def _histogram(costs: FloatArray) -> tuple[Scale, FloatArray, FloatArray]:
    """Choose bins: one for each whole cost where costs are counts, else of one width from zero on."""
    if not len(costs):
        return Scale(low=0.0, high=1.0), np.array([0.0, 1.0]), np.zeros(0)
    low, high = float(costs.min()), float(costs.max())
    if is_whole(costs.tolist()) and high - low < MOST_COUNTS:
        edges = np.arange(low - 0.5, high + 1.0)
        # Room for a few bars, so that one alone is not a wall.
        scale = Scale(low=min(0.5, low - 0.5) if low <= 10 else low - 1.0, high=max(high, low + 4) + 0.5)
    else:
        scale = cost_scale(low, high)
        count = int(np.clip(np.sqrt(len(costs)), 5, MOST_BINS))
        edges = np.linspace(scale.low, max(high, float(np.nextafter(scale.low, np.inf))), count + 1)
        if not (np.diff(edges) > 0).all():  # costs that are almost equal floats
            edges = np.array([scale.low, scale.high])
    bins, _ = np.histogram(costs, bins=edges)
    return scale, edges, bins


def _bars(
    scale: Scale, edges: FloatArray, bins: FloatArray, top: Scale, costs: FloatArray, speaker: Speaker
) -> tuple[CostBar, ...]:
    counts = bool(len(costs)) and is_whole(costs.tolist()) and len(bins) <= MOST_COUNTS
    bars = []
    for low, high, people in zip(edges.tolist(), edges[1:].tolist(), bins.tolist(), strict=False):
        gap = 0.12 * (high - low) if counts else 0.0
        where = speaker.cost((low + high) / 2) if counts else f"{speaker.cost(low)}–{speaker.cost(high)}"
        bars.append(
            CostBar(
                low=low,
                high=high,
                begin=scale.place(low + gap),
                end=scale.place(high - gap),
                people=int(people),
                height=top.place(people),
                text=f"{where}: {people_text(int(people), speaker)}",
            )
        )
    return tuple(bars)


def _median(costs: FloatArray, scale: Scale, speaker: Speaker) -> Tick | None:
    if not len(costs):
        return None
    middle = float(np.median(costs))
    text = label(speaker.language, "median", value=speaker.cost(middle))
    return Tick(place=scale.place(middle), text=text)
