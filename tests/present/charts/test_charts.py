"""The public functions check what they are given, and load a drawing library only to draw."""

import subprocess
import sys
from typing import Any

import pytest

from p2ce.errors import InvalidArgument, MissingExtra
from p2ce.present import charts
from p2ce.result import Explanations, Status
from tests.present.charts.examples import answer, loan, loan_map, portfolio

CALLS = [
    (charts.plot_front, loan),
    (charts.plot_changes, loan),
    (charts.plot_map, loan_map),
    (charts.plot_costs, lambda: portfolio(20)),
    (charts.plot_levers, lambda: portfolio(20)),
]


@pytest.mark.parametrize(("plot", "subject"), CALLS)
def test_a_wrong_subject_is_distinguished_from_the_right_one(plot: Any, subject: Any) -> None:
    with pytest.raises(InvalidArgument, match=rf"{plot.__name__}\(\) takes an? \w+, got int"):
        plot(3)


def test_many_people_are_no_person() -> None:
    with pytest.raises(InvalidArgument, match=r"explanations\[0\]"):
        charts.plot_front(portfolio(3))  # type: ignore[arg-type]


@pytest.mark.parametrize(("plot", "subject"), CALLS)
def test_an_unknown_backend_or_language_names_the_nearest(plot: Any, subject: Any) -> None:
    with pytest.raises(InvalidArgument, match="Did you mean 'plotly'"):
        plot(subject(), backend="plotli")
    with pytest.raises(InvalidArgument, match="language"):
        plot(subject(), language="xx")


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
@pytest.mark.parametrize(("plot", "subject"), CALLS)
def test_a_missing_library_names_the_line_to_type(
    plot: Any, subject: Any, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, backend, None)
    extra = {"matplotlib": "plot", "plotly": "plotly"}[backend]
    with pytest.raises(MissingExtra, match=rf"pip install 'p2ce\[{extra}\]'"):
        plot(subject(), backend=backend)


def test_nothing_to_draw_is_said_with_what_to_do() -> None:
    nothing = answer(status=Status.NO_RECOURSE)
    for plot in (charts.plot_front, charts.plot_changes):
        with pytest.raises(InvalidArgument, match=r"no option \(NO_RECOURSE\).*to_text"):
            plot(nothing)
    with pytest.raises(InvalidArgument, match="plot_costs"):
        charts.plot_levers(Explanations([nothing]))
    for plot_many in (charts.plot_costs, charts.plot_levers):
        with pytest.raises(InvalidArgument, match="nobody"):
            plot_many(Explanations([]))


def test_kinds_and_axes_that_do_not_fit_are_rejected() -> None:
    with pytest.raises(InvalidArgument, match="'pairs'"):
        charts.plot_front(loan(), kind="pair")
    with pytest.raises(InvalidArgument, match="axes"):
        charts.plot_front(loan(), ax=3)
    with pytest.raises(InvalidArgument, match="ax is for matplotlib"):
        charts.plot_front(loan(), ax=3, backend="plotly")


def test_importing_the_charts_loads_no_drawing_library() -> None:
    code = (
        "import sys, p2ce.present.charts; "
        "print([name for name in ('matplotlib', 'plotly') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
