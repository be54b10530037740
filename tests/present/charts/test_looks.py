"""An option has one colour and one shape, on every page and in every chart."""

from dataclasses import replace

import pytest

from p2ce.present.charts.change_data import change_data
from p2ce.present.charts.front_data import front_data
from p2ce.present.charts.map_data import map_data
from p2ce.present.highlights import looks_of
from p2ce.present.render import AUDIENCES
from p2ce.present.views.view import view
from p2ce.present.wording import wording_of
from p2ce.result import Explanation
from tests.present.charts.examples import front, loan, loan_map


@pytest.mark.parametrize("explanation", [front(4, 2), front(12, 3), loan()])
def test_an_option_looks_the_same_in_every_chart_and_for_every_audience(explanation: Explanation) -> None:
    wording, feature_map = wording_of(explanation), replace(loan_map(), explanation=explanation)
    looks = looks_of(explanation)
    assert sorted(looks.values()) == list(range(len(explanation)))
    drawn = [*map_data(feature_map, wording).arrows]
    for audience in AUDIENCES:
        seen = view(explanation, audience=audience)
        points = front_data(explanation, wording, lettered=seen.lettered).picks
        assert [one.mark for one in points] == [one.mark for one in seen.picks]
        drawn += [*seen.picks, *points]
    for options in (None, [2], explanation.pick(4), range(len(explanation), 0, -1)):
        drawn += change_data(explanation, wording, options).options
    assert len({one.number for one in drawn}) == len(explanation)
    assert all(one.look == looks[one.number] for one in drawn)
