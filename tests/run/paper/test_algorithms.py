"""The literal algorithms do, cell by cell, what a second transcription of the paper's listings does."""

from itertools import product

import pytest
from hypothesis import given

from p2ce.paper import P2CE, Mapocam
from tests.properties.amount import examples
from tests.run.paper.tiny import Tiny, found, is_printed, prunes_outliers, run, tinies
from tests.run.paper.transcription import Action, Listing, no_worse

SETTINGS = [
    Mapocam(),
    Mapocam(errata="as printed"),
    P2CE(),
    P2CE(form="plain"),
    P2CE(errata="as printed"),
    P2CE(errata="as printed", form="plain"),
    P2CE(partial_plausibility=False),
    P2CE(partial_plausibility=False, errata="as printed"),
]


@pytest.mark.parametrize("bound", ["none", "true", "shap"])
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: f"{one.name}, {one.errata}, {one.form}")
@examples(40)
@given(tiny=tinies())
def test_cells_are_visited_pruned_and_returned_as_in_the_listing(
    settings: Mapocam, bound: str, tiny: Tiny
) -> None:
    theirs = Listing(
        algorithm=2 if settings.plausible else 1,
        as_printed=is_printed(settings),
        partial=prunes_outliers(settings),
        k=tiny.k,
        tau=tiny.tau,
        A=tiny.A,
        f=tiny.f,
        u=tiny.u,
        c=tiny.c,
        f_bar=tiny.f_bar(bound, settings),
        u_partial=tiny.u_partial,
    )
    theirs.run()
    ours = run(tiny, settings, bound)
    # The library leaves out what would be popped and pruned at once, and says so.
    full = tiny.k + is_printed(settings)

    def is_left_out(a: Action, i: int) -> bool:
        changes = sum(v != 0 for v in a)
        reaches = (
            tiny.f(a) > tiny.tau if is_printed(settings) and settings.plausible else tiny.f(a) >= tiny.tau
        )
        return i > 0 and a[i - 1] != 0 and changes == full and not reaches

    assert ours.seen == [node for node in theirs.visited if not is_left_out(*node)]
    assert ours.cut == [cut for cut in theirs.pruned if not is_left_out(*cut[:2])]
    assert ours.at_once == {node for node in theirs.visited if is_left_out(*node)}
    assert ours.visited == len(theirs.visited)
    assert [ours.action(node.cell) for node in ours.solutions] == theirs.S


@pytest.mark.parametrize(
    "settings", [Mapocam(), P2CE(), P2CE(partial_plausibility=False)], ids=lambda one: one.name
)
@pytest.mark.parametrize("bound", ["none", "true"])
@examples(40)
@given(tiny=tinies())
def test_corrected_and_with_a_true_bound_the_front_is_whole(
    settings: Mapocam, bound: str, tiny: Tiny
) -> None:
    """The proof that the corrected listings find every cost of the front, by brute force."""
    valid = []
    for a in product(*tiny.A):
        plausible = not settings.plausible or not tiny.u(a)
        if tiny.f(a) >= tiny.tau and plausible and sum(v != 0 for v in a) <= tiny.k:
            valid.append(tiny.c(a))
    front = {one for one in valid if not any(no_worse(other, one) and other != one for other in valid)}
    assert sorted(tiny.c(a) for a in found(tiny, settings, bound)) == sorted(front)
