"""In tables of every kind, the result is what evaluating the user's own objects on every row gives."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from tests.oracle import assert_is_front
from tests.populations.small_models import OF_TABLES, proven_bound
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems


@pytest.mark.parametrize("family", OF_TABLES)
@examples(12)
@given(data=st.data())
def test_the_result_is_the_whole_front(family: str, data: st.DataObject) -> None:
    problem = data.draw(table_problems([family]))
    found = problem.explain()
    if found.status is p2ce.Status.ALREADY_FAVOURABLE:
        assert problem.accepts(problem.row)[0] or problem.is_plausible is not None
        return
    assert_is_front(found, problem.truth(found))
    assert found.certificate.discrepancies == 0


@pytest.mark.parametrize("family", OF_TABLES)
@examples(8)
@given(data=st.data(), order=st.sampled_from(["importance", "index"]), plausible=st.booleans())
def test_the_papers_algorithms_find_the_whole_front_too(
    family: str, data: st.DataObject, order: str, plausible: bool
) -> None:
    """They take rules, labels and missing values, but nothing that is linked."""
    problem = data.draw(table_problems([family], group=st.just(False), link=st.just(False)))
    if not plausible:
        problem = replace(problem, detector=None, is_plausible=None)
    bound = data.draw(st.sampled_from(["none", proven_bound(family, problem.frame)]))
    method = (p2ce.paper.P2CE if plausible else p2ce.paper.Mapocam)(bound=bound, order=order, background=20)
    found = problem.explain(method=method)
    if found.status is not p2ce.Status.ALREADY_FAVOURABLE:
        assert_is_front(found, problem.truth(found))
        assert found.certificate.discrepancies == 0


@examples(12)
@given(problem=table_problems(columns=st.integers(2, 5), rule_count=st.integers(1, 3)))
def test_many_people_are_explained_as_each_alone(problem: StatedProblem) -> None:
    """Links are placed for one person at a time, groups and missing values for those who have them."""
    explainer = problem.explainer()
    people = problem.frame.head(4)
    for place, among in enumerate(explainer.explain_many(people)):
        alone = explainer.explain(people.iloc[[place]])
        assert among.status is alone.status
        options = [[{**one.to_dict(), "score": None} for one in found] for found in (among, alone)]
        assert options[0] == options[1]
        # How a dot product rounds depends on how many rows the model gets at once.
        assert [one.score for one in among] == pytest.approx([one.score for one in alone], rel=1e-12)
