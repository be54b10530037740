"""A search for any option agrees with a complete explanation; a problem is laid out once for all people."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from p2ce.explainer import problems_of
from p2ce.run.analysis.relaxed_problems import RelaxedProblems, seek_any_option
from p2ce.run.analysis.restrictions import restrictions_of
from p2ce.run.explain_batch import explain_batch
from p2ce.run.time_limits import SearchLimits
from p2ce.tables.encode import encode_row
from tests.properties.amount import examples
from tests.run.infeasible import RESTRICTIONS, Infeasible, find_infeasible

cases = st.builds(
    find_infeasible,
    st.sampled_from(["forest", "histogram"]),
    st.integers(0, 10_000),
    st.lists(st.sampled_from(sorted(RESTRICTIONS)), min_size=1, max_size=3, unique=True).map(tuple),
    st.booleans(),
    st.integers(1, 2),
)


def prepared(case: Infeasible) -> tuple[Any, ...]:
    """Return the problem of a person without an option, the person's row, and what may be lifted."""
    explainer = case.explainers[True in case.explainers]
    found = explainer.explain(case.person, policy=case.policy(), max_changes=case.max_changes)
    problems = problems_of(explainer)
    problem = problems.of_explanation(found, call="relaxations")
    values = encode_row(case.person, problem.codebook).values
    restrictions = restrictions_of(problem, values[0], problems.known.compiled.ends)
    return problems.known.compiled, problem, values, restrictions


@examples(6)
@given(case=cases, data=st.data())
def test_any_option_exists_if_and_only_if_an_explanation_has_one(
    case: Infeasible, data: st.DataObject
) -> None:
    compiled, problem, values, restrictions = prepared(case)
    relaxed = RelaxedProblems()
    for _ in range(4):
        chosen = data.draw(st.lists(st.sampled_from(range(len(restrictions))), unique=True))
        lifted = relaxed.of(problem, [restrictions[number] for number in sorted(chosen)])
        quick = seek_any_option(compiled, lifted, values, SearchLimits())
        if "predicate" in case.names:
            continue  # a function decides
        slow = explain_batch(lifted, values, finest=False)
        assert quick.exists in (None, len(slow.found.rows) > 0)
        assert (quick.row is not None) == (quick.exists is True)
        most = lifted.max_changes
        if quick.row is not None and most is not None and not lifted.compounds:
            assert 0 < (quick.row != values[0]).sum() <= most


def test_a_limit_of_work_leaves_it_open_and_people_share_what_is_laid_out() -> None:
    case = find_infeasible("forest", 3, ("debt up", "rate"), False, 1)
    compiled, problem, values, restrictions = prepared(case)
    relaxed = RelaxedProblems()
    lifted = relaxed.of(problem, restrictions)
    assert relaxed.of(problem, tuple(reversed(restrictions))) is lifted
    assert relaxed.of(problem, restrictions[:1]) is not lifted
    assert seek_any_option(compiled, lifted, values, SearchLimits(seconds=0.0)).exists is None
    assert seek_any_option(compiled, lifted, values, SearchLimits()).exists is True
    assert seek_any_option(compiled, relaxed.of(problem, ()), values, SearchLimits()).exists is False
