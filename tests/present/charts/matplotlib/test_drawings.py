"""Drawings by matplotlib are whole: rendered, without overlapping texts, formulas, warnings or traces."""

import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from p2ce.errors import InvalidArgument
from p2ce.present.charts import plot_changes, plot_costs, plot_front, plot_levers, plot_map
from p2ce.present.charts.matplotlib.canvas import shown
from p2ce.result import Explanations, Status
from tests.present.charts.examples import (
    answer,
    front,
    hostile,
    housing_map,
    loan,
    loan_map,
    many_labels,
    portfolio,
)

PICTURES: dict[str, Callable[[], Figure]] = {
    "loan": lambda: plot_front(loan()),
    "loan in pairs": lambda: plot_front(loan(), kind="pairs", language="es"),
    "one option": lambda: plot_front(front(1, 2)),
    "one objective": lambda: plot_front(front(60, 1), language="pt"),
    "two options": lambda: plot_front(front(2, 2)),
    "sixty options": lambda: plot_front(front(60, 2)),
    "sixty options of five objectives": lambda: plot_front(front(60, 5), language="es"),
    "hostile front": lambda: plot_front(hostile()),
    "changes": lambda: plot_changes(loan(), language="pt"),
    "many labels": lambda: plot_changes(many_labels()),
    "hostile changes": lambda: plot_changes(hostile()),
    "twelve options": lambda: plot_changes(front(60, 3), options=range(1, 13)),
    "map": lambda: plot_map(loan_map()),
    "map without detector": lambda: plot_map(loan_map(detector=False), language="es"),
    "map of labels": lambda: plot_map(housing_map()),
    "costs": lambda: plot_costs(portfolio()),
    "counts": lambda: plot_costs(portfolio(), objective="changes", language="pt"),
    "costs of nobody": lambda: plot_costs(Explanations([answer(status=Status.NO_RECOURSE)])),
    "levers": lambda: plot_levers(portfolio(), language="es"),
    "hostile levers": lambda: plot_levers(Explanations([hostile(), many_labels()])),
}


def rendered(figure: Figure) -> tuple[np.ndarray, Any]:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()), canvas.get_renderer()


def visible_texts(figure: Figure) -> list[Text]:
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_with_texts_that_overlap_in_no_place_and_are_no_formulas(name: str) -> None:
    figure = PICTURES[name]()
    pixels, renderer = rendered(figure)
    assert pixels.std() > 5  # something is to be seen
    height, width = pixels.shape[:2]
    texts = visible_texts(figure)
    assert len(texts) >= 3
    assert not any(text.get_parse_math() for text in texts)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    for text, box in boxes:
        assert box.x0 >= -2, text
        assert box.x1 <= width + 2, text
        assert box.y0 >= -2, text
        assert box.y1 <= height + 2, text
    for (one, first), (other, second) in combinations(boxes, 2):
        wide = min(first.x1, second.x1) - max(first.x0, second.x0)
        high = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert not (wide > 3 and high > 3), f"{one!r} and {other!r} overlap by {wide:.0f} × {high:.0f}"


def test_dollars_and_tags_are_written_as_they_are() -> None:
    figure = plot_changes(hostile(), options=[1, 2])
    titles = {axes.get_title(loc="left") for axes in figure.axes}
    assert {"<script>alert(1)</script> ($)", "$x^2$ ($)"} <= titles


def test_what_the_font_lacks_becomes_a_box() -> None:
    assert shown("🎉 ok\x00") == "□ ok "


def test_notebooks_can_show_it_and_it_survives_pickle() -> None:
    figure = plot_front(loan())
    assert isinstance(figure, Figure)
    assert figure._repr_png_().startswith(b"\x89PNG")
    again = pickle.loads(pickle.dumps(figure))
    picture = io.BytesIO()
    again.savefig(picture, format="svg")
    assert b"<svg" in picture.getvalue()


def test_the_users_settings_stay_as_they_were() -> None:
    before = dict(matplotlib.rcParams)
    plot_changes(loan())
    assert dict(matplotlib.rcParams) == before


def test_own_axes_are_drawn_on() -> None:
    figure = Figure(figsize=(9, 4))
    left, right = figure.subplots(1, 2)
    assert plot_front(front(12, 2), ax=left) is figure
    plot_front(front(12, 3), ax=right)
    plot_front(loan(), objectives=["changes"], ax=figure.subplots())
    assert left.get_xlabel() == "overall change"
    rendered(figure)
    with pytest.raises(InvalidArgument, match="one panel"):
        plot_front(loan(), kind="pairs", ax=left)


def test_shapes_tell_options_apart_in_greyscale() -> None:
    figure = plot_front(front(60, 2))
    markers = [handle.get_marker() for handle in figure.legends[0].legend_handles]
    assert len(set(markers[:3])) == 3


def test_greyscale_distinguishes_accepted_from_rejected() -> None:
    figure = plot_map(loan_map())
    pixels, _ = rendered(figure)
    grey = pixels[..., :3] @ np.array([0.299, 0.587, 0.114])
    common = np.bincount(grey.round().astype(int).ravel(), minlength=256)
    tones = [tone for tone in np.argsort(-common)[:4] if tone < 250]
    assert max(tones) - min(tones) > 20


def test_pyplot_is_never_imported() -> None:
    code = (
        "import sys\n"
        "from tests.present.charts.examples import loan\n"
        "from p2ce.present.charts import plot_front\n"
        "plot_front(loan())._repr_png_()\n"
        "print('matplotlib.pyplot' in sys.modules)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
