"""The paper's searches and the project's own give the same answers; they differ in what they look at."""

import json

from hypothesis import given
from hypothesis import strategies as st

import p2ce
from tests.properties.amount import examples
from tests.properties.cases import Case, answers_of, cases, no_cheaper

FOREST = p2ce.IsolationForest(n_estimators=15, contamination=0.3)
limits = st.sampled_from([1, 2, 3, None])


@examples(30)
@given(case=cases, max_changes=limits, ties=st.booleans())
def test_p2ce_its_ablation_and_the_exact_search_agree(
    case: Case, max_changes: int | None, ties: bool
) -> None:
    found = {
        method: case.explain(method=method, plausibility=FOREST, max_changes=max_changes, ties=ties)
        for method in ("exact", "p2ce", "p2ce-ablation")
    }
    assert answers_of(found["p2ce"]) == answers_of(found["exact"])
    assert answers_of(found["p2ce-ablation"]) == answers_of(found["exact"])
    if found["exact"].certificate is None:
        return
    assert found["p2ce-ablation"].certificate.dropped["plausibility bound"] == 0
    # What the partial-outlier test cuts off, the ablation has to look at.
    assert found["p2ce"].certificate.boxes <= found["p2ce-ablation"].certificate.boxes
    for method, explanation in found.items():
        assert explanation.certificate.method == method
        assert explanation.certificate.proven
        assert explanation.certificate.detector_family == "isolation forest"


@examples(30)
@given(case=cases, max_changes=limits)
def test_mapocam_ignores_the_detector(case: Case, max_changes: int | None) -> None:
    plausible = case.explain(plausibility=FOREST, max_changes=max_changes)
    free = case.explain(method="mapocam", plausibility=FOREST, max_changes=max_changes)
    without = case.explain(plausibility=None, max_changes=max_changes)
    assert no_cheaper(plausible, free)
    assert [(option.changes, option.costs) for option in free] == [
        (option.changes, option.costs) for option in without
    ]
    if free.certificate is not None:
        assert free.certificate.detector_family is None
        assert free.certificate.dropped["plausibility bound"] == 0
    # It still says how plausible its points are.
    assert all(option.plausibility is not None for option in free)


@examples(30)
@given(case=cases, max_changes=limits, method=st.sampled_from(["exact", "p2ce"]))
def test_bounds_change_the_work_and_not_the_answer(case: Case, max_changes: int | None, method: str) -> None:
    bounded = case.explain(method=method, plausibility=FOREST, max_changes=max_changes)
    plain = case.explain(method=method, plausibility=FOREST, max_changes=max_changes, bound="none")
    assert answers_of(bounded) == answers_of(plain)
    if plain.certificate is not None:
        assert plain.certificate.bound == "none"
        assert plain.certificate.dropped["model bound"] == 0
        assert plain.certificate.dropped["plausibility bound"] == 0


@examples(25)
@given(case=cases, max_changes=limits, method=st.sampled_from(["exact", "p2ce", "mapocam"]))
def test_the_same_question_gets_the_same_answer_to_the_byte(
    case: Case, max_changes: int | None, method: str
) -> None:
    asked = {"plausibility": FOREST, "max_changes": max_changes, "method": method}
    once = case.explainer(**asked)
    first = json.dumps(once.explain(case.person).to_dict())
    assert json.dumps(once.explain(case.person).to_dict()) == first
    assert json.dumps(case.explainer(**asked).explain(case.person).to_dict()) == first


@examples(25)
@given(case=cases, max_changes=limits, time_limit=st.sampled_from([None, 0]), ties=st.booleans())
def test_an_answer_survives_the_way_through_json(
    case: Case, max_changes: int | None, time_limit: float | None, ties: bool
) -> None:
    explainer = case.explainer(plausibility=FOREST, max_changes=max_changes, ties=ties)
    found = explainer.explain(case.person, time_limit=time_limit)
    again = p2ce.Explanation.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert again == found
    assert again.to_dict() == found.to_dict()
    assert again.to_frame().equals(found.to_frame())
    assert again.certificate == found.certificate
    assert str(again) == str(found)
    assert list(again) == list(found)


@examples(25)
@given(case=cases, time_limit=st.sampled_from([0, 0.0, 1e-9]))
def test_no_time_at_all_still_gives_a_valid_answer(case: Case, time_limit: float) -> None:
    explainer = case.explainer(plausibility=FOREST)
    full = explainer.explain(case.person)
    found = explainer.explain(case.person, time_limit=time_limit)
    assert str(found)
    assert found.to_frame().shape[0] == len(found)
    if full.status is p2ce.Status.ALREADY_FAVOURABLE:
        assert found == full
        return
    assert found.status in (p2ce.Status.TIME_LIMIT, full.status)
    assert no_cheaper(found, full)
    if found.status is p2ce.Status.TIME_LIMIT:
        assert not found.certificate.proven
        assert found.certificate.open_boxes >= 1
        # Whatever is still open cannot cost less than is claimed.
        for option in full:
            for name, least in found.certificate.open_costs.items():
                known = min((mine.costs[name] for mine in found), default=float("inf"))
                assert min(least, known) <= option.costs[name] + 1e-9
