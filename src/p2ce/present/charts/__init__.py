"""Draw explanations: the front, the changes, a map of two features, costs and levers of many people."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from p2ce.errors import InvalidArgument, MissingExtra, nearest
from p2ce.present.charts.change_data import ChangeData, change_data
from p2ce.present.charts.cost_data import CostData, cost_data
from p2ce.present.charts.front_data import FrontData, front_data
from p2ce.present.charts.lever_data import LeverData, lever_data
from p2ce.present.charts.map_data import MapData, map_data
from p2ce.result import Explanation, Explanations, FeatureMap
from p2ce.result.picks import Pick
from p2ce.visible import echoed

__all__ = [
    "ChangeData",
    "CostData",
    "FrontData",
    "LeverData",
    "MapData",
    "change_data",
    "cost_data",
    "front_data",
    "lever_data",
    "map_data",
    "plot_changes",
    "plot_costs",
    "plot_front",
    "plot_levers",
    "plot_map",
]

BACKENDS = {"matplotlib": "plot", "plotly": "plotly"}  # library → the extra that installs it
KINDS = ("auto", "pairs", "parallel")


def plot_front(
    explanation: Explanation,
    *,
    objectives: Sequence[str] | None = None,
    kind: str = "auto",
    language: str = "en",
    backend: str = "matplotlib",
    ax: Any = None,
) -> Any:
    """Draw every option by its costs; three picks stand out, with what each is good at.

    Two objectives make one panel, three and more make parallel coordinates; ``kind="pairs"`` makes a panel
    for each two of them. `objectives` are some of the explanation's, in the order wanted. `ax` are
    matplotlib axes to draw on, for a picture of one panel. Gives the library's own Figure, made without
    pyplot: notebooks show it, and ``figure.savefig("front.png")`` keeps it.

    >>> from p2ce.result import Counterfactual, Status
    >>> options = tuple(
    ...     Counterfactual(values={"LoanAmount": new}, changes={"LoanAmount": (7500, new)},
    ...                    costs={"mean_distance": cost, "changes": 1.0}, score=0.6)
    ...     for new, cost in ((5200, 0.2), (4000, 0.3))
    ... )
    >>> explanation = Explanation(
    ...     status=Status.OPTIMAL, person={"LoanAmount": 7500}, person_score=0.31, threshold=0.5, target=1,
    ...     counterfactuals=options, objectives=("mean_distance", "changes"), dtypes={"LoanAmount": "int64"},
    ... )
    >>> figure = plot_front(explanation)
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['overall change']
    """
    _check_type("plot_front", explanation, Explanation)
    _check_name("kind", kind, KINDS)
    _check_options("plot_front", explanation)
    data = front_data(explanation, objectives=objectives, language=language)
    if not data.axes:
        raise InvalidArgument("There is nothing to draw: these options were found without any objective.")
    if kind == "auto":
        kind = "pairs" if len(data.axes) <= 2 else "parallel"
    _check_axes(ax, backend, panels=len(data.pairs) if kind == "pairs" else 1)
    return _draw(backend, "draw_front", "draw_front", data, kind=kind, **({} if ax is None else {"ax": ax}))


def plot_changes(
    explanation: Explanation,
    *,
    options: Iterable[int | Pick] | None = None,
    language: str = "en",
    backend: str = "matplotlib",
) -> Any:
    """Draw what options change, from today's value to the new one, with the population behind each feature.

    `options` are numbers of options, counted from 1, or what ``explanation.pick(3)`` gave. Left out, all
    are drawn, or three picks where there are more than five.
    """
    _check_type("plot_changes", explanation, Explanation)
    _check_options("plot_changes", explanation)
    data = change_data(explanation, options, language=language)
    if not data.features:
        raise InvalidArgument("There is nothing to draw: the options chosen change no feature.")
    return _draw(backend, "draw_changes", "draw_changes", data)


def plot_map(feature_map: FeatureMap, *, language: str = "en", backend: str = "matplotlib") -> Any:
    """Draw two features of one person: where the model accepts, what is plausible, and where options lead.

    ``explainer.map_of(explanation, "LoanAmount", "Term")`` makes the map. All other features are as they
    are today, so that options which change others as well are not drawn, but counted in a note.
    """
    _check_type("plot_map", feature_map, FeatureMap)
    return _draw(backend, "draw_map", "draw_map", map_data(feature_map, language=language))


def plot_costs(
    explanations: Explanations,
    *,
    objective: str | None = None,
    language: str = "en",
    backend: str = "matplotlib",
) -> Any:
    """Draw what the cheapest option costs each person, and how many people have none.

    `objective` is one of the explanations' objectives; the first if left out.
    """
    _check_type("plot_costs", explanations, Explanations)
    _check_people("plot_costs", explanations)
    return _draw(backend, "draw_costs", "draw_costs", cost_data(explanations, objective, language=language))


def plot_levers(
    explanations: Explanations, *, top: int = 10, language: str = "en", backend: str = "matplotlib"
) -> Any:
    """Draw for how many people each feature changes, and in which direction.

    Counted are the people who have an option. A bar is filled for those whose first option changes the
    feature (the cheapest in the first objective), and outlined for those of whom any option does.
    """
    _check_type("plot_levers", explanations, Explanations)
    _check_people("plot_levers", explanations)
    data = lever_data(explanations, top, language=language)
    if not data.levers:
        raise InvalidArgument(
            "There is nothing to draw: none of these people has an option. "
            "plot_costs() shows how each of them ended, and explanations.summary() lists it."
        )
    return _draw(backend, "draw_levers", "draw_levers", data)


def _draw(backend: str, module: str, function: str, *arguments: Any, **options: Any) -> Any:
    """Hand the data to the half that draws, which loads the library."""
    _check_name("backend", backend, BACKENDS)
    try:
        import_module(backend)
    except ImportError as error:
        other = next(name for name in BACKENDS if name != backend)
        raise MissingExtra(
            f"This picture is drawn with {backend}, which is not installed. Type "
            f"pip install 'p2ce[{BACKENDS[backend]}]', or pass backend={echoed(other)} if you have that."
        ) from error
    drawing = import_module(f"p2ce.present.charts.{backend}.{module}")
    return getattr(drawing, function)(*arguments, **options)


def _check_type(function: str, given: Any, wanted: type) -> None:
    if isinstance(given, wanted):
        return
    advice = {
        "plot_map": "Make it by explainer.map_of(explanation, 'Income', 'Age').",
        "plot_front": "Draw one person: explanations[0].",
        "plot_changes": "Draw one person: explanations[0].",
    }.get(function, "They come from explainer.explain_many(people), or Explanations([one, another]).")
    article = "an" if wanted.__name__[0] in "AEIOU" else "a"
    raise InvalidArgument(
        f"{function}() takes {article} {wanted.__name__}, got {type(given).__name__}. {advice}"
    )


def _check_options(function: str, explanation: Explanation) -> None:
    # An empty picture would not say why it is empty; the words do.
    if not len(explanation):
        raise InvalidArgument(
            f"{function}() has nothing to draw: this person has no option ({explanation.status}). "
            "Read p2ce.to_text(explanation) for what was found out."
        )


def _check_people(function: str, explanations: Explanations) -> None:
    if not len(explanations):
        raise InvalidArgument(f"{function}() has nothing to draw: these are explanations of nobody.")


def _check_name(argument: str, given: Any, known: Iterable[str]) -> None:
    names = tuple(known)
    if given not in names:
        raise InvalidArgument(
            f"{argument} expects one of {list(names)}, got {echoed(given)}. {nearest(given, names)}"
        )


def _check_axes(ax: Any, backend: str, *, panels: int) -> None:
    if ax is None:
        return
    if backend != "matplotlib":
        raise InvalidArgument(
            f"ax is for matplotlib, but backend is {echoed(backend)}. Leave one of the two out."
        )
    if not hasattr(ax, "get_xaxis"):
        raise InvalidArgument(f"ax expects matplotlib axes, got {type(ax).__name__}.")
    if panels > 1:
        raise InvalidArgument(
            f"ax has room for one panel, but these objectives make {panels}. "
            "Name two objectives, or pass kind='parallel'."
        )
