"""The figures show what the frames hold; their data are tested, and that they are drawn."""

import xml.etree.ElementTree as ElementTree
from math import isnan
from pathlib import Path

import pytest

pytest.importorskip("benchmarks")  # not in a packed source
pytest.importorskip("matplotlib")

from benchmarks.paper.names import METHODS
from benchmarks.paper.report.figure_files import FIGURES, draw_figures
from benchmarks.paper.report.figure_info import hypervolume_info, outlier_info, scatter_info
from benchmarks.paper.report.figures import draw_bars, save_figure
from benchmarks.paper.report.looks import LOOKS, look_of
from benchmarks.paper.report.results import read_results
from benchmarks.paper.report.summaries import summarise
from tests.benchmarks.paper.made_up_results import frames, write_results
from tests.benchmarks.paper.tiny_results import answer, person, tiny


def test_a_scatter_has_medians_and_ninety_per_cent(tmp_path: Path) -> None:
    people = [
        person(number, best_cost=number / 100, seconds_alone=(number + 1) / 1000) for number in range(101)
    ]
    (panel,) = scatter_info(tiny(tmp_path, people), "one").panels
    (point,) = panel.points
    assert panel.title == "German Credit, LightGBM"
    assert (point.cost.low, point.cost.middle, point.cost.high) == pytest.approx((0.05, 0.5, 0.95))
    assert (point.seconds.low, point.seconds.middle, point.seconds.high) == pytest.approx(
        (0.006, 0.051, 0.096)
    )
    assert point.people == 101


def test_a_scatter_leaves_out_whom_nobody_answered(tmp_path: Path) -> None:
    people = [
        person(0, seconds_alone=0.0),
        person(1, best_cost=None),
        person(0, method="nice", best_cost=None),
    ]
    info = scatter_info(tiny(tmp_path, people), "one")
    assert info.methods == ("proven",)
    assert info.panels[0].points[0].seconds.middle > 0  # a logarithm can be taken


def test_bars_have_intervals_the_papers_value_and_notes(tmp_path: Path) -> None:
    cell = {"experiment": "three", "model": "mlp"}
    people = [person(0, method=method, **cell) for method in ("p2ce", "nice")]
    people += [person(0, method="proven", data="adult", **cell)]
    answers = [answer(0, method="p2ce", outlier=True, **cell), answer(0, data="adult", **cell)]
    info = outlier_info(summarise(tiny(tmp_path, people, answers)), "three")
    assert info.methods == ("p2ce", "proven", "nice")
    german, adult = info.panels
    first, second, third = german.bars
    assert (first.value, first.paper, first.high) == (100.0, 5.0, 100.0)
    assert first.low == pytest.approx(20.65, abs=0.01)  # Wilson's interval of 1 in 1
    assert (second.note, third.note) == ("not run", "no valid answer")
    assert isnan(second.value)
    assert adult.bars[1].value == 0.0


def test_hypervolumes_have_their_interval_over_seeds(tmp_path: Path) -> None:
    people = [
        person(1000 * n, seed=n, experiment="three", hypervolume=v) for n, v in enumerate((0.2, 0.3, 0.4))
    ]
    summary = summarise(tiny(tmp_path, people))
    bar = hypervolume_info(summary).panels[0].bars[0]
    assert bar.value == pytest.approx(0.3)
    assert (bar.low, bar.high) == (summary["hypervolume_low"].iloc[0], summary["hypervolume_high"].iloc[0])
    assert bar.low < 0.3 < bar.high


def test_every_method_has_a_look_of_its_own() -> None:
    assert set(LOOKS) == set(METHODS)
    assert len({look.colour for look in LOOKS.values()}) == len(LOOKS)
    assert len({look.marker for look in LOOKS.values()}) == len(LOOKS)
    assert look_of("a method of tomorrow").marker


def test_figures_are_written_for_screens_phones_and_papers(tmp_path: Path) -> None:
    kept = {name: frame[frame["data"] == "adult"] for name, frame in frames(people=3).items()}
    results = read_results(write_results(tmp_path, kept))
    drawn = draw_figures(results, summarise(results))
    assert [path.name for path in drawn] == [figure.name for figure in FIGURES]
    for path in drawn:
        assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        for name in (f"{path.name}.svg", f"{path.name}-narrow.svg"):
            assert ElementTree.parse(path.with_name(name)).getroot().tag.endswith("svg")


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    info = outlier_info(summarise(tiny(tmp_path, [person(0)], [answer(0)])), "one")
    for name in ("one", "two"):
        save_figure(draw_bars, info, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_what_cannot_be_drawn_any_more_is_removed(tmp_path: Path) -> None:
    results = tiny(tmp_path)
    (tmp_path / "figures").mkdir()
    for name in ("scatter-one.svg", "toy.svg"):
        (tmp_path / "figures" / name).write_text("<svg/>")
    assert draw_figures(results, summarise(results)) == []
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["toy.svg"]
