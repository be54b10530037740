"""In tables of every kind, the answer is what asking the user's own calls about every row would give."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from tests.properties.amount import examples
from tests.properties.random_tables import KINDS, plain
from tests.properties.table_questions import Question, questions
from tests.properties.whole_grid import reported_quanta
from tests.properties.whole_tables import as_typed_frame

# Bounds of the paper's algorithms that prove what they prune; "none" prunes by cost alone.
PROVEN = {
    "LightGBM": "tree",
    "histogram boosting": "tree",
    "forest behind an ordinal encoder": "tree",
    "logistic regression behind a one-hot encoder": "monotone",
}


def is_reported(found: p2ce.Explanation, question: Question) -> None:
    """Hold an answer against the user's own calls."""
    truth = question.truth(found)
    assert found.status is (p2ce.Status.OPTIMAL if truth.valid else p2ce.Status.NO_RECOURSE)
    assert found.certificate.proven
    assert found.certificate.discrepancies == 0
    costs = reported_quanta(found)
    assert set(costs) == truth.costs
    assert len(costs) == len(truth.costs)
    for option in found:
        row = {name: plain(value) for name, value in option.values.items()}
        assert row in truth.rows
        assert option.changes.keys() == {name for name in row if row[name] != question.person[name]}


@pytest.mark.parametrize("family", KINDS)
@examples(12)
@given(data=st.data())
def test_the_answer_is_the_whole_front(family: str, data: st.DataObject) -> None:
    question = data.draw(questions([family]))
    explainer = question.explainer()
    found = explainer.explain(as_typed_frame([question.person], question.frame))
    own = question.accepts(as_typed_frame([question.person], question.frame))[0]
    if found.status is p2ce.Status.ALREADY_FAVOURABLE:
        assert own or question.is_plausible is not None
        return
    is_reported(found, question)


@pytest.mark.parametrize("family", KINDS)
@examples(8)
@given(data=st.data(), order=st.sampled_from(["importance", "index"]), plausible=st.booleans())
def test_the_papers_algorithms_find_the_whole_front_too(
    family: str, data: st.DataObject, order: str, plausible: bool
) -> None:
    """They take rules, labels and gaps, but nothing that is linked."""
    question = data.draw(questions([family], group=st.just(False), link=st.just(False)))
    if not plausible:
        question = replace(question, is_plausible=None)
    bound = data.draw(st.sampled_from(["none", PROVEN.get(family, "none")]))
    method = (p2ce.paper.P2CE if plausible else p2ce.paper.Mapocam)(bound=bound, order=order, background=20)
    found = question.explainer(method=method).explain(as_typed_frame([question.person], question.frame))
    if found.status is not p2ce.Status.ALREADY_FAVOURABLE:
        is_reported(found, question)


@examples(12)
@given(question=questions(list(KINDS), columns=st.integers(2, 5), rule_count=st.integers(1, 3)))
def test_many_people_are_answered_as_each_alone(question: Question) -> None:
    """Links are laid out for one person at a time, groups and gaps for those who have them."""
    explainer = question.explainer()
    people = question.frame.head(4)
    together = explainer.explain_many(people)
    for place, among in enumerate(together):
        alone = explainer.explain(people.iloc[[place]])
        assert among.status is alone.status
        both = [[{**one.to_dict(), "score": None} for one in answer] for answer in (among, alone)]
        assert both[0] == both[1]
        # How a dot product rounds depends on how many rows the model gets at once.
        assert [one.score for one in among] == pytest.approx([one.score for one in alone], rel=1e-12)
