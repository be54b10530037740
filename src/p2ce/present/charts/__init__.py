"""Draw explanations: the front, the changes, a map of two features; costs, levers and groups of people."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol, overload

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest, not_installed
from p2ce.portfolio.audits.audit_result import Audit
from p2ce.present.charts.change_data import change_data
from p2ce.present.charts.front_data import front_data
from p2ce.present.charts.group_data import group_data
from p2ce.present.charts.map_data import map_data
from p2ce.present.charts.portfolio_data import cost_data, lever_data, wording_of_all
from p2ce.present.wording import wording_for, wording_of
from p2ce.result import Explanation, Explanations, FeatureMap
from p2ce.result.picks import Pick

__all__ = ["plot_changes", "plot_costs", "plot_front", "plot_groups", "plot_levers", "plot_map"]

KINDS = ("auto", "pairs", "parallel")
# The reason why a subject cannot be drawn, and what to do about it.
NOT_ONE = "Draw one person: explanations[0]."
NOT_MANY = "They come from explainer.explain_many(people), or Explanations([one, another])."
NO_AUDIT = "Create it with p2ce.audit(explanations, groups)."
NO_MAP = "Write plot_map(explainer, explanation, 'Income', 'Age')."
NO_OPTION = "this person has no option ({status}). See p2ce.to_text(explanation) for the reason."
NOBODY = "there are no explanations."


def plot_front(
    explanation: Explanation,
    *,
    objectives: Sequence[str] | None = None,
    kind: str = "auto",
    language: str = "en",
    ax: Any = None,
) -> Any:
    """Draw every option by its costs. A few options are highlighted, with what each is best at.

    Two objectives make one panel, and three or more make parallel coordinates. ``kind="pairs"`` makes a panel
    for each pair of objectives. `objectives` are some of the explanation's, in the order to draw them. `ax`
    are matplotlib axes to draw on, for a chart of one panel; they keep their style. Returns a matplotlib
    Figure, made without pyplot: notebooks show it, and ``figure.savefig("front.png")`` saves it.

    >>> from p2ce.result import Counterfactual, Status
    >>> options = tuple(
    ...     Counterfactual(values={"LoanAmount": new}, changes={"LoanAmount": (7500, new)},
    ...                    costs={"mean_distance": cost, "changes": 1.0}, score=0.6)
    ...     for new, cost in ((5200, 0.2), (4000, 0.3))
    ... )
    >>> explanation = Explanation(
    ...     status=Status.OPTIMAL, person={"LoanAmount": 7500}, person_score=0.31, at_least=0.5, target=1,
    ...     counterfactuals=options, objectives=("mean_distance", "changes"), dtypes={"LoanAmount": "int64"},
    ... )
    >>> figure = plot_front(explanation)
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['overall change']
    """
    _check(explanation, Explanation, "plot_front", NOT_ONE, NO_OPTION)
    if kind not in KINDS:
        raise InvalidArgument(
            f"kind must be one of {list(KINDS)}; got {echoed(kind)}. {nearest(kind, KINDS)}"
        )
    wording = wording_of(explanation, language)
    data = front_data(explanation, wording, objectives=objectives)
    if not data.axes:
        raise InvalidArgument("There is nothing to draw: these options were found without any objective.")
    if kind == "auto":
        kind = "pairs" if len(data.axes) <= 2 else "parallel"
    if ax is not None and not hasattr(ax, "get_xaxis"):
        raise InvalidArgument(f"ax must be matplotlib axes; got {type(ax).__name__}.")
    if ax is not None and kind == "pairs" and len(data.pairs) > 1:
        raise InvalidArgument(
            f"ax has room for one panel, but these objectives make {len(data.pairs)}. "
            "Name two objectives, or pass kind='parallel'."
        )
    return _draw("front", "front", data, wording, kind=kind, ax=ax)


def plot_changes(
    explanation: Explanation, *, options: Iterable[int | Pick] | None = None, language: str = "en"
) -> Any:
    """Draw what options change, from today's value to the new one, with the population behind each feature.

    `options` are numbers of options, counted from 1, or what ``explanation.pick(3)`` returned. By default,
    all options are drawn, or three picks if there are more than five.
    """
    _check(explanation, Explanation, "plot_changes", NOT_ONE, NO_OPTION)
    wording = wording_of(explanation, language)
    data = change_data(explanation, wording, options)
    if not data.features:
        raise InvalidArgument("There is nothing to draw: the chosen options change no feature.")
    return _draw("changes", "changes", data, wording)


class MakesMaps(Protocol):
    """What `plot_map` needs from an `Explainer`."""

    def feature_map(self, explanation: Explanation, across: str, up: str) -> FeatureMap:
        """Evaluate a person with two features at all values."""


@overload
def plot_map(subject: FeatureMap, *, language: str = ...) -> Any: ...
@overload
def plot_map(
    subject: MakesMaps, explanation: Explanation, across: str, up: str, *, language: str = ...
) -> Any: ...
def plot_map(
    subject: FeatureMap | MakesMaps,
    explanation: Explanation | None = None,
    across: str | None = None,
    up: str | None = None,
    *,
    language: str = "en",
) -> Any:
    """Draw two features of one person: where the model accepts, what is plausible, and where options lead.

    ``plot_map(explainer, explanation, "LoanAmount", "Term")`` computes and draws the map.
    ``plot_map(feature_map)`` draws a map that ``explainer.feature_map(…)`` has computed. All other features
    keep today's values. Options that also change other features are not drawn, but counted in a note.
    """
    feature_map: Any = subject
    given = [one for one in (explanation, across, up) if one is not None]
    if isinstance(subject, FeatureMap):
        if given:
            raise InvalidArgument(f"plot_map() of a FeatureMap takes no other features. {NO_MAP}")
    elif hasattr(subject, "feature_map"):
        if explanation is None or across is None or up is None:
            raise InvalidArgument(
                f"plot_map() of an explainer needs an explanation and two features; got {len(given)} of the "
                f"three. {NO_MAP}"
            )
        feature_map = subject.feature_map(explanation, across, up)
    _check(feature_map, FeatureMap, "plot_map", NO_MAP)
    wording = wording_of(feature_map.explanation, language)
    return _draw("map", "map", map_data(feature_map, wording), wording)


def plot_costs(explanations: Explanations, *, objective: str | None = None, language: str = "en") -> Any:
    """Draw the size of each person's smallest change, and how many people have no option.

    `objective` is one of the explanations' objectives. The default is the first.
    """
    _check(explanations, Explanations, "plot_costs", NOT_MANY, NOBODY)
    wording = wording_of_all(explanations, language)
    return _draw("portfolio", "costs", cost_data(explanations, wording, objective), wording)


def plot_levers(explanations: Explanations, *, top: int = 10, language: str = "en") -> Any:
    """Draw for how many people each feature changes, and in which direction.

    Only people who have an option count. A bar is filled for people whose first option changes the feature
    (the option with the smallest change in the first objective), and outlined for people with any option that
    does.
    """
    _check(explanations, Explanations, "plot_levers", NOT_MANY, NOBODY)
    wording = wording_of_all(explanations, language)
    data = lever_data(explanations, wording, top)
    if not data.levers:
        raise InvalidArgument(
            "There is nothing to draw: none of these people has an option. "
            "plot_costs() shows how each of them ended, and explanations.summary() lists it."
        )
    return _draw("portfolio", "levers", data, wording)


def plot_groups(audit: Audit, *, metric: str = "recourse_rate", language: str = "en") -> Any:
    """Draw a metric of each group with its interval, and the value for all people.

    `metric` is a column of ``audit.by_group``: "rejection_rate", "median_changes", "burden_changes", … A
    median has a bar from the lower to the upper quartile. Groups with too few people are grey.
    """
    _check(audit, Audit, "plot_groups", NO_AUDIT)
    known = {one.name: one for one in audit.all_metrics}
    if metric not in known:
        raise InvalidArgument(f"The audit has no metric {echoed(metric)}. {nearest(metric, known)}")
    wording = wording_for(audit.problem, language)
    data = [group_data(audit, groups, known[metric], wording) for groups in audit.groupings.values()]
    return _draw("groups", "groups", data, wording)


def _check(subject: Any, wanted: type, function: str, advice: str, empty: str = "") -> None:
    """Raise if the subject has another type or nothing to draw, since an empty chart would not say why."""
    if not isinstance(subject, wanted):
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        raise InvalidArgument(
            f"{function}() needs {article} {wanted.__name__}; got {type(subject).__name__}. {advice}"
        )
    if empty and not len(subject):  # type: ignore[arg-type]
        status = getattr(subject, "status", "")
        raise InvalidArgument(f"{function}() has nothing to draw: {empty.format(status=status)}")


def _draw(module: str, name: str, *arguments: Any, **settings: Any) -> Any:
    """Call the drawing half, which loads matplotlib."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise not_installed("This picture", "plot") from error
    drawing = import_module(f"p2ce.present.charts.matplotlib.draw_{module}")
    return getattr(drawing, f"draw_{name}")(*arguments, **settings)
