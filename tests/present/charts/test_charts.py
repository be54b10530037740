"""The public functions check what they are given, and load matplotlib only to draw."""

import subprocess
import sys
from typing import Any

import pytest

from p2ce.errors import InvalidArgument, MissingExtra
from p2ce.present import charts
from p2ce.result import Explanations, FeatureMap, Status
from tests.optional import needs
from tests.portfolio.audits.made_up import audited
from tests.present.charts.examples import explained, loan, loan_map, portfolio

ONE = (charts.plot_front, charts.plot_changes)
MANY = (charts.plot_costs, charts.plot_levers)
CALLS = [
    *((plot, loan) for plot in ONE),
    (charts.plot_map, loan_map),
    *((plot, lambda: portfolio(20)) for plot in MANY),
    (charts.plot_groups, audited),
]


@pytest.mark.parametrize(("plot", "subject"), CALLS)
def test_every_function_checks_its_subject_its_language_and_its_library(
    plot: Any, subject: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidArgument, match=rf"{plot.__name__}\(\) needs an? \w+; got int"):
        plot(3)
    with pytest.raises(InvalidArgument, match="language"):
        plot(subject(), language="xx")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'matplotlib>="):
        plot(subject())


def test_nothing_to_draw_is_an_error_that_says_what_to_do() -> None:
    nothing = explained(status=Status.NO_RECOURSE)
    for plot in ONE:
        with pytest.raises(InvalidArgument, match=r"no option \(NO_RECOURSE\).*to_text"):
            plot(nothing)
        with pytest.raises(InvalidArgument, match=r"explanations\[0\]"):
            plot(portfolio(3))
    with pytest.raises(InvalidArgument, match="plot_costs"):
        charts.plot_levers(Explanations([nothing]))
    for plot_many in MANY:
        with pytest.raises(InvalidArgument, match="there are no explanations"):
            plot_many(Explanations([]))


class Maker:
    """Makes the map of an explanation, as an explainer does."""

    def feature_map(self, explanation: Any, across: str, up: str) -> FeatureMap:
        assert explanation == loan_map().explanation
        assert (across, up) == loan_map().columns
        return loan_map()


def test_a_map_is_drawn_in_one_call_or_in_two() -> None:
    needs("matplotlib")
    explanation, columns = loan_map().explanation, loan_map().columns
    one, two = charts.plot_map(Maker(), explanation, *columns), charts.plot_map(loan_map())
    assert one._repr_png_() == two._repr_png_()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((loan(),), "got Explanation"),
        ((loan(), "Income", "Age"), "got Explanation"),
        ((Maker(),), "two features; got 0"),
        ((Maker(), loan(), "Income"), "two features; got 2"),
        ((loan_map(), loan()), "of a FeatureMap takes no"),
    ],
)
def test_what_makes_no_map_is_told_how_to(given: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        charts.plot_map(*given)
    assert "plot_map(explainer, explanation, 'Income', 'Age')" in str(caught.value)


@pytest.mark.parametrize(("setting", "message"), [({"kind": "pair"}, "'pairs'"), ({"ax": 3}, "axes")])
def test_kinds_and_axes_that_do_not_fit_are_rejected(setting: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        charts.plot_front(loan(), **setting)


def test_matplotlib_is_imported_only_to_draw_and_pyplot_never() -> None:
    needs("matplotlib")
    code = (
        "import sys\nfrom p2ce.present.charts import plot_front\n"
        "from tests.present.charts.examples import loan\nprint('matplotlib' in sys.modules)\n"
        "plot_front(loan())._repr_png_()\nprint('matplotlib.pyplot' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]
