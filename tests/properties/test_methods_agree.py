"""With proven bounds, the paper's algorithms and the exact search agree; they differ in what they visit."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce.paper import P2CE, Mapocam
from tests.oracle import no_cheaper, reported_quanta
from tests.populations.small_models import proven_bound
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, numeric_problems, results_of

FOREST = p2ce.PlausibilityForest(n_estimators=15, contamination=0.3)
limits = st.sampled_from([1, 2, 3, None])
orders = st.sampled_from(["importance", "index"])


def costs_of(explanation: p2ce.Explanation) -> tuple[Any, ...]:
    """Return status and costs: one point stands for all that cost the same, and may be another one."""
    return explanation.status, reported_quanta(explanation)


@examples(15)
@given(case=numeric_problems(), max_changes=limits, order=orders)
def test_p2ce_its_ablation_and_the_exact_search_agree(
    case: StatedProblem, max_changes: int | None, order: str
) -> None:
    arguments: dict[str, Any] = {"plausibility": FOREST, "max_changes": max_changes}
    exact = case.explain(plausibility_of_today="ignore", **arguments)
    for bound in {proven_bound(case.family, case.frame), None}:
        whole = case.explain(method=P2CE(bound=bound, order=order), **arguments)
        ablation = case.explain(
            method=P2CE(bound=bound, order=order, partial_plausibility=False), **arguments
        )
        assert costs_of(whole) == costs_of(ablation) == costs_of(exact)
        if exact.certificate is None:
            return
        # What the partial-outlier test cuts off, the ablation has to look at.
        assert ablation.certificate.pruned["plausibility bound"] == 0
        assert whole.certificate.boxes <= ablation.certificate.boxes
        for name, explanation in {"p2ce": whole, "p2ce-ablation": ablation}.items():
            assert explanation.certificate.method == name
            assert explanation.certificate.proven
            assert explanation.certificate.detector_family == "isolation forest"


@examples(15)
@given(case=numeric_problems(), max_changes=limits)
def test_mapocam_ignores_the_detector(case: StatedProblem, max_changes: int | None) -> None:
    plausible = case.explain(plausibility=FOREST, max_changes=max_changes)
    free = case.explain(method=Mapocam(), plausibility=FOREST, max_changes=max_changes)
    without = case.explain(plausibility=None, max_changes=max_changes)
    assert no_cheaper(plausible, free)
    assert costs_of(free) == costs_of(without)
    if free.certificate is not None:
        assert free.certificate.proven
        assert free.certificate.detector_family is None
        assert free.certificate.pruned["plausibility bound"] == 0
    # It still says how plausible its points are.
    assert all(option.plausibility is not None for option in free)


@examples(12)
@given(case=numeric_problems(), max_changes=limits, form=st.sampled_from(["k-limited", "plain"]))
def test_what_the_papers_estimate_leaves_over_is_valid_and_never_cheaper(
    case: StatedProblem, max_changes: int | None, form: str
) -> None:
    method = P2CE(bound="shap", form=form, explainer="sampling", background=10)
    explainer = case.explainer(method=method, plausibility=FOREST, max_changes=max_changes)
    found = explainer.explain(case.person)
    exact = case.explain(plausibility=FOREST, max_changes=max_changes)
    assert no_cheaper(found, exact)
    for option in found:
        assert explainer.evaluate(case.person, option.values, explanation=found).ok
    if exact.certificate is not None:
        # Nothing is proven exactly where an estimate pruned something.
        pruned = found.certificate.pruned["estimate"]
        assert found.certificate.unproven_because == ("estimate" if pruned else None)
        assert (found.status is p2ce.Status.HEURISTIC) == (pruned > 0)
        assert pruned or costs_of(found) == costs_of(exact)


@examples(15)
@given(case=numeric_problems(), max_changes=limits, plausible=st.booleans())
def test_an_algorithm_as_printed_claims_nothing_and_shows_only_what_is_allowed(
    case: StatedProblem, max_changes: int | None, plausible: bool
) -> None:
    method = (P2CE if plausible else Mapocam)(errata="as printed", bound=None)
    explainer = case.explainer(method=method, plausibility=FOREST, max_changes=max_changes)
    found = explainer.explain(case.person)
    exact = case.explain(plausibility=FOREST if plausible else None, max_changes=max_changes)
    assert no_cheaper(found, exact)
    for option in found:
        assert explainer.evaluate(case.person, option.values, explanation=found).ok
    if exact.certificate is not None:
        assert found.status is p2ce.Status.HEURISTIC
        assert found.certificate.unproven_because == "misprint"


@examples(15)
@given(case=numeric_problems(), max_changes=limits)
def test_bounds_change_the_work_and_not_the_answer(case: StatedProblem, max_changes: int | None) -> None:
    bounded = case.explain(plausibility=FOREST, max_changes=max_changes)
    plain = case.explain(plausibility=FOREST, max_changes=max_changes, bound=None)
    assert results_of(bounded) == results_of(plain)
    if plain.certificate is not None:
        assert plain.certificate.bound == "none"
        assert plain.certificate.pruned["model bound"] == 0
        assert plain.certificate.pruned["plausibility bound"] == 0
