"""Drawings keep their texts apart and inside, and names in them stay names."""

import re

import pytest

from p2ce.present.charts.axis_scales import Tick
from p2ce.present.charts.change_data import change_data
from p2ce.present.charts.front_data import front_data
from p2ce.present.report.page_words import labels_for
from p2ce.present.report.svg import WIDTH, fitted, spaced, text_width
from p2ce.present.report.svg_changes import draw_changes
from p2ce.present.report.svg_front import draw_front
from p2ce.present.speaker import speaker_of
from p2ce.result import Explanation
from tests.present.report.examples import every_status, three_objectives
from tests.present.report.test_html_page import hostile

LABELS = labels_for("en")
TEXT = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)"(?: text-anchor="(\w+)")?[^>]*>([^<]*)</text>')
KINDS = {name: one for name, one in every_status().items() if len(one)}


def boxes(drawing: str) -> list[tuple[float, float, float, str]]:
    """Left, right and base of every text, by the same estimate of letters that places them."""
    found = []
    for x, y, anchor, content in TEXT.findall(drawing):
        width = text_width(content) * 0.9  # which is a little more than letters are wide
        left = float(x) - {"": 0.0, "start": 0.0, "middle": width / 2, "end": width}[anchor]
        found.append((left, left + width, float(y), content))
    return found


def drawings(explanation: Explanation) -> list[str]:
    picks = explanation.pick(3)
    speaker = speaker_of(explanation, "en")
    made = [one.markup for one in draw_changes(change_data(explanation, picks), speaker, LABELS)]
    front = draw_front(front_data(explanation), LABELS)
    return made if front is None else [*made, front.markup]


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_covers_another_or_leaves_the_drawing(kind: str) -> None:
    for drawing in drawings(KINDS[kind]):
        texts = boxes(drawing)
        for place, (left, right, base, content) in enumerate(texts):
            assert -1 <= left <= right <= WIDTH + 1, content
            for other_left, other_right, other_base, other in texts[place + 1 :]:
                apart = right <= other_left or other_right <= left or abs(base - other_base) >= 10
                assert apart, (content, other)


def test_hostile_names_are_text_in_drawings_too() -> None:
    for nasty in ("</text></svg><script>x</script>", ']]>" onload="x'):
        for drawing in drawings(hostile(nasty)):
            assert "<script" not in drawing
            assert 'onload="' not in drawing
            assert drawing.count("<svg") == drawing.count("</svg>") == 1


def test_each_drawing_tells_what_it_shows() -> None:
    for drawing in drawings(three_objectives()):
        assert re.search(
            r'<svg viewBox="0 0 340 [\d.]+" role="img"><title>[^<]+</title><desc>[^<]+</desc>', drawing
        )


def test_long_texts_are_cut() -> None:
    assert fitted("x" * 5000, 60).endswith("…")
    assert len(fitted("x" * 5000, 60)) < 12
    assert fitted("short", 60) == "short"
    assert fitted("漢字漢字漢字漢字", 60).endswith("…")


def test_ticks_without_room_are_left_out() -> None:
    ticks = [Tick(place=place / 20, text="1,000,000") for place in range(21)]
    kept = spaced(ticks, 10, 330)
    assert 2 <= len(kept) <= 5
    assert kept[-1].place == 1.0


def test_one_option_or_one_objective_is_no_front() -> None:
    assert draw_front(front_data(every_status()["one option"]), LABELS) is None
    assert draw_front(front_data(every_status()["one objective"]), LABELS) is None
