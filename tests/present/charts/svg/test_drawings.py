"""SVG drawings keep their texts apart and inside, and names in them stay names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.portfolio.audits.audit_result import Audit
from p2ce.present.charts.axis_scales import Tick
from p2ce.present.charts.change_data import Mark, change_data
from p2ce.present.charts.front_data import ChartOption, front_data
from p2ce.present.charts.group_data import group_data
from p2ce.present.charts.portfolio_data import cost_data, lever_data, wording_of_all
from p2ce.present.charts.svg.draw_changes import _option_line, draw_changes
from p2ce.present.charts.svg.draw_front import draw_front
from p2ce.present.charts.svg.draw_groups import draw_groups
from p2ce.present.charts.svg.draw_portfolio import draw_costs, draw_levers
from p2ce.present.charts.svg.shapes import WIDTH, badge_half, fitted, spaced, text_width
from p2ce.present.wording import wording_for, wording_of
from p2ce.result import Explanation, Explanations
from tests.portfolio.audits.made_up import audited, hostile_groups
from tests.present.charts.examples import front, hostile, levers_of_long_names, loan, many_labels, portfolio

TEXT = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)"(?: text-anchor="(\w+)")?[^>]*>([^<]*)</text>')
HEAD = re.compile(r'<svg viewBox="0 0 340 [\d.]+" role="img"><title>[^<]+</title><desc>[^<]+</desc>')


def drawn(explanation: Explanation, language: str = "en") -> list[str]:
    wording = wording_of(explanation, language)
    changes = draw_changes(change_data(explanation, wording, explanation.pick(3)), wording)
    compared = draw_front(front_data(explanation, wording), wording)
    return [*changes, *([] if compared is None else [compared])]


def drawn_of_all(explanations: Explanations, language: str = "en") -> list[str]:
    wording = wording_of_all(explanations, language)
    return [
        draw_costs(cost_data(explanations, wording), wording),
        draw_levers(lever_data(explanations, wording)),
    ]


def drawn_of_groups(audit: Audit, language: str = "en") -> list[str]:
    wording = wording_for(audit.problem, language)
    return [
        draw_groups(group_data(audit, groups, metric, wording))
        for groups in audit.groupings.values()
        for metric in audit.all_metrics
    ]


DRAWINGS = {
    "groups": lambda: drawn_of_groups(audited(), "pt"),
    "hostile groups": lambda: drawn_of_groups(hostile_groups()),
    "loan": lambda: drawn(loan(), "pt"),
    "many labels": lambda: drawn(many_labels(), "es"),
    "sixty options": lambda: drawn(front(60, 2)),
    "sixty options of five objectives": lambda: drawn(front(60, 5)),
    "hostile": lambda: drawn(hostile()),
    "portfolio": lambda: drawn_of_all(portfolio(), "es"),
    "hostile portfolio": lambda: drawn_of_all(Explanations([hostile()] * 3)),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_no_text_covers_another_or_leaves_the_drawing_or_is_markup(name: str) -> None:
    for drawing in DRAWINGS[name]():
        assert HEAD.search(drawing)
        assert "<script" not in drawing
        assert drawing.count("<svg") == drawing.count("</svg>") == 1
        boxes = []
        for x, y, anchor, content in TEXT.findall(drawing):
            width = text_width(content) * 0.9  # which is a little more than letters are wide
            left = float(x) - {"": 0.0, "start": 0.0, "middle": width / 2, "end": width}[anchor]
            boxes.append((left, left + width, float(y), content))
        for place, (left, right, base, content) in enumerate(boxes):
            assert -1 <= left <= right <= WIDTH + 1 or "&" in content, content
            for other_left, other_right, other_base, other in boxes[place + 1 :]:
                apart = right <= other_left or other_right <= left or abs(base - other_base) >= 10
                assert apart or "&" in content + other, (content, other)


@pytest.mark.parametrize("amount", ["3,100", "1,234,567,890.25", "x" * 200])
@given(today=st.floats(0, 1), place=st.floats(0, 1))
def test_the_value_of_an_option_stands_clear_of_its_badge(amount: str, today: float, place: float) -> None:
    option = ChartOption(number=1, mark="1", name="option 1", look=0)
    start, tip = (10 + (WIDTH - 20) * one for one in (today, place))
    shapes = _option_line(100.0, start, Mark(place, amount, True, ""), option)
    (x, y, anchor, content) = TEXT.findall(shapes[-1])[0]
    left = float(x) - {"": 0.0, "start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * text_width(content)
    right = left + text_width(content)
    assert -0.1 <= left <= right <= WIDTH + 0.1
    if y == "104":  # on the line, not above it
        assert right <= tip - badge_half("1") or left >= tip + badge_half("1")


def test_long_texts_are_cut() -> None:
    assert fitted("x" * 5000 + "end", 60) == "xxxx…end"
    assert len(fitted("x" * 5000, 60)) < 12
    assert fitted("short", 60) == "short"
    assert "…" in fitted("漢字漢字漢字漢字", 60)


def test_ticks_without_room_are_left_out() -> None:
    kept = spaced([Tick(place / 20, "1,000,000") for place in range(21)], 10, 330)
    assert 2 <= len(kept) <= 5
    assert kept[-1].place == 1.0


def test_one_option_or_one_objective_is_no_front() -> None:
    for explanation in (front(1, 2), front(12, 1)):
        wording = wording_of(explanation)
        assert draw_front(front_data(explanation, wording), wording) is None


def test_long_names_of_levers_stay_different() -> None:
    data = levers_of_long_names()
    shown = [text for _, _, _, text in TEXT.findall(draw_levers(data))]
    for one in data.levers:
        assert sum(f"…{one.column}…" == text for text in shown) == 1
