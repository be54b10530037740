"""Labels find places where they hide nothing."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from p2ce.present.charts.label_placement import number_places, place_labels, spread_out

inside = st.floats(0.0, 1.0)
FRAME = (4.0, 3.0)


@given(st.lists(inside, min_size=1, max_size=12))
def test_spread_places_keep_their_order_their_gap_and_the_frame(places: list[float]) -> None:
    found = spread_out(places, 0.05)
    order = sorted(range(len(places)), key=lambda one: places[one])
    apart = [found[b] - found[a] for a, b in pairwise(order)]
    assert all(gap >= 0.05 - 1e-9 for gap in apart)
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in found)


def test_labels_of_near_points_do_not_overlap() -> None:
    points = [(2.0, 1.5), (2.05, 1.52), (2.1, 1.5)]
    middles = place_labels(points, ["1", "2", "3"], FRAME)
    for place, one in enumerate(middles):
        for other in middles[place + 1 :]:
            assert abs(one[0] - other[0]) > 0.1 or abs(one[1] - other[1]) > 0.13


@given(st.lists(st.tuples(inside, inside), min_size=1, max_size=5), st.none() | st.tuples(inside, inside))
def test_numbers_of_ways_stay_on_the_map(
    arrows: list[tuple[float, float]], person: tuple[float, float] | None
) -> None:
    for across, up in number_places(arrows, person, FRAME):
        assert -0.15 <= across <= 1.15
        assert -0.15 <= up <= 1.15
