"""Labels find places where they hide nothing."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from p2ce.present.charts.matplotlib.label_placement import place_labels, spread_out

inside = st.floats(0.0, 1.0)
FRAME = (4.0, 3.0)  # inches


@given(st.lists(inside, min_size=1, max_size=12))
def test_spread_places_keep_their_order_their_gap_and_the_frame(places: list[float]) -> None:
    found = spread_out(places, 0.05)
    order = sorted(range(len(places)), key=lambda one: places[one])
    assert all(found[b] - found[a] >= 0.05 - 1e-9 for a, b in pairwise(order))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in found)


def test_labels_of_near_points_do_not_overlap() -> None:
    middles = place_labels([(0.5, 0.5), (0.51, 0.51), (0.52, 0.5)], ["1", "2", "3"], FRAME)
    for one, other in combinations(middles, 2):
        assert abs(one[0] - other[0]) * FRAME[0] > 0.1 or abs(one[1] - other[1]) * FRAME[1] > 0.13
