"""Drawings by matplotlib are whole: rendered, without overlapping texts, formulas, warnings or traces."""

import io
import os
import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from p2ce.errors import InvalidArgument
from p2ce.present.charts import plot_changes, plot_costs, plot_front, plot_groups, plot_levers, plot_map
from p2ce.present.languages import LANGUAGES
from p2ce.present.wording import wording_for
from p2ce.result import Explanations, Status
from tests.optional import needs
from tests.portfolio.audits.made_up import audited, hostile_groups
from tests.present.charts import examples
from tests.present.charts.examples import front, hostile, levers_of_long_names, loan, many_labels, portfolio

matplotlib = needs("matplotlib")
drawable = needs("p2ce.present.charts.matplotlib.canvas").drawable
draw_levers = needs("p2ce.present.charts.matplotlib.draw_portfolio").draw_levers
FigureCanvasAgg = needs("matplotlib.backends.backend_agg").FigureCanvasAgg
Figure, Text = needs("matplotlib.figure").Figure, needs("matplotlib.text").Text
GOLDEN = Path(__file__).parent / "golden"
PICTURES: dict[str, tuple[Any, ...]] = {  # what draws, what is drawn, settings
    "loan": (plot_front, loan, {}),
    "loan in pairs": (plot_front, loan, {"kind": "pairs"}),
    "one option": (plot_front, lambda: front(1, 2), {}),
    "one objective": (plot_front, lambda: front(60, 1), {}),
    "sixty options": (plot_front, lambda: front(60, 2), {}),
    "sixty options of five objectives": (plot_front, lambda: front(60, 5), {}),
    "hostile front": (plot_front, hostile, {}),
    "changes": (plot_changes, loan, {}),
    "many labels": (plot_changes, many_labels, {}),
    "hostile changes": (plot_changes, hostile, {}),
    "twelve options": (plot_changes, lambda: front(60, 3), {"options": range(1, 13)}),
    "map": (plot_map, examples.loan_map, {}),
    "map of labels": (plot_map, examples.housing_map, {}),
    "costs": (plot_costs, portfolio, {}),
    "counts": (plot_costs, portfolio, {"objective": "changes"}),
    "costs of nobody": (
        plot_costs,
        lambda: Explanations([examples.explained(status=Status.NO_RECOURSE)]),
        {},
    ),
    "levers": (plot_levers, portfolio, {}),
    "groups": (plot_groups, audited, {}),
    "medians of groups": (plot_groups, audited, {"metric": "median_mean_distance"}),
    "hostile groups": (plot_groups, hostile_groups, {}),
    "hostile levers": (plot_levers, lambda: Explanations([hostile(), many_labels()]), {}),
}


def drawn(name: str, language: str) -> Any:
    plot, subject, settings = PICTURES[name]
    return plot(subject(), language=language, **settings)


def rendered(figure: Any) -> tuple[np.ndarray, Any]:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()), canvas.get_renderer()


def texts_of(figure: Any) -> list[Any]:
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


@pytest.mark.parametrize("name", PICTURES)
def test_texts_of_a_picture_overlap_in_no_place_and_are_no_formulas(name: str) -> None:
    figure = drawn(name, "es" if "options" in name else "en")
    pixels, renderer = rendered(figure)
    assert pixels.std() > 5  # something is to be seen
    height, width = pixels.shape[:2]
    texts = texts_of(figure)
    assert len(texts) >= 3
    assert not any(text.get_parse_math() for text in texts)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    for text, box in boxes:
        assert min(box.x0, box.y0, width - box.x1, height - box.y1) >= -2, text
    for (one, first), (other, second) in combinations(boxes, 2):
        wide = min(first.x1, second.x1) - max(first.x0, second.x0)
        high = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert not (wide > 3 and high > 3), f"{one!r} and {other!r} overlap by {wide:.0f} × {high:.0f}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_of_all_pictures_are_those_that_were_proofread(language: str) -> None:
    """After a wanted change: P2CE_WRITE_GOLDEN=1 pytest -n0 (this file), then read the difference."""
    lines = []
    for name in PICTURES:
        texts = (text.get_text().replace("\n", " / ") for text in texts_of(drawn(name, language)))
        lines += [f"=== {name}", *dict.fromkeys(texts)]
    file = GOLDEN / f"texts.{language}.txt"
    if os.environ.get("P2CE_WRITE_GOLDEN"):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "\n".join(lines) + "\n" == file.read_text(encoding="utf-8")


def test_what_the_font_lacks_becomes_a_box() -> None:
    assert drawable("🎉 ok\x00") == "□ ok "


def test_notebooks_can_show_a_figure_and_it_survives_pickle() -> None:
    figure = plot_front(loan())
    assert isinstance(figure, Figure)
    assert figure._repr_png_().startswith(b"\x89PNG")
    picture = io.BytesIO()
    pickle.loads(pickle.dumps(figure)).savefig(picture, format="svg")
    assert b"<svg" in picture.getvalue()


def test_the_users_settings_stay_as_they_were() -> None:
    before = dict(matplotlib.rcParams)
    plot_changes(loan())
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(("objectives", "count"), [(1, 4), (2, 12), (3, 12)])
def test_own_axes_are_drawn_on_in_their_own_style(objectives: int, count: int) -> None:
    style = {
        "font.size": 14,
        "axes.edgecolor": "red",
        "axes.grid": False,
        "legend.frameon": True,
        "text.color": "blue",
    }
    with matplotlib.rc_context(style):
        own = Figure(figsize=(9, 6)).subplots()
        assert plot_front(front(count, objectives), ax=own) is own.figure
    texts = {
        text.get_fontsize()
        for text in (own.xaxis.label, *own.get_xticklabels(), *own.get_legend().get_texts())
    }
    assert texts == {14.0}
    assert all(text.get_color() == "blue" for text in own.texts if text.get_fontweight() == "bold")
    assert all(
        spine.get_visible() and spine.get_edgecolor()[:3] == (1, 0, 0) for spine in own.spines.values()
    )
    assert not any(line.get_visible() for line in own.get_xgridlines())
    assert own.get_legend().get_frame_on()
    rendered(own.figure)


def test_own_axes_hold_one_panel() -> None:
    with pytest.raises(InvalidArgument, match="one panel"):
        plot_front(loan(), kind="pairs", ax=Figure().subplots())


def test_greyscale_tells_options_and_regions_apart() -> None:
    figure = plot_front(front(60, 2))
    assert len({handle.get_marker() for handle in figure.legends[0].legend_handles[:3]}) == 3
    pixels, _ = rendered(plot_map(examples.loan_map()))
    grey = pixels[..., :3] @ np.array([0.299, 0.587, 0.114])
    common = np.bincount(grey.round().astype(int).ravel(), minlength=256)
    tones = [tone for tone in np.argsort(-common)[:4] if tone < 250]
    assert max(tones) - min(tones) > 20


def test_long_names_of_levers_stay_different() -> None:
    data = levers_of_long_names()
    labels = draw_levers(data, wording_for(None)).axes[0].yaxis.get_ticklabels()
    for one in data.levers:
        assert sum(f"…{one.column}…" == label.get_text() for label in labels) == 1
